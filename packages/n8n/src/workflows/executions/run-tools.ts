import { ToolwrightError } from '@toolwright/core/errors';
import { isObject, type JsonObject } from '../../json.ts';
import { MAX_RUN_TIMEOUT_MS } from '../../settings.ts';
import {
  BOOLEAN,
  choiceOf,
  listOf,
  NUMBER,
  numberArgument,
  objectArgument,
  STRING,
  shapeOf,
  type ToolSpec,
  type ValueSchema,
} from '../../tool.ts';
import { toBody } from '../body.ts';
import { WORKFLOW } from '../drafts.ts';
import { fetchWorkflow, type Instance, segment } from '../instance.ts';
import { ID, MAX_PAGE, pageOf } from '../page.ts';
import { refuseCycles, typesOf } from '../remote.ts';
import { executionSummary, nodeItems } from './execution.ts';
import { executeWorkflow, fetchExecution } from './runs.ts';
import { testWorkflow } from './test-run.ts';

const NODE_RUN = shapeOf({ name: STRING, items: NUMBER, 'ms?': NUMBER, 'error?': STRING });
const ERROR = shapeOf({ 'node?': STRING, message: STRING, 'hint?': STRING, 'cause?': STRING });
const NODE_ITEMS = shapeOf({ name: STRING, run: NUMBER, items: listOf(listOf({})), 'ms?': NUMBER, 'error?': STRING });
const TEST_RUN = shapeOf({
  status: STRING,
  'durationMs?': NUMBER,
  trigger: STRING,
  'output?': {},
  'error?': ERROR,
  nodes: listOf(NODE_ITEMS),
  notRun: listOf(STRING),
  'problems?': listOf(STRING),
});
const RUN: ValueSchema = shapeOf({
  executionId: STRING,
  status: STRING,
  'startedAt?': STRING,
  'durationMs?': NUMBER,
  'output?': {},
  'error?': ERROR,
  nodes: listOf(NODE_RUN),
});
const EXECUTION = shapeOf({
  id: STRING,
  'workflowId?': STRING,
  status: STRING,
  'mode?': STRING,
  'startedAt?': STRING,
  'durationMs?': NUMBER,
  'error?': ERROR,
  'nodes?': listOf(NODE_RUN),
  'node?': STRING,
  'items?': listOf(listOf({})),
  'runs?': listOf(NODE_ITEMS),
  'data?': { type: 'object' },
});
const DEFAULT_LIST = 10;
const STATUSES = ['error', 'success', 'waiting', 'running', 'canceled'];

/** Returns the tools that run workflows and read executions. */
export function runTools(instance: () => Instance): Record<string, ToolSpec> {
  return {
    executeWorkflow: {
      description:
        'Runs a published n8n workflow by its webhook, form or chat trigger, waits, and returns its answer and the result of each node.',
      parameters: { id: ID, input: {} },
      required: ['id'],
      options: { timeoutMs: NUMBER, via: STRING },
      returns: RUN,
      effect: 'write',
      run: ({ id, input, timeoutMs, via }, { signal }) =>
        executeWorkflow(instance(), String(id), readInput(input), {
          timeoutMs: timeoutMs === undefined ? undefined : numberArgument(timeoutMs, 0, MAX_RUN_TIMEOUT_MS),
          via: via === undefined ? undefined : String(via),
          signal,
        }),
    },
    testWorkflow: {
      description:
        'Runs a draft on the n8n instance as a temporary copy, and returns the items of each node. Nodes in pinData ({node: [item]}) return these items and do not run; all others do, with their effects.',
      parameters: { workflow: WORKFLOW },
      subject: 'workflow',
      options: { input: {}, pinData: { type: 'object' }, via: STRING, timeoutMs: NUMBER },
      returns: TEST_RUN,
      effect: 'write',
      run: ({ workflow, input, pinData, timeoutMs, via }, { signal }) =>
        testWorkflow(instance(), workflow, {
          input: readInput(input),
          pinData,
          timeoutMs: timeoutMs === undefined ? undefined : numberArgument(timeoutMs, 0, MAX_RUN_TIMEOUT_MS),
          via: via === undefined ? undefined : String(via),
          signal,
        }),
    },
    getExecution: {
      description:
        'Reads one execution of a workflow: a summary, its error only, the items of one node in all its runs, or everything.',
      parameters: { id: ID },
      required: ['id'],
      options: { mode: choiceOf('summary', 'errors', 'node', 'full'), node: STRING },
      returns: EXECUTION,
      run: ({ id, mode = 'summary', node }, { signal }) =>
        readExecution(instance(), String(id), { mode: String(mode), node, signal }),
    },
    listExecutions: {
      description: 'Lists executions of workflows, newest first.',
      parameters: {},
      options: { workflowId: ID, status: choiceOf(...STATUSES), limit: NUMBER, cursor: STRING },
      returns: shapeOf({ executions: listOf(EXECUTION), 'nextCursor?': STRING }),
      run: (args, { signal }) => listExecutions(instance(), args, signal),
    },
    retryExecution: {
      description: 'Retries a failed execution from the failed node; with loadWorkflow, it uses the current workflow.',
      parameters: { id: ID },
      required: ['id'],
      options: { loadWorkflow: BOOLEAN },
      returns: EXECUTION,
      effect: 'write',
      run: ({ id, loadWorkflow }, { signal }) => retryExecution(instance(), String(id), loadWorkflow === true, signal),
    },
  };
}

