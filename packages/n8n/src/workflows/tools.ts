import { type InlineTool, ToolwrightError } from '@toolwright/core';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { N8nClient } from '../instances/client.ts';
import type { PolicyCheck } from '../instances/policy.ts';
import { isObject, type JsonObject } from '../json.ts';
import {
  BOOLEAN,
  choiceOf,
  listArgument,
  listOf,
  makeTool,
  NUMBER,
  numberArgument,
  STRING,
  shapeOf,
  type ToolSpec,
  type ValueSchema,
} from '../tool.ts';
import { toBody } from './body.ts';
import { draftTools, WORKFLOW } from './drafts.ts';
import { fetchWorkflow, type Instance, segment } from './instance.ts';
import { ID, pageOf } from './page.ts';
import { createWorkflow, deleteWorkflow, setActive, updateWorkflow } from './remote.ts';
import { runTools } from './run-tools.ts';
import { structureOf, summaryOf } from './summary.ts';

/** What the tools on workflows work with; the client and the catalogue are made when they are first needed. */
export interface WorkflowParts {
  readonly catalog: () => NodeCatalog;
  readonly client: () => N8nClient;
  readonly policyCheck: PolicyCheck;
}

const SUMMARY_FIELDS = {
  id: STRING,
  name: STRING,
  active: BOOLEAN,
  'versionId?': STRING,
  nodeCount: NUMBER,
  triggers: listOf(STRING),
  'updatedAt?': STRING,
  tags: listOf(STRING),
} as const;
const SUMMARY = shapeOf(SUMMARY_FIELDS);
/** What else an operation holds depends on what it does. */
const OPERATION: ValueSchema = {
  type: 'object',
  properties: { op: STRING },
  required: ['op'],
  additionalProperties: true,
};
const DEFAULT_LIST = 20;
const MAX_LIST = 250;

/** The tools of the server `n8n-workflows`. */
export function workflowTools(parts: WorkflowParts): Record<string, InlineTool> {
  const instance = (): Instance => ({
    client: parts.client(),
    policyCheck: parts.policyCheck,
    catalog: parts.catalog(),
  });
  const specs = { ...draftTools(parts.catalog), ...instanceTools(instance), ...runTools(instance) };
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, makeTool(name, spec)]));
}

