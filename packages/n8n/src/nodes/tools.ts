import type { InlineTool } from '@toolwright/core';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { DEFAULT_REGISTRY_URL } from '../settings.ts';
import {
  BOOLEAN,
  choiceOf,
  listOf,
  makeTool,
  NUMBER,
  numberArgument,
  STRING,
  shapeOf,
  type ToolSpec,
  type ValueSchema,
} from '../tool.ts';
import { searchCommunityNodes } from './community.ts';
import { compareVersions } from './compare.ts';
import { nodeEssentials } from './essentials.ts';
import { planWorkflow } from './plan.ts';
import { nodeProperty } from './property.ts';
import { nodeSchema } from './schema.ts';
import { createNodeSearch, type NodeKind, type NodeSearch } from './search.ts';
import type { Selection } from './visible.ts';

const TYPE: ValueSchema = { type: 'string', description: 'Such as slack or n8n-nodes-base.slack' };
/** Each hit may take one more request. */
const MAX_PACKAGES = 20;
const SELECTION = { resource: STRING, operation: STRING, version: NUMBER };
const WORDS: ValueSchema = { type: 'object', additionalProperties: STRING };

/** A credential type that a node can use, without values. */
interface CredentialType {
  readonly name: string;
  readonly displayName: string;
  readonly required: boolean;
  /** Names of its fields. `*` marks secret fields. */
  readonly fields: readonly string[];
  /** Parameter values that require this credential. */
  readonly when?: unknown;
}

/** Returns the tools of the server `n8n-nodes`. The first call opens the catalog. */
export function nodeTools(open: () => NodeCatalog, registryUrl?: string): Record<string, InlineTool> {
  const specs = {
    ...overviewTools(open),
    ...communityTools(open, registryUrl),
    ...parameterTools(open),
    ...credentialAndVersionTools(open),
  };
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, makeTool(name, spec)]));
}

/** Returns the tools that find a node type and summarize it. */
function overviewTools(open: () => NodeCatalog): Record<string, ToolSpec> {
  let searching: { readonly catalog: NodeCatalog; readonly search: NodeSearch } | undefined;
  const search = (): NodeSearch => {
    const catalog = open();
    if (searching?.catalog !== catalog) searching = { catalog, search: createNodeSearch(catalog) };
    return searching.search;
  };
  return {
    searchNodes: {
      description: "Finds n8n node types by name or purpose. Use the returned types for a workflow's nodes.",
      parameters: { query: STRING },
      required: ['query'],
      options: { limit: NUMBER, kind: choiceOf('trigger', 'action', 'ai'), source: STRING },
      returns: listOf(shapeOf({ type: STRING, version: NUMBER, kind: STRING, description: STRING })),
      run: ({ query, limit, kind, source }) =>
        search()(String(query), {
          limit: numberArgument(limit, 5),
          kind: kind === undefined ? undefined : (kind as NodeKind),
          source: source === undefined ? undefined : String(source),
        }),
    },
    planWorkflow: {
      description:
        'Chooses a node and operation for each step of a workflow, and returns their parameters together. Pass a list with one short step per node.',
      parameters: { request: { type: ['array', 'string'], items: STRING } },
      required: ['request'],
      returns: shapeOf({
        nodes: listOf(
          shapeOf({
            type: STRING,
            'resource?': STRING,
            'operation?': STRING,
            'operations?': { type: 'object', additionalProperties: listOf(STRING) },
            'credentials?': STRING,
            'inputs?': WORDS,
            'outputs?': WORDS,
            parameters: STRING,
            'others?': STRING,
          }),
        ),
        'problems?': listOf(STRING),
      }),
      run: ({ request }) => planWorkflow(request, open(), search()),
    },
    getNodeEssentials: {
      description: 'Describes an n8n node: its operations, or the parameters and credentials of one operation.',
      parameters: { type: TYPE },
      required: ['type'],
      options: SELECTION,
      returns: shapeOf({
        type: STRING,
        typeVersion: NUMBER,
        description: STRING,
        'credentials?': WORDS,
        'operations?': { type: 'object', additionalProperties: listOf(STRING) },
        'inputs?': WORDS,
        'outputs?': WORDS,
        required: WORDS,
        optional: WORDS,
        'more?': listOf(STRING),
      }),
      run: ({ type, ...rest }) => nodeEssentials(open(), String(type), selectionOf(rest)),
    },
  };
}

