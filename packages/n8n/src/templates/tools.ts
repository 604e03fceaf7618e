import { type InlineTool, ToolwrightError } from '@toolwright/core';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isObject, type JsonObject } from '../json.ts';
import {
  choiceOf,
  listArgument,
  listOf,
  makeTool,
  NUMBER,
  numberArgument,
  objectArgument,
  STRING,
  shapeOf,
  type ToolSpec,
} from '../tool.ts';
import { toBody, type WorkflowBody } from '../workflows/body.ts';
import { applyOperations } from '../workflows/edits/operations.ts';
import { structureOf } from '../workflows/summary.ts';
import type { Template, TemplateLibrary, TemplateQuery, TemplateSummary } from './library.ts';

const MAX_HITS = 25;
const MAX_NAME_CHARS = 90;
const MAX_NODES = 6;
const ID = { type: ['number', 'string'] };

/** Returns the tools of the server `n8n-templates`. */
export function templateTools(open: () => TemplateLibrary, catalog: () => NodeCatalog): Record<string, InlineTool> {
  const specs: Record<string, ToolSpec> = {
    searchTemplates: {
      description:
        'Finds n8n workflow templates by text, node types, services, category or complexity, most used first.',
      parameters: {
        query: { type: ['string', 'object'], description: 'Text, or {text, nodes, services, category, complexity}' },
        limit: NUMBER,
      },
      options: {
        text: STRING,
        nodes: listOf(STRING),
        services: listOf(STRING),
        category: STRING,
        complexity: choiceOf('simple', 'medium', 'complex'),
      },
      returns: listOf(shapeOf({ id: NUMBER, name: STRING, views: NUMBER, nodes: listOf(STRING) })),
      run: ({ query, limit, ...rest }) => {
        const asked = isObject(query) ? { ...query, ...rest } : { text: query, ...rest };
        return open()
          .search(queryOf(asked), numberArgument(limit, 5, MAX_HITS))
          .map(hitOf);
      },
    },
    getTemplate: {
      description: 'Reads one n8n template: a summary, its structure (nodes and connections), or its whole workflow.',
      parameters: { id: ID },
      required: ['id'],
      options: { mode: choiceOf('summary', 'structure', 'full') },
      returns: shapeOf({
        id: NUMBER,
        name: STRING,
        'description?': STRING,
        'views?': NUMBER,
        'categories?': listOf(STRING),
        'nodes?': {},
        'connections?': {},
        'workflow?': { type: 'object' },
      }),
      run: async ({ id, mode = 'summary' }, { signal }) =>
        shownAs(await open().get(Number(id), signal), String(mode), catalog),
    },
    instantiateTemplate: {
      description:
        'Builds a workflow from an n8n template, with credentials by type ({slackApi: {id, name}}) and operations as in updateWorkflow.',
      parameters: { id: ID },
      required: ['id'],
      options: { name: STRING, credentials: { type: 'object' }, operations: listOf({ type: 'object' }) },
      returns: shapeOf({
        name: STRING,
        nodes: listOf({ type: 'object' }),
        connections: { type: 'object' },
        settings: { type: 'object' },
      }),
      run: async ({ id, name, credentials, operations }, { signal }) => {
        const template = await open().get(Number(id), signal);
        const given = credentials === undefined ? {} : objectArgument(credentials, 'credentials');
        const body = withCredentials(
          toBody({ ...template.workflow, name: name ?? template.name }, catalog()),
          given,
          catalog(),
        );
        return applyOperations(body, operations === undefined ? [] : listArgument(operations, 'operations'), catalog());
      },
    },
  };
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, makeTool(name, spec)]));
}

function queryOf({ text, nodes, services, category, complexity }: JsonObject): TemplateQuery {
  return {
    text: text === undefined ? undefined : String(text),
    nodes: namesOf(nodes, 'nodes'),
    services: namesOf(services, 'services'),
    category: category === undefined ? undefined : String(category),
    complexity: complexity as TemplateQuery['complexity'],
  };
}

/** Returns one name, a list of names, or a list as JSON text. */
function namesOf(value: unknown, what: string): string[] | undefined {
  if (value === undefined) return undefined;
  return (typeof value === 'string' && !value.startsWith('[') ? [value] : listArgument(value, what)).map(String);
}

function hitOf({ id, name, views, nodes }: TemplateSummary): object {
  const short = name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS - 1)}…` : name;
  const more = nodes.length - MAX_NODES;
  return { id, name: short, views, nodes: more > 0 ? [...nodes.slice(0, MAX_NODES), `+${more}`] : nodes };
}

function shownAs({ workflow, ...summary }: Template, mode: string, catalog: () => NodeCatalog): unknown {
  if (mode === 'full') return { id: summary.id, name: summary.name, workflow };
  if (mode === 'structure') return { id: summary.id, name: summary.name, ...structureOf(workflow, catalog()) };
  if (mode === 'summary') return { ...summary, description: summary.description.slice(0, 600) };
  throw new ToolwrightError('INVALID_ARGUMENTS', `Mode "${mode}" does not exist. Use summary, structure or full.`);
}

/** Replaces the credentials of the template's author by those of the user that fit each node's type. */
function withCredentials(body: WorkflowBody, given: JsonObject, catalog: NodeCatalog): WorkflowBody {
  const nodes = body.nodes.map(({ credentials: _others, ...node }) => {
    const looked = catalog.lookup(String(node.type), Number(node.typeVersion));
    const usable = 'found' in looked ? (looked.found.credentials ?? []).map(({ name }) => name) : [];
    const own = Object.fromEntries(Object.entries(given).filter(([name]) => usable.includes(name)));
    return Object.keys(own).length > 0 ? { ...node, credentials: own } : node;
  });
  return { ...body, nodes };
}
