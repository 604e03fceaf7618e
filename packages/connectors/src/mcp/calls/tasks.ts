import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, JSONRPCMessage, JSONRPCResultResponse, Transport } from '@modelcontextprotocol/client';
import { unmarkIntegers } from '@toolwright/sandbox/internal';
import * as z from 'zod';
import { excerpt } from '../../content/excerpt.ts';
import { ToolwrightError } from '../../errors.ts';
import { isCallLeft, type TaskWait } from '../../input.ts';
import { type CallResult, readCallResult } from '../messages/call-results.ts';

/** The declaration of the tasks extension, version 2026-07-28, in the capabilities of a client. */
export const TASKS_EXTENSION = { 'io.modelcontextprotocol/tasks': {} } as const;

/** Milliseconds between two polls: default, least and most. */
const POLL_MS = { byDefault: 1_000, least: 100, most: 5 * 60 * 1_000 } as const;
/** The share of the time that a task has taken so far after which an execution without a sandbox looks at it again. */
const LOOK_SHARE = 0.5;
/** Failed polls in a row after which a task counts as lost. */
const MAX_FAILED_POLLS = 5;
/** Milliseconds after the lifetime of a task in which its server may still report its end. */
const GRACE_MS = 60_000;
const CANCEL_TIMEOUT_MS = 5_000;
const POLL_TIMEOUT_MS = 30_000;

/** Marks a result that is a task. A server cannot know it. */
const MARK = `toolwright/task/${randomUUID()}`;

const taskSchema = z.looseObject({
  taskId: z.string().min(1).max(10_000),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional().catch(undefined),
  ttlMs: z.number().nonnegative().nullish().catch(undefined),
  pollIntervalMs: z.number().optional().catch(undefined),
  inputRequests: z.record(z.string(), z.looseObject({ method: z.string() })).optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ message: z.string() }).optional().catch(undefined),
});

/** A task of a server, as it described it last. */
export type ServerTask = z.infer<typeof taskSchema>;

/**
 * Lets results that are tasks pass the SDK, which rejects them. Call it after the client has connected: the SDK sets the
 * handler of the transport then.
 */
export function acceptTasks(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message: JSONRPCMessage, extra) =>
    onmessage?.('result' in message && message.result.resultType === 'task' ? withMark(message) : message, extra);
}

function withMark(message: JSONRPCResultResponse): JSONRPCMessage {
  return { ...message, result: markedTask(message.result) } as JSONRPCMessage;
}

/** Returns a result that is a task in the form that {@link taskIn} reads. */
export function markedTask({
  _meta,
  ...task
}: object & { readonly _meta?: unknown }): Readonly<Record<string, unknown>> {
  return { resultType: 'complete', content: [], _meta: { [MARK]: task } };
}

/** The connection to the server of a task. */
export interface TaskConnection {
  /** Returns the connection of now. It may be another one than that of the call. */
  readonly client: () => Promise<Client>;
  /** Its signal is aborted when the call ends. */
  readonly clock?: { readonly signal: AbortSignal };
}

/** How the server of a task is asked. */
export interface TaskOptions extends TaskConnection {
  readonly server: string;
  readonly tool: string;
  /** Receives the state of a task that works. */
  readonly onStatus?: ((message: string) => void) | undefined;
  /** Called at the start of each wait for the task. Returns a function that ends it. */
  readonly onWait?: ((wait: TaskWait) => () => void) | undefined;
}

/** Returns the task that a server answered a call with, if it did. Raises `UPSTREAM_PROTOCOL` for an invalid one. */
export function taskIn(result: CallResult, options: TaskOptions): ServerTask | undefined {
  const created = Object(result._meta)[MARK];
  return created === undefined ? undefined : read(created, options);
}

/** A task that a call became. It is JSON data. */
export interface TaskState {
  readonly taskId: string;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  /** The keys of the questions that have answers. A server may still name them for a while. */
  readonly answered?: readonly string[];
}

/**
 * Polls a task at the pace of its server until it ends or asks something new (Tasks extension: Task Polling). `known` is its fresh state;
 * without it, the task is polled at once. An aborted signal cancels the task, except by `callLeft` and when the wait was released:
 * then somebody polls it later. Raises `UPSTREAM_UNAVAILABLE` after five failed polls in a row, and `UPSTREAM_PROTOCOL` for an invalid task.
 */
export async function pollTask(
  state: TaskState,
  known: ServerTask | undefined,
  options: TaskOptions,
): Promise<ServerTask> {
  let isReleased = false;
  let task = known;
  let failures = 0;
  const end = options.onWait?.({
    get untilMs() {
      return lookMs(state, task);
    },
    async release() {
      isReleased = true;
    },
  });
  try {
    while (task === undefined || isWorking(task, state)) {
      if (task?.statusMessage !== undefined) options.onStatus?.(task.statusMessage);
      requireLifetime(state, task, options);
      if (task || failures > 0) await pause(pauseMs(task, failures), options);
      try {
        task = read(await ask('tasks/get', { taskId: state.taskId }, options), options);
        failures = 0;
      } catch (error) {
        if (options.clock?.signal.aborted || isFinal(error)) throw error;
        if (++failures >= MAX_FAILED_POLLS) throw lost(options);
      }
    }
    return task;
  } catch (error) {
    if (!isReleased) await cancelEnded(state.taskId, options);
    throw error;
  } finally {
    end?.();
  }
}