async function readExecution(
  instance: Instance,
  id: string,
  { mode, node, signal }: { readonly mode: string; readonly node: unknown; readonly signal: AbortSignal | undefined },
): Promise<unknown> {
  const raw = await fetchExecution(instance, id, signal);
  if (mode === 'full') return raw;
  const summary = executionSummary(raw);
  if (mode === 'errors') {
    const { status, error, nodes } = summary;
    return { id: summary.id, status, error, nodes: nodes.filter((each) => each.error) };
  }
  if (mode !== 'node' && node === undefined) return summary;
  const names = summary.nodes.map(({ name }) => name);
  if (!names.includes(String(node))) {
    throw new ToolwrightError(
      'INVALID_ARGUMENTS',
      `Node "${node}" did not run in execution ${id}. Use one of the nodes that ran: ${names.join(', ')}.`,
    );
  }
  const runs = nodeItems(raw).filter(({ name }) => name === node);
  const items = runs.at(-1)?.items;
  // A node of a loop has several runs. One run is not returned twice.
  return { id: summary.id, status: summary.status, node, items, runs: runs.length > 1 ? runs : undefined };
}

async function listExecutions(
  { client }: Instance,
  { workflowId, status, limit, cursor }: JsonObject,
  signal: AbortSignal | undefined,
): Promise<{ executions: object[]; nextCursor?: string }> {
  const answer = await client.send({
    path: '/executions',
    query: {
      workflowId: workflowId === undefined ? undefined : String(workflowId),
      status: status === undefined ? undefined : String(status),
      limit: numberArgument(limit, DEFAULT_LIST, MAX_PAGE),
      cursor: cursor === undefined ? undefined : String(cursor),
    },
    what: 'executions',
    signal,
  });
  const { data, nextCursor } = pageOf(answer);
  const executions = data.map((raw) => {
    const { nodes: _nodes, ...summary } = executionSummary(raw);
    return summary;
  });
  return { executions, nextCursor };
}

async function retryExecution(
  instance: Instance,
  id: string,
  loadWorkflow: boolean,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { client, policyCheck, catalog } = instance;
  const before = await fetchExecution(instance, id, signal);
  policyCheck.action('execute', String(before.workflowId));
  const isCurrent = loadWorkflow || !isObject(before.workflowData);
  const workflow = isCurrent
    ? await fetchWorkflow(instance, String(before.workflowId), signal)
    : (before.workflowData as JsonObject);
  policyCheck.nodes(typesOf(toBody(workflow, catalog)));
  refuseCycles(workflow, catalog);
  const answer = await client.send({
    method: 'POST',
    path: `/executions/${segment(id)}/retry`,
    what: `the retry of execution ${id}`,
    body: { loadWorkflow: isCurrent },
    signal,
  });
  return executionSummary(isObject(answer) ? answer : {});
}

/** Parses text that holds a JSON object; returns every other input unchanged. */
function readInput(input: unknown): unknown {
  return typeof input === 'string' && /^\s*\{/.test(input) ? objectArgument(input, 'input') : input;
}
