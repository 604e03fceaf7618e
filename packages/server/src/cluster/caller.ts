import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { inSpan, traceFields } from '@toolwright/connectors/internal';
import {
  type ApprovalRequest,
  type Executions,
  type Logger,
  type OnApproval,
  type PendingQuestion,
  type ResumeOptions,
  ToolwrightError,
} from '@toolwright/core';
import type { LogLine } from '@toolwright/sandbox';
import type { WorkQueue, WorkState } from '../queue/queue.ts';
import type { Channel, WorkEvent } from './channel.ts';
import type { Dispatcher } from './dispatchers/dispatcher.ts';
import type { Follower } from './follower.ts';
import { type ExecutionRequest, resultValue, type WorkMethod } from './requests.ts';

export interface CallerParts {
  readonly queue: WorkQueue;
  readonly dispatcher: Pick<Dispatcher, 'notify'>;
  readonly channel: Channel;
  readonly follower: Follower;
  /** Reads questions, and stores decisions. */
  readonly executions: Pick<Executions, 'questions' | 'decide'>;
  readonly logger: Pick<Logger, 'error'>;
}

/** Work for a worker. */
export interface RemoteWork {
  readonly id: string;
  readonly method: WorkMethod;
  readonly user: string;
  readonly session?: string | undefined;
  readonly priority?: number | undefined;
}

export interface CallerOptions extends Omit<ResumeOptions, 'userId' | 'canSample'> {
  /** Called when the row is stored: the work is done then, also if this process ends. */
  readonly onStart?: ((executionId: string) => void) | undefined;
}

/** Runs methods on workers. */
export interface Caller {
  /** Submits work and waits for its result. Raises the errors of the method, and `CANCELLED` for work that no worker had begun. */
  run<T>(work: RemoteWork, options?: CallerOptions): Promise<T>;
  /** Like `run`, for work that may exist: makes it ready again. Raises `EXECUTION_RUNNING` while it is ready or runs. */
  rerun<T>(work: RemoteWork, options?: CallerOptions): Promise<T>;
  /** Asks for the end of work, wherever it is. Returns as `WorkQueue.cancel`. */
  cancel(id: string, user: string): Promise<WorkState | 'cancelled' | undefined>;
}

/** Milliseconds between two attempts to cancel while the storage does not answer. */
const CANCEL_RETRY_MS = 500;

/** Creates the caller of a process. */
export function createCaller(parts: CallerParts): Caller {
  const { queue, dispatcher, channel } = parts;
  const cancel = async (id: string, user: string) => {
    const state = await queue.cancel(id, user);
    if (state === 'running') channel.cancel(id);
    if (state === 'waiting' || state === 'ready') dispatcher.notify([{ id }]);
    return state;
  };
  const call = async <T>(
    work: RemoteWork,
    options: CallerOptions,
    { isNew, submit }: { isNew: boolean; submit(request: ExecutionRequest): Promise<void> },
  ) => {
    const { id, method, user } = work;
    const { signal, onLog, onProgress, onCall, onApproval, onStart, beforeCall } = options;
    if (signal?.aborted) throw new ToolwrightError('CANCELLED', 'The execution was cancelled before it started.');
    beforeCall?.();
    const answer = onApproval && createAnswering({ id, user, onApproval, ...parts });
    const following = parts.follower.follow(id, {
      isNew,
      onEvent: (event) => deliver(event, options, answer),
      onAsked: () => answer?.(),
    });
    const abort = () => cancelUntilDone(() => cancel(id, user));
    try {
      const listens = { log: !!onLog, progress: !!onProgress, call: !!onCall, question: !!onApproval };
      await submit({ ...method, user, replyTo: channel.address, listens, trace: traceFields() });
      dispatcher.notify([{ id }]);
      const outcome = following.outcome();
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
      notifyOf(onStart, id);
      return resultValue(await outcome) as T;
    } finally {
      signal?.removeEventListener('abort', abort);
      following.end();
    }
  };
  const inDispatchSpan = <T>({ id, method }: RemoteWork, work: () => Promise<T>) => {
    const attributes = { 'toolwright.execution.id': id, 'toolwright.work.method': method.run };
    return inSpan(`dispatch ${method.run}`, { kind: SpanKind.PRODUCER, attributes }, work);
  };
  return {
    run: (work, options = {}) =>
      inDispatchSpan(work, () =>
        call(work, options, { isNew: true, submit: (request) => submitOnce(queue, work, request) }),
      ),
    rerun: (work, options = {}) =>
      inDispatchSpan(work, () =>
        call(work, options, { isNew: false, submit: (request) => submitAgain(queue, work, request) }),
      ),
    cancel,
  };
}