/** Returns whether the server needs nothing. Answers that it has not used yet count as given. */
function isWorking({ status, inputRequests = {} }: ServerTask, { answered = [] }: TaskState): boolean {
  const isAsking = Object.keys(inputRequests).some((key) => !answered.includes(key));
  return status === 'working' || (status === 'input_required' && !isAsking);
}

function requireLifetime({ sinceMs }: TaskState, task: ServerTask | undefined, options: TaskOptions): void {
  const { ttlMs } = task ?? {};
  if (typeof ttlMs !== 'number' || Date.now() - sinceMs <= ttlMs + GRACE_MS) return;
  throw failed(options, `the lifetime of its task (${ttlMs} ms) ended without a result`);
}

/** Returns when an execution that waits without a sandbox looks at its task: the longer it has taken, the later. */
function lookMs({ sinceMs }: TaskState, task: ServerTask | undefined): number {
  const nowMs = Date.now();
  return nowMs + Math.min(Math.max(pauseMs(task, 0), (nowMs - sinceMs) * LOOK_SHARE), POLL_MS.most);
}

function pause(milliseconds: number, { clock }: TaskOptions): Promise<void> {
  const signal = clock?.signal;
  return sleep(milliseconds, undefined, { signal });
}

/** Returns the result of a task that has ended. Raises `TOOL_FAILED` for one that failed or was cancelled. */
export function resultOf(task: ServerTask, options: TaskOptions): CallResult {
  const { status, result, error, statusMessage } = task;
  if (status === 'completed' && result !== undefined) return readCallResult(unmarkIntegers(result), () => undefined);
  if (status === 'failed') throw failed(options, excerpt(error?.message ?? statusMessage ?? 'it failed'));
  if (status === 'cancelled') throw failed(options, 'its server cancelled the task');
  throw invalid(options);
}

/** Gives the answers to the questions of a task. */
export async function answerTask(taskId: string, inputResponses: object, options: TaskOptions): Promise<void> {
  await ask('tasks/update', { taskId, inputResponses }, options);
}

/** Cancels a task if its call has ended for good. */
export async function cancelEnded(taskId: string, options: TaskOptions): Promise<void> {
  if (options.clock?.signal.aborted && !isCallLeft(options.clock.signal.reason)) await cancelTask(taskId, options);
}

/** Asks the server to cancel a task. It need not do so, and the caller does not wait for it. */
export async function cancelTask(taskId: string, { client }: TaskConnection): Promise<void> {
  await ask('tasks/cancel', { taskId }, { client }, CANCEL_TIMEOUT_MS).catch(() => undefined);
}

async function ask(
  method: string,
  params: object,
  { client, clock }: TaskConnection,
  timeout: number = POLL_TIMEOUT_MS,
): Promise<unknown> {
  return (await client()).request({ method, params } as never, z.looseObject({}) as never, {
    timeout,
    signal: clock?.signal,
  });
}

/** Returns whether another poll cannot help: the task is invalid, or its server does not know it. */
function isFinal(error: unknown): boolean {
  const isInvalid = error instanceof ToolwrightError && error.code === 'UPSTREAM_PROTOCOL';
  return isInvalid || (error instanceof Error && error.name === 'ProtocolError');
}

function pauseMs(task: ServerTask | undefined, failures: number): number {
  const { pollIntervalMs = POLL_MS.byDefault } = task ?? {};
  return Math.min(Math.max(pollIntervalMs, POLL_MS.least) * 2 ** failures, POLL_MS.most);
}

function read(raw: unknown, options: TaskOptions): ServerTask {
  const parsed = taskSchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw invalid(options);
}

function invalid({ server, tool }: TaskOptions): ToolwrightError {
  return new ToolwrightError('UPSTREAM_PROTOCOL', `${server} answered the call of ${tool} with an invalid task.`);
}

function failed({ server, tool }: TaskOptions, reason: string): ToolwrightError {
  return new ToolwrightError('TOOL_FAILED', `${tool} failed: ${reason}.`, { details: { server, tool } });
}

function lost({ server, tool }: TaskOptions): ToolwrightError {
  const message = `${server} did not report the state of the task of ${tool} ${MAX_FAILED_POLLS} times in a row. The call may have taken effect, and was not repeated.`;
  return new ToolwrightError('UPSTREAM_UNAVAILABLE', message, { details: { server, tool } });
}