function instanceTools(instance: () => Instance): Record<string, ToolSpec> {
  return {
    createWorkflow: {
      description:
        'Creates a workflow on the n8n instance, not active, and reads it back. Tells what keeps n8n from publishing it.',
      takes: { workflow: WORKFLOW },
      subject: 'workflow',
      gives: shapeOf({ ...SUMMARY_FIELDS, publishable: BOOLEAN, problems: listOf(STRING) }),
      effect: 'write',
      run: ({ workflow }) => createWorkflow(instance(), workflow),
    },
    getWorkflow: {
      description:
        'Reads a workflow of the n8n instance: a summary, its structure (nodes and connections), or in full.',
      takes: { id: ID },
      required: ['id'],
      options: { mode: choiceOf('summary', 'structure', 'full') },
      gives: shapeOf({
        id: STRING,
        name: STRING,
        active: BOOLEAN,
        'versionId?': STRING,
        'nodeCount?': NUMBER,
        'triggers?': listOf(STRING),
        'tags?': listOf(STRING),
        'updatedAt?': STRING,
        'nodes?': listOf({ type: 'object' }),
        'connections?': {},
        'settings?': { type: 'object' },
      }),
      async run({ id, mode = 'summary' }, { signal }) {
        const workflow = await fetchWorkflow(instance(), String(id), signal);
        return shownAs(workflow, String(mode), instance().catalog);
      },
    },
    listWorkflows: {
      description: 'Lists workflows of the n8n instance, in few words each.',
      takes: {},
      options: { name: STRING, active: BOOLEAN, tags: STRING, limit: NUMBER, cursor: STRING },
      gives: shapeOf({ workflows: listOf(SUMMARY), 'nextCursor?': STRING }),
      async run({ name, active, tags, limit, cursor }, { signal }) {
        const query = {
          name: text(name),
          active: active === undefined ? undefined : active === true,
          tags: text(tags),
        };
        const page = {
          limit: numberArgument(limit, DEFAULT_LIST, MAX_LIST),
          cursor: text(cursor),
          excludePinnedData: true,
        };
        const answer = await instance().client.send({
          path: '/workflows',
          query: { ...query, ...page },
          what: 'workflows',
          signal,
        });
        const { data, nextCursor } = pageOf(answer);
        return { workflows: data.map(summaryOf), ...(nextCursor === undefined ? {} : { nextCursor }) };
      },
    },
    updateWorkflow: {
      description:
        'Changes a workflow by operations, all or none: addNode {node, after?}, updateNode {name, parameters?, set?}, removeNode, renameNode {name, to}, ' +
        'connect/disconnect {from, to}, enableNode, disableNode, rename {name}, settings {settings}. With versionId it refuses when someone else changed it.',
      takes: { id: ID, operations: listOf(OPERATION) },
      required: ['id', 'operations'],
      options: { versionId: STRING },
      gives: SUMMARY,
      effect: 'write',
      run: ({ id, operations, versionId }) =>
        updateWorkflow(instance(), String(id), {
          operations: listArgument(operations, 'operations'),
          versionId: text(versionId),
        }),
    },
    deleteWorkflow: {
      description: 'Deletes a workflow of the n8n instance.',
      takes: { id: ID },
      required: ['id'],
      gives: shapeOf({ id: STRING, deleted: BOOLEAN }),
      effect: 'delete',
      run: ({ id }) => deleteWorkflow(instance(), String(id)),
    },
    activateWorkflow: {
      description: 'Publishes a workflow, so that its triggers start it.',
      takes: { id: ID },
      required: ['id'],
      gives: SUMMARY,
      effect: 'write',
      run: ({ id }) => setActive(instance(), String(id), true),
    },
    deactivateWorkflow: {
      description: 'Takes a published workflow back: its triggers no longer start it.',
      takes: { id: ID },
      required: ['id'],
      gives: SUMMARY,
      effect: 'write',
      run: ({ id }) => setActive(instance(), String(id), false),
    },
    listTags: {
      description: 'Lists the tags of the n8n instance.',
      takes: {},
      gives: listOf(shapeOf({ id: STRING, name: STRING })),
      async run(_args, { signal }) {
        const answer = await instance().client.send({
          path: '/tags',
          query: { limit: MAX_LIST },
          what: 'tags',
          signal,
        });
        return pageOf(answer).data.map(({ id, name }) => ({ id, name }));
      },
    },
    setTags: {
      description: 'Gives a workflow these tags, by name, and no others; tags that are not there are made.',
      takes: { id: ID, tags: listOf(STRING) },
      required: ['id', 'tags'],
      gives: shapeOf({ id: STRING, tags: listOf(STRING) }),
      effect: 'write',
      run: ({ id, tags }) => setTags(instance(), String(id), listArgument(tags, 'tags').map(String)),
    },
    health: {
      description: 'Tells whether the n8n instance answers and accepts the key, and what may be done here.',
      takes: {},
      gives: shapeOf({ ok: BOOLEAN, url: STRING, catalog: STRING, workflows: STRING, allowed: listOf(STRING) }),
      async run(_args, { signal }) {
        const { client, catalog, policyCheck } = instance();
        const answer = await client.send({ path: '/workflows', query: { limit: 1 }, what: 'workflows', signal });
        const { data, nextCursor } = pageOf(answer);
        const some = data.length === 0 ? 'none' : nextCursor === undefined ? '1' : 'several';
        return { ok: true, url: client.url, catalog: catalog.version, workflows: some, allowed: policyCheck.allowed };
      },
    },
  };
}

function shownAs(workflow: JsonObject, mode: string, catalog: NodeCatalog): unknown {
  if (mode === 'full') {
    const { id, active, versionId } = workflow;
    return { id, active, versionId, ...toBody(workflow, catalog) };
  }
  if (mode === 'structure') {
    const { id, name, active, versionId } = summaryOf(workflow);
    return { id, name, active, versionId, ...structureOf(workflow) };
  }
  if (mode === 'summary') return summaryOf(workflow);
  throw new ToolwrightError('INVALID_ARGUMENTS', `mode is summary, structure or full, not "${mode}".`);
}

async function setTags(
  { client, policyCheck }: Instance,
  id: string,
  names: readonly string[],
): Promise<{ id: string; tags: string[] }> {
  policyCheck.write('setTags');
  const known = pageOf(await client.send({ path: '/tags', query: { limit: MAX_LIST }, what: 'tags' })).data;
  const ids: { id: string }[] = [];
  for (const name of new Set(names)) {
    const there = known.find((tag) => tag.name === name);
    const tag =
      there ?? (await client.send({ method: 'POST', path: '/tags', body: { name }, what: `the tag ${name}` }));
    ids.push({ id: String(isObject(tag) ? tag.id : '') });
  }
  const set = await client.send({
    method: 'PUT',
    path: `/workflows/${segment(id)}/tags`,
    body: ids,
    what: `the tags of workflow ${id}`,
  });
  return { id, tags: (Array.isArray(set) ? set : []).filter(isObject).map(({ name }) => String(name)) };
}

function text(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