/** The first attempt may have stored the row although its answer was lost: the id makes the second one harmless. */
async function submitOnce(queue: WorkQueue, work: RemoteWork, request: ExecutionRequest): Promise<void> {
  const { id, user, session, priority } = work;
  const submission = { id, kind: 'execution' as const, user, session, priority, request };
  const isUnavailable = (error: unknown) => error instanceof ToolwrightError && error.code === 'STORE_UNAVAILABLE';
  const isNew = await queue.submit(submission).catch(async (error: unknown) => {
    if (!isUnavailable(error)) throw error;
    return (await queue.submit(submission)) || 'repeated';
  });
  if (isNew === true || isNew === 'repeated') return;
  const message = `execute: the id ${id} is that of another execution. Pass a new UUID, or none.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

async function submitAgain(queue: WorkQueue, work: RemoteWork, request: ExecutionRequest): Promise<void> {
  const { id, user, session, priority } = work;
  const reopen = () => queue.reopen(id, user, request, priority);
  let state = await reopen();
  if (state === undefined) {
    if (await queue.submit({ id, kind: 'execution', user, session, priority, request })) return;
    state = await reopen();
  }
  if (state === 'waiting' || state === 'ended') return;
  throw new ToolwrightError('EXECUTION_RUNNING', `Execution ${id} runs already, or waits for a worker.`);
}

function cancelUntilDone(cancel: () => Promise<unknown>): void {
  cancel().catch((error: unknown) => {
    // A closed queue does not come back.
    if (error instanceof ToolwrightError && error.code === 'CLOSED') return;
    setTimeout(() => cancelUntilDone(cancel), CANCEL_RETRY_MS).unref();
  });
}

function deliver(event: WorkEvent, options: CallerOptions, answer: (() => void) | undefined): void {
  if (event.type === 'log') notifyOf(options.onLog, event.data as LogLine);
  if (event.type === 'progress') notifyOf(options.onProgress, event.data);
  if (event.type === 'call') notifyOf(options.onCall, event.data as { number: number; tool: string });
  if (event.type === 'question') answer?.();
}

/** Errors of listeners end nothing: the work goes on elsewhere. */
function notifyOf<T>(listener: ((value: T) => void) | undefined, value: T): void {
  try {
    listener?.(value);
  } catch {
    // The listener belongs to the caller, who has its stack.
  }
}

export interface AnsweringOptions {
  readonly id: string;
  readonly user: string;
  readonly onApproval: OnApproval;
  readonly executions: Pick<Executions, 'questions' | 'decide'>;
  readonly logger: Pick<Logger, 'error'>;
}

/** Looks for a new question: the journal may have it a moment after its report. */
const LOOKS = { most: 10, everyMs: 100 };
/** Codes of a decision that came too late: another person was faster, or the execution has ended. */
const LATE: ReadonlySet<string> = new Set(['ALREADY_DECIDED', 'EXECUTION_ENDED', 'QUESTION_CHANGED']);

/**
 * Returns a function that passes the new questions of an execution on a worker to the caller, and stores the decisions of the caller. An error
 * of the caller leaves a question open, and is logged.
 */
export function createAnswering({ id, user, onApproval, executions, logger }: AnsweringOptions): () => void {
  const seen = new Set<string>();
  const answer = async (request: ApprovalRequest) => {
    const { call, question, binding } = request;
    const given = await onApproval(request);
    if (!given || given === 'later') return;
    const which = { calls: [call], bindings: [binding], question };
    await executions.decide(id, { ...given, ...which, userId: user });
  };
  const failed = (err: unknown) => {
    if (err instanceof ToolwrightError && LATE.has(err.code)) return;
    logger.error({ err, executionId: id }, 'a question of an execution was not answered');
  };
  const look = async () => {
    for (let count = 0; count < LOOKS.most; count++) {
      const open = (await executions.questions(id, user)).filter((question) => !seen.has(keyOf(question)));
      for (const question of open) seen.add(keyOf(question));
      for (const request of await requestsOf(open)) void answer(request).catch(failed);
      if (open.length > 0) return;
      await sleep(LOOKS.everyMs);
    }
  };
  const requestsOf = async (open: readonly PendingQuestion[]): Promise<readonly ApprovalRequest[]> => {
    if (open.length === 0) return [];
    // Values that cannot be restored stay redacted.
    const real = await executions.questions(id, user, { arguments: 'real' }).catch(() => []);
    return open.map((question) => {
      const { arguments: args, details } = real.find((other) => keyOf(other) === keyOf(question)) ?? question;
      return {
        ...question,
        executionId: id,
        realArguments: args,
        realDetails: details,
      };
    });
  };
  return () => void look().catch(failed);
}

function keyOf({ call, question = 1, binding }: PendingQuestion): string {
  return `${call} ${question} ${binding}`;
}
