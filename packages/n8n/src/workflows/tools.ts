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
  optionalText,
  STRING,
  shapeOf,
  type ToolSpec,
  type ValueSchema,
} from '../tool.ts';
import { auditTools } from './audit/audit.ts';
import { storedBody } from './body.ts';
import { dataTableTools } from './data-tables.ts';
import { draftTools, WORKFLOW } from './drafts.ts';
import { diffOf } from './edits/diff.ts';
import { runTools } from './executions/run-tools.ts';
import { fetchWorkflow, type Instance } from './instance.ts';
import { instanceTools } from './instance-tools.ts';
import { ID, MAX_PAGE, pageOf } from './page.ts';
import { createWorkflow, deleteWorkflow, fetchVersion, restoreWorkflow, setActive, updateWorkflow } from './remote.ts';
import { structureOf, summaryOf } from './summary.ts';

/** Dependencies of the workflow tools. The client and the catalog are created on first use. */
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
const VERDICT_FIELDS = { publishable: BOOLEAN, problems: listOf(STRING), 'dropped?': listOf(STRING) } as const;
const SUMMARY = shapeOf(SUMMARY_FIELDS);
/** Each kind of operation has its own further keys. */
const OPERATION: ValueSchema = {
  type: 'object',
  properties: { op: STRING },
  required: ['op'],
  additionalProperties: true,
};
const CHANGES = shapeOf({ 'added?': listOf(STRING), 'changed?': listOf(STRING), 'removed?': listOf(STRING) });
const DEFAULT_LIST = 20;

/** Returns the tools of the server `n8n-workflows`. */
export function workflowTools(parts: WorkflowParts): Record<string, InlineTool> {
  const instance = (): Instance => ({
    client: parts.client(),
    policyCheck: parts.policyCheck,
    catalog: parts.catalog(),
  });
  const specs = {
    ...draftTools(parts.catalog),
    ...storedWorkflowTools(instance),
    ...instanceTools(instance),
    ...dataTableTools(instance),
    ...auditTools(instance),
    ...runTools(instance),
  };
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, makeTool(name, spec)]));
}

/** Returns the tools that read, change, publish and delete the workflows of the instance. */
function storedWorkflowTools(instance: () => Instance): Record<string, ToolSpec> {
  return { ...editTools(instance), ...versionTools(instance), ...publishTools(instance) };
}

function editTools(instance: () => Instance): Record<string, ToolSpec> {
  return {
    createWorkflow: {
      description:
        'Creates an inactive workflow on the n8n instance and reads it back. Lists problems that keep n8n from publishing it, and values that n8n did not accept (dropped).',
      parameters: { workflow: WORKFLOW },
      subject: 'workflow',
      returns: shapeOf({ ...SUMMARY_FIELDS, ...VERDICT_FIELDS }),
      effect: 'write',
      run: ({ workflow }, caller) => createWorkflow(instance(), workflow, caller),
    },
    getWorkflow: {
      description:
        'Reads a workflow of the n8n instance: a summary, its structure (nodes and connections), in full, or its changes since a version.',
      parameters: { id: ID },
      required: ['id'],
      options: { mode: choiceOf('summary', 'structure', 'full', 'changes'), versionId: STRING },
      returns: shapeOf({
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
        'pinData?': { type: 'object' },
        'changes?': CHANGES,
      }),
      async run({ id, mode = 'summary', versionId }, { signal }) {
        const workflow = await fetchWorkflow(instance(), String(id), signal);
        if (mode === 'changes') return changesSince(instance(), workflow, optionalText(versionId));
        if (versionId !== undefined)
          throw new ToolwrightError(
            'INVALID_ARGUMENTS',
            'versionId is for the mode "changes". Use restoreWorkflow to return to a version.',
          );
        return shownAs(workflow, String(mode), instance().catalog);
      },
    },
    listWorkflows: {
      description: 'Lists workflows of the n8n instance, with a summary of each.',
      parameters: {},
      options: { name: STRING, active: BOOLEAN, tags: STRING, limit: NUMBER, cursor: STRING },
      returns: shapeOf({ workflows: listOf(SUMMARY), 'nextCursor?': STRING }),
      run: (args, { signal }) => listWorkflows(instance(), args, signal),
    },
    updateWorkflow: {
      description:
        'Changes a workflow by operations, all or none, and returns the changes: addNode {node, after?}, updateNode {name, parameters?, set?}, ' +
        'replaceNode {name, node} (keeps connections), replaceText {name, path, find, replace}, removeNode, renameNode {name, to}, moveNode {name, after | position}, upgradeNode {name, version?}, connect/disconnect {from, output?, to, input?}, enableNode, disableNode, rename {name}, settings {settings}. ' +
        'With versionId it fails if the stored version differs.',
      parameters: { id: ID, operations: listOf(OPERATION) },
      required: ['id', 'operations'],
      options: { versionId: STRING },
      returns: shapeOf({ ...SUMMARY_FIELDS, changes: CHANGES, ...VERDICT_FIELDS }),
      effect: 'write',
      run: ({ id, operations, versionId }, caller) =>
        updateWorkflow(
          instance(),
          String(id),
          { operations: listArgument(operations, 'operations'), versionId: optionalText(versionId) },
          caller,
        ),
    },
    deleteWorkflow: {
      description: 'Deletes a workflow of the n8n instance.',
      parameters: { id: ID },
      required: ['id'],
      returns: shapeOf({ id: STRING, deleted: BOOLEAN }),
      effect: 'delete',
      run: ({ id }) => deleteWorkflow(instance(), String(id)),
    },
  };
}

