import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { isObject, type JsonObject } from '../../json.ts';
import { DEFAULT_RUN_TIMEOUT_MS } from '../../settings.ts';
import { workflowObject } from '../../validation/workflow.ts';
import { toBody, type WorkflowBody } from '../body.ts';
import { type Instance, segment } from '../instance.ts';
import { pageOf } from '../page.ts';
import { refuseCycles, setActive, typesOf } from '../remote.ts';
import { type Execution, executionSummary, type NodeItems, nodeItems } from './execution.ts';
import { executeWorkflow, fetchExecution, type RunOptions, unfinishedId } from './runs.ts';
import { type TestCopy, type TestData, testCopy } from './test-copy.ts';

/** The result of a test. */
export interface TestRun {
  readonly status: string;
  readonly durationMs?: number | undefined;
  /** The trigger that started the test. */
  readonly trigger: string;
  /** The response of the workflow to its caller, if any. */
  readonly output?: unknown;
  readonly error?: Execution['error'];
  /** Each run of each node, in the order of the execution. */
  readonly nodes: readonly NodeItems[];
  /** Enabled nodes that did not run. */
  readonly notRun: readonly string[];
  readonly problems?: readonly string[] | undefined;
}

/** The id for policies: `execute:test` allows tests only. */
const TEST = 'test';
const DELETE_ATTEMPTS = 3;
const DELETE_PAUSE_MS = 500;

/**
 * Runs a workflow on the instance as a temporary copy, and removes the copy. The copy of a workflow that does not finish in time
 * is removed too, and the result has the finished nodes. Raises `NOT_ALLOWED`, `INVALID_ARGUMENTS`, and `TOOL_FAILED` when n8n
 * refuses the copy.
 */
export async function testWorkflow(
  instance: Instance,
  workflow: unknown,
  { signal, timeoutMs = DEFAULT_RUN_TIMEOUT_MS, ...data }: RunOptions & Omit<TestData, 'timeoutMs'>,
): Promise<TestRun> {
  const { policyCheck, catalog } = instance;
  policyCheck.write('testWorkflow');
  policyCheck.action('activate', TEST);
  policyCheck.action('execute', TEST);
  const body = toBody(workflow, catalog);
  policyCheck.nodes(typesOf(body));
  const pinData = data.pinData ?? ownPins(workflow, body);
  const copy = testCopy(body, { ...data, pinData, timeoutMs }, catalog);
  refuseCycles({ ...copy.body }, catalog);
  // The policy allows tests, and names no id of a copy.
  const own = { ...instance, policyCheck: { ...policyCheck, action: () => undefined, nodes: () => undefined } };
  const id = await create(own, copy.body, signal);
  let run: TestRun;
  try {
    run = await runCopy(own, id, copy, { signal, timeoutMs });
  } catch (error) {
    const left = await remove(own, id);
    throw left === undefined ? error : withNote(error, left);
  }
  const left = await remove(own, id);
  return left === undefined ? run : { ...run, problems: [left] };
}

/** Returns the pinned data of an export. It may name nodes that were removed. */
function ownPins(workflow: unknown, { nodes }: WorkflowBody): JsonObject {
  const { pinData } = workflowObject(workflow);
  const names = new Set(nodes.map(({ name }) => name));
  return Object.fromEntries(Object.entries(isObject(pinData) ? pinData : {}).filter(([name]) => names.has(name)));
}

async function runCopy(instance: Instance, id: string, copy: TestCopy, options: RunOptions): Promise<TestRun> {
  await setActive(instance, id, true);
  let output: unknown;
  let problems: string[] | undefined;
  let executionId: string | undefined;
  try {
    const run = await executeWorkflow(instance, id, copy.input, options);
    executionId = run.executionId;
    output = copy.answers ? run.output : undefined;
  } catch (error) {
    const isLate = error instanceof ToolwrightError && error.code === 'TOOL_TIMEOUT';
    executionId = isLate ? await unfinishedId(instance, id) : undefined;
    if (executionId === undefined) throw error;
    problems = [`The test did not finish within ${options.timeoutMs} ms. Raise timeoutMs, or pin the node that waits.`];
  }
  const raw = await fetchExecution(instance, executionId, options.signal);
  return { ...resultOf(raw, copy), output, problems };
}

function resultOf(raw: JsonObject, { body, trigger, helper }: TestCopy): TestRun {
  const { status, durationMs, error } = executionSummary(raw);
  const nodes = nodeItems(raw).filter(({ name }) => name !== helper);
  const ran = new Set(nodes.map(({ name }) => name));
  const enabled = body.nodes.filter(({ disabled, name }) => disabled !== true && name !== helper);
  const notRun = enabled.map(({ name }) => String(name)).filter((name) => !ran.has(name));
  return { status, durationMs, trigger, error, nodes, notRun };
}

/** Creates the copy. If the answer of n8n is lost, the copy may exist, and is searched by its name. */
async function create(instance: Instance, body: WorkflowBody, signal: AbortSignal | undefined): Promise<string> {
  let created: unknown;
  try {
    created = await instance.client.send({
      method: 'POST',
      path: '/workflows',
      body,
      what: 'the copy for the test',
      signal,
    });
  } catch (error) {
    if (error instanceof ToolwrightError && typeof error.details.status === 'number') throw error;
    const left = await removeByName(instance, body.name);
    throw left === undefined ? error : withNote(error, left);
  }
  if (isObject(created) && typeof created.id === 'string') return created.id;
  throw new ToolwrightError(
    'UPSTREAM_PROTOCOL',
    `n8n's response to a new workflow has no id. Check that n8n.url is the address of n8n itself.`,
  );
}

/** Removes a copy. Returns the reason why it is left; undefined without one. The end of the call does not end the removal. */
async function remove({ client }: Instance, id: string): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send({ method: 'DELETE', path: `/workflows/${segment(id)}`, what: `the copy ${id}` });
      return undefined;
    } catch (error) {
      if (error instanceof ToolwrightError && error.details.status === 404) return undefined;
      if (attempt === DELETE_ATTEMPTS)
        return `The copy ${id} could not be removed: ${messageOf(error)} Delete the workflow ${id}.`;
      await sleep(DELETE_PAUSE_MS);
    }
  }
}

async function removeByName(instance: Instance, name: string): Promise<string | undefined> {
  try {
    const answer = await instance.client.send({ path: '/workflows', query: { name }, what: 'the copy for the test' });
    const copies = pageOf(answer).data.filter((workflow) => workflow.name === name);
    const left = await Promise.all(copies.map(({ id }) => remove(instance, String(id))));
    return left.find((each) => each !== undefined);
  } catch (error) {
    return `A workflow "${name}" may exist: ${messageOf(error)} Delete it.`;
  }
}

function withNote(error: unknown, note: string): ToolwrightError {
  const code = error instanceof ToolwrightError ? error.code : 'TOOL_FAILED';
  return new ToolwrightError(code, `${messageOf(error)} ${note}`, { cause: error });
}
