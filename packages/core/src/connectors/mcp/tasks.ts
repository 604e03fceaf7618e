import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { ToolwrightError } from '../../errors.ts';
import type { CallResult } from './call-result.ts';
import { excerpt } from './excerpt.ts';

/** The declaration of the tasks extension, version 2026-07-28, in the capabilities of a client. */
export const TASKS_EXTENSION = { 'io.modelcontextprotocol/tasks': {} } as const;

/** Milliseconds between two polls: default, least and most. */
const POLL_MS = { byDefault: 1_000, least: 100, most: 5 * 60 * 1_000 } as const;
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
  result: z.looseObject({}).optional(),
  error: z.looseObject({ message: z.string() }).optional().catch(undefined),
});

type Task = z.infer<typeof taskSchema>;

/**
 * Lets results that are tasks pass the SDK, which rejects them. Call it after the client has connected: the SDK sets the
 * handler of the transport then.
 */
export function acceptTasks(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message: JSONRPCMessage, extra) => onmessage?.(withMark(message), extra);
}

function withMark(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || Object(message.result).resultType !== 'task') return message;
  const { _meta, ...task } = message.result as Record<string, unknown>;
  const result = { resultType: 'complete', content: [], _meta: { [MARK]: task } };
  return { ...message, result } as JSONRPCMessage;
}

/** A call whose result may be a task, and how its server is asked. */
export interface TaskOptions {
  readonly server: string;
  readonly tool: string;
  /** Returns the connection of now. It may be another one than that of the call. */
  readonly client: () => Promise<Client>;
  readonly signal?: AbortSignal | undefined;
  /** Receives the state of a task that works. */
  readonly onStatus?: ((message: string) => void) | undefined;
}

/**
 * Returns the result of a call. A task is polled at the pace of the server until its end (Tasks extension: Task Polling). An
 * aborted signal cancels the task. Raises `TOOL_FAILED` for a task that failed, was cancelled or needs input. Raises
 * `UPSTREAM_UNAVAILABLE` after five failed polls in a row, and `UPSTREAM_PROTOCOL` for an invalid task.
 */
export async function finishTask(result: CallResult, options: TaskOptions): Promise<CallResult> {
  const created = Object(result._meta)[MARK];
  if (created === undefined) return result;
  let task = read(created, options);
  const startedMs = performance.now();
  let failures = 0;
  while (task.status === 'working') {
    if (task.statusMessage !== undefined) options.onStatus?.(task.statusMessage);
    if (performance.now() - startedMs > (task.ttlMs ?? Number.POSITIVE_INFINITY) + GRACE_MS) {
      throw failed(options, `the lifetime of its task (${task.ttlMs} ms) ended without a result`);
    }
    try {
      await sleep(pauseMs(task, failures), undefined, options.signal ? { signal: options.signal } : {});
      task = read(await poll(task.taskId, options), options);
      failures = 0;
    } catch (error) {
      if (options.signal?.aborted) {
        await cancel(task.taskId, options);
        throw error;
      }
      if (error instanceof ToolwrightError && error.code === 'UPSTREAM_PROTOCOL') throw error;
      if (isRefusal(error)) throw error;
      if (++failures >= MAX_FAILED_POLLS) throw lost(options);
    }
  }
  return ended(task, options);
}

async function ended(task: Task, options: TaskOptions): Promise<CallResult> {
  if (task.status === 'completed' && task.result !== undefined) return task.result as CallResult;
  if (task.status === 'failed')
    throw failed(options, excerpt(task.error?.message ?? task.statusMessage ?? 'it failed'));
  if (task.status === 'cancelled') throw failed(options, 'its server cancelled the task');
  if (task.status === 'input_required') {
    await cancel(task.taskId, options);
    throw failed(options, 'its task needs an answer of a person, and nobody can be asked. The task was cancelled');
  }
  throw invalid(options);
}

async function poll(taskId: string, { client, signal }: TaskOptions): Promise<unknown> {
  const request = { method: 'tasks/get', params: { taskId } };
  return (await client()).request(request as never, z.looseObject({}) as never, {
    timeout: POLL_TIMEOUT_MS,
    ...(signal ? { signal } : {}),
  });
}

/** Asks the server to cancel a task. It need not do so, and the caller does not wait for it. */
async function cancel(taskId: string, { client }: TaskOptions): Promise<void> {
  const request = { method: 'tasks/cancel', params: { taskId } };
  const sent = client().then((current) =>
    current.request(request as never, z.looseObject({}) as never, { timeout: CANCEL_TIMEOUT_MS }),
  );
  await sent.catch(() => undefined);
}

/** Errors of the protocol mean that the server does not know the task. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ProtocolError';
}

function pauseMs({ pollIntervalMs = POLL_MS.byDefault }: Task, failures: number): number {
  return Math.min(Math.max(pollIntervalMs, POLL_MS.least) * 2 ** failures, POLL_MS.most);
}

function read(raw: unknown, options: TaskOptions): Task {
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