function versionTools(instance: () => Instance): Record<string, ToolSpec> {
  return {
    restoreWorkflow: {
      description: 'Gives a workflow the nodes and connections of an earlier version, and returns the changes.',
      parameters: { id: ID, versionId: STRING },
      required: ['id', 'versionId'],
      returns: shapeOf({ ...SUMMARY_FIELDS, changes: CHANGES, ...VERDICT_FIELDS }),
      effect: 'write',
      run: ({ id, versionId }, caller) => restoreWorkflow(instance(), String(id), String(versionId), caller),
    },
  };
}

function publishTools(instance: () => Instance): Record<string, ToolSpec> {
  return {
    activateWorkflow: {
      description: 'Publishes a workflow, so that its triggers start it.',
      parameters: { id: ID },
      required: ['id'],
      returns: SUMMARY,
      effect: 'write',
      run: ({ id }) => setActive(instance(), String(id), true),
    },
    deactivateWorkflow: {
      description: 'Unpublishes a workflow: its triggers no longer start it.',
      parameters: { id: ID },
      required: ['id'],
      returns: SUMMARY,
      effect: 'write',
      run: ({ id }) => setActive(instance(), String(id), false),
    },
  };
}

async function listWorkflows(
  { client }: Instance,
  { name, active, tags, limit, cursor }: JsonObject,
  signal: AbortSignal | undefined,
): Promise<{ workflows: object[]; nextCursor?: string }> {
  const query = {
    name: optionalText(name),
    active: active === undefined ? undefined : active === true,
    tags: optionalText(tags),
    limit: numberArgument(limit, DEFAULT_LIST, MAX_PAGE),
    cursor: optionalText(cursor),
    excludePinnedData: true,
  };
  const { data, nextCursor } = pageOf(await client.send({ path: '/workflows', query, what: 'workflows', signal }));
  return { workflows: data.map(summaryOf), nextCursor };
}

async function changesSince(instance: Instance, workflow: JsonObject, versionId: string | undefined): Promise<object> {
  if (versionId === undefined)
    throw new ToolwrightError(
      'INVALID_ARGUMENTS',
      'The mode "changes" requires a versionId, as createWorkflow and updateWorkflow return it.',
    );
  const { id, name, active, versionId: now } = summaryOf(workflow);
  const { nodes, connections } = await fetchVersion(instance, id, versionId);
  const before = storedBody({ ...workflow, nodes, connections });
  return { id, name, active, versionId: now, changes: diffOf(before, storedBody(workflow), instance.catalog) };
}

function shownAs(workflow: JsonObject, mode: string, catalog: NodeCatalog): unknown {
  if (mode === 'full') {
    const { id, active, versionId, pinData } = workflow;
    return { id, active, versionId, ...storedBody(workflow), pinData: isObject(pinData) ? pinData : undefined };
  }
  if (mode === 'structure') {
    const { id, name, active, versionId } = summaryOf(workflow);
    return { id, name, active, versionId, ...structureOf(workflow, catalog) };
  }
  if (mode === 'summary') return summaryOf(workflow);
  throw new ToolwrightError(
    'INVALID_ARGUMENTS',
    `Mode "${mode}" does not exist. Use summary, structure, full or changes.`,
  );
}
