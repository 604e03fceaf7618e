import { ToolwrightError } from '@toolwright/core/errors';
import { isObject, type JsonObject } from '../../json.ts';
import { DEFAULT_RUN_TIMEOUT_MS } from '../../settings.ts';
import { workflowObject } from '../../validation/workflow.ts';
import { toBody, type WorkflowBody } from '../body.ts';
import { refuseMissingCredentials } from '../credentials.ts';
import type { Instance } from '../instance.ts';
import { refuseCycles, setActive, typesOf } from '../remote.ts';
import { createCopy, removeCopy, removeExpiredCopies, withNote } from './copies.ts';
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

/**
 * Runs a workflow on the instance as a temporary copy, and removes the copy. The copy of a workflow that does not finish in time
 * is removed too, and the result has the finished nodes. Copies that an ended process left are removed as well. Raises `NOT_ALLOWED`, `INVALID_ARGUMENTS`, and `TOOL_FAILED` when n8n
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
  await refuseMissingCredentials(instance, copy.body, signal);
  // The policy allows tests, and names no id of a copy.
  const own = { ...instance, policyCheck: { ...policyCheck, action: () => undefined, nodes: () => undefined } };
  const created = await createCopy(own, copy.body, signal);
  let run: TestRun;
  try {
    run = await runCopy(own, created.id, copy, { signal, timeoutMs });
  } catch (error) {
    const left = await removeCopy(own, created.id);
    throw left === undefined ? error : withNote(error, left);
  }
  const left = [await removeCopy(own, created.id), await removeExpiredCopies(own, created.createdAt)];
  const problems = [...(run.problems ?? []), ...left.filter((each) => each !== undefined)];
  return problems.length === 0 ? run : { ...run, problems };
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
