import { setTimeout as sleep } from 'node:timers/promises';
import { outgoingFetch } from '@toolwright/connectors/internal';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { OWN_CONNECTION } from '../../instances/client.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { DEFAULT_RUN_TIMEOUT_MS, MAX_RUN_TIMEOUT_MS } from '../../settings.ts';
import { toBody } from '../body.ts';
import { fetchWorkflow, type Instance, segment } from '../instance.ts';
import { pageOf } from '../page.ts';
import { refuseCycles, typesOf } from '../remote.ts';
import { type Execution, executionSummary } from './execution.ts';
import { findTriggerEndpoint, type TriggerEndpoint } from './trigger-endpoint.ts';

/** Options of an execution. */
export interface RunOptions {
  /** Maximum wait in milliseconds. Default: 30,000, at most 300,000. The execution itself continues. */
  readonly timeoutMs?: number | undefined;
  /** Name or kind (`webhook`, `form`, `chat`) of the trigger. Default: the first callable trigger. */
  readonly via?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of an execution. */
export interface Run extends Omit<Execution, 'id'> {
  readonly executionId: string;
  /** The response of the workflow to its caller, if any. */
  readonly output?: unknown;
}

const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 2_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const LISTED = 250;
const FINISHED = new Set(['success', 'error', 'crashed', 'canceled']);

/**
 * Runs a published workflow by its webhook, form or chat trigger, because n8n's API has no endpoint for it, and waits for the
 * execution. It calls URLs of the instance only. Raises `NOT_ALLOWED`, `TOOL_FAILED` and `TOOL_TIMEOUT`.
 */
export async function executeWorkflow(
  instance: Instance,
  id: string,
  input: unknown,
  options: RunOptions = {},
): Promise<Run> {
  instance.policyCheck.action('execute', id);
  const workflow = await fetchWorkflow(instance, id, options.signal);
  instance.policyCheck.nodes(typesOf(toBody(workflow, instance.catalog)));
  if (workflow.active !== true) {
    const message = `Workflow ${id} is not published, and n8n runs only published workflows. Call activateWorkflow first.`;
    throw new ToolwrightError('TOOL_FAILED', message);
  }
  refuseCycles(workflow, instance.catalog);
  const endpoint = findTriggerEndpoint(workflow, instance.client.url, options.via);
  const timeoutMs = Math.min(options.timeoutMs ?? DEFAULT_RUN_TIMEOUT_MS, MAX_RUN_TIMEOUT_MS);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    const before = await latestId(instance, id, signal);
    const { status, output } = await call(endpoint, input, signal);
    const execution = await waitFor(instance, id, before, signal, status);
    const { id: executionId, ...rest } = execution;
    return { executionId, ...rest, output };
  } catch (error) {
    if (!timeout.aborted) throw error;
    const message = `Workflow ${id} did not finish within ${timeoutMs} ms; it may still run. Check with listExecutions, or raise timeoutMs (at most ${MAX_RUN_TIMEOUT_MS}).`;
    throw new ToolwrightError('TOOL_TIMEOUT', message, { cause: error });
  }
}

async function latestId(instance: Instance, workflowId: string, signal: AbortSignal): Promise<number> {
  const [latest] = await list(instance, workflowId, 1, signal);
  return latest === undefined ? 0 : Number(latest.id);
}

/** Returns the id of an execution that has not finished; undefined without one. n8n lists such ones by their status only. */
export async function unfinishedId({ client }: Instance, workflowId: string): Promise<string | undefined> {
  for (const status of ['running', 'waiting']) {
    const query = { workflowId, status, limit: 1 };
    const [first] = pageOf(await client.send({ path: '/executions', query, what: 'executions' })).data;
    if (first !== undefined) return String(first.id);
  }
  return undefined;
}

async function list(
  { client }: Instance,
  workflowId: string,
  limit: number,
  signal: AbortSignal,
): Promise<JsonObject[]> {
  const answer = await client.send({ path: '/executions', query: { workflowId, limit }, what: 'executions', signal });
  return isObject(answer) && Array.isArray(answer.data) ? answer.data.filter(isObject) : [];
}

async function call(
  { url, init }: TriggerEndpoint,
  input: unknown,
  signal: AbortSignal,
): Promise<{ status: number; output?: unknown }> {
  let answer: Response;
  try {
    const { address, ...request } = init(input);
    const headers = { ...request.headers, ...OWN_CONNECTION };
    answer = await outgoingFetch(address ?? url, { ...request, headers, redirect: 'manual', signal });
  } catch (error) {
    if (signal.aborted) throw error;
    const why = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
    throw new ToolwrightError(
      'UPSTREAM_UNAVAILABLE',
      `${url} does not answer: ${why}. Start n8n, or correct n8n.url.`,
      { cause: error },
    );
  }
  const text = await answer.text();
  if (answer.status === 404) {
    const message = `n8n has no trigger at ${url}: ${text.slice(0, 300)} Deactivate the workflow and activate it again.`;
    throw new ToolwrightError('TOOL_FAILED', message, { details: { status: 404 } });
  }
  if (answer.status === 401 || answer.status === 403) {
    const message = `The trigger at ${url} requires its own credentials (HTTP ${answer.status}). Toolwright cannot send them: use a trigger without authentication.`;
    throw new ToolwrightError('ACCESS_DENIED', message);
  }
  return { status: answer.status, output: text === '' ? undefined : readOutput(text) };
}

function readOutput(text: string): unknown {
  const kept = text.length > MAX_OUTPUT_BYTES ? `${text.slice(0, MAX_OUTPUT_BYTES)}…` : text;
  try {
    return JSON.parse(kept);
  } catch {
    return kept;
  }
}

/** Polls until an execution newer than `before` has finished. */
async function waitFor(
  instance: Instance,
  workflowId: string,
  before: number,
  signal: AbortSignal,
  status: number,
): Promise<Execution> {
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(MAX_POLL_MS, pause * 1.6)) {
    const listed = await list(instance, workflowId, LISTED, signal);
    // A sub-workflow in a parameter has executions of the same workflow, which finish before the one that calls it.
    const newer = listed.filter(({ id, mode }) => Number(id) > before && mode !== 'integrated');
    const run = newer.at(-1);
    if (run && FINISHED.has(String(run.status))) return readExecution(instance, String(run.id), signal);
    // A rejected call starts no execution.
    if (!run && status >= 400 && status !== 500) {
      throw new ToolwrightError(
        'TOOL_FAILED',
        `The trigger of workflow ${workflowId} returned HTTP ${status} and started no execution. Check the input and the trigger's settings.`,
      );
    }
    await sleep(pause, undefined, { signal });
  }
}

/** Returns one execution with its data. */
export async function readExecution(instance: Instance, id: string, signal?: AbortSignal): Promise<Execution> {
  return executionSummary(await fetchExecution(instance, id, signal));
}

/** Fetches one execution from the API. */
export async function fetchExecution({ client }: Instance, id: string, signal?: AbortSignal): Promise<JsonObject> {
  const path = `/executions/${segment(id)}`;
  const found = await client.send({ path, query: { includeData: true }, what: `execution ${id}`, signal });
  if (isObject(found)) return found;
  throw new ToolwrightError(
    'UPSTREAM_PROTOCOL',
    `n8n's response for execution ${id} is not an execution. Check that n8n.url is the address of n8n itself.`,
  );
}