/** Returns the tool that finds nodes of other packages. */
function communityTools(open: () => NodeCatalog, registryUrl = DEFAULT_REGISTRY_URL): Record<string, ToolSpec> {
  return {
    searchCommunityNodes: {
      description: 'Finds packages of the n8n community on npm. Only installed ones can be used.',
      parameters: { query: STRING },
      required: ['query'],
      options: { limit: NUMBER },
      returns: listOf(
        shapeOf({
          package: STRING,
          version: STRING,
          license: STRING,
          description: STRING,
          'isVerified?': BOOLEAN,
          'installed?': { type: 'string', description: 'Its version, in the catalog of an instance' },
          'types?': listOf(STRING),
        }),
      ),
      run: ({ query, limit }, { signal }) => {
        const asked = { query: String(query), limit: numberArgument(limit, 5, MAX_PACKAGES) };
        return searchCommunityNodes(registryUrl, asked, open(), signal);
      },
    },
  };
}

/** Returns the tools that describe the parameters of a node type. */
function parameterTools(open: () => NodeCatalog): Record<string, ToolSpec> {
  return {
    getNodeProperty: {
      description: 'Describes one parameter of an n8n node in full, such as options.timeout.',
      parameters: { type: TYPE, path: STRING },
      required: ['type', 'path'],
      options: SELECTION,
      returns: shapeOf({
        path: STRING,
        type: STRING,
        shape: STRING,
        required: { type: 'boolean' },
        'default?': {},
        'choices?': listOf(shapeOf({ value: {}, name: STRING })),
        'shownWhen?': {},
        'description?': STRING,
        'members?': listOf(STRING),
      }),
      run: ({ type, path, ...rest }) => nodeProperty(open(), String(type), String(path), selectionOf(rest)),
    },
    getNodeSchema: {
      description:
        "Returns the JSON Schema of an n8n node's parameters for one operation. It is large: do not return it.",
      parameters: { type: TYPE },
      required: ['type'],
      options: SELECTION,
      returns: shapeOf({ type: STRING, 'title?': STRING, properties: { type: 'object' }, required: listOf(STRING) }),
      run: ({ type, ...rest }) => nodeSchema(open(), String(type), selectionOf(rest)),
    },
  };
}

/** Returns the tools for credentials and versions of a node type. */
function credentialAndVersionTools(open: () => NodeCatalog): Record<string, ToolSpec> {
  return {
    listCredentialTypes: {
      description: 'Lists the credential types that an n8n node can use, and when. Never returns values.',
      parameters: { type: TYPE },
      required: ['type'],
      returns: listOf(
        shapeOf({
          name: STRING,
          displayName: STRING,
          required: { type: 'boolean' },
          fields: listOf(STRING),
          'when?': {},
        }),
      ),
      run: ({ type }) => credentialTypes(open(), String(type)),
    },
    compareVersions: {
      description: 'Returns the parameters that differ between two versions of an n8n node.',
      parameters: { type: TYPE, from: NUMBER, to: NUMBER },
      required: ['type', 'from', 'to'],
      returns: shapeOf({
        type: STRING,
        from: NUMBER,
        to: NUMBER,
        added: listOf(STRING),
        removed: listOf(STRING),
        changed: listOf(shapeOf({ name: STRING, from: STRING, to: STRING })),
      }),
      run: ({ type, from, to }) => compareVersions(open(), String(type), Number(from), Number(to)),
    },
  };
}

function selectionOf({ resource, operation, version }: Readonly<Record<string, unknown>>): Selection {
  return {
    resource: resource === undefined ? undefined : String(resource),
    operation: operation === undefined ? undefined : String(operation),
    version: version === undefined ? undefined : Number(version),
  };
}

/** Returns the credential types that a node can use. Raises `INVALID_ARGUMENTS` for an unknown node. */
function credentialTypes(catalog: NodeCatalog, type: string): CredentialType[] {
  const { credentials = [] } = catalog.describe(type);
  return credentials.map(({ name, displayName, required, displayOptions }) => {
    const known = catalog.credential(name);
    const fields = (known?.properties ?? []).filter(
      (property) => property.type !== 'notice' && property.type !== 'hidden',
    );
    return {
      name,
      displayName: displayName ?? known?.displayName ?? name,
      required: required === true,
      fields: fields.map((field) => `${field.name}${field.typeOptions?.password ? '*' : ''}`),
      when: displayOptions === undefined ? undefined : (displayOptions.show ?? displayOptions),
    };
  });
}
