import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { callerContext, inSpan } from '@toolwright/connectors/internal';
import {
  type ExecutionResult,
  type Logger,
  type ResumeOptions,
  type Toolwright,
  ToolwrightError,
} from '@toolwright/core';
import type { ClaimedWork, WorkQueue } from '../../queue/queue.ts';
import type { WorkEvent } from '../channel.ts';
import { type ExecutionRequest, failureOf, type WorkResult } from '../requests.ts';

/** How a run of some work ended. */
export type WorkEnd =
  | { readonly ended: WorkResult }
  | { readonly waits: { readonly delayMs: number; readonly result: WorkResult } }
  /** Another run goes on with it. */
  | { readonly released: { readonly delayMs?: number; readonly isLost?: boolean } };

export interface RunContext {
  readonly toolwright: Toolwright;
  /** Cancels the work. */
  readonly signal: AbortSignal;
  /** Sends an event to the caller. */
  readonly send: (event: WorkEvent) => void;
  /** Counts a question to the caller. */
  readonly ask: () => void;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
  /** The queue whose clock the times of results have. */
  readonly queue: Pick<WorkQueue, 'leftMs'>;
}

/** Runs that lose their worker, after which a work fails: its program may end its worker. */
export const MAX_LOST_RUNS = 8;
/** Milliseconds that a run waits for the lease of another owner of the execution, and between two attempts. */
const OWNED_WAIT = { longestMs: 30_000, everyMs: 200 };
/** Milliseconds until another run, where this one could not begin. */
const RETRY_MS = 1_000;

/** The clocks of two machines may differ by half of it. */
const CLOCKS_DIFFER_MS = 600_000;

/** Codes of runs that another worker repeats: this process lost the execution, or ends. */
const LEFT: ReadonlySet<string> = new Set(['OWNERSHIP_LOST', 'CLOSED']);

/** Runs work of the kind `execution`. Never rejects. */
export async function runExecution(work: ClaimedWork, context: RunContext): Promise<WorkEnd> {
  const request = work.request as ExecutionRequest | undefined;
  if (request === undefined) return unreadable(work);
  if (work.attempts > MAX_LOST_RUNS) return losesItsWorkers(work);
  const attributes = { 'toolwright.execution.id': work.id, 'toolwright.work.method': request.run };
  const options = { kind: SpanKind.CONSUMER, attributes, parent: callerContext({ ...request.trace }) };
  try {
    return await inSpan(`work ${request.run}`, options, () => run(work, request, context));
  } catch (error) {
    return endOf(error, work, context);
  }
}

async function run(work: ClaimedWork, request: ExecutionRequest, context: RunContext): Promise<WorkEnd> {
  const { toolwright } = context;
  const { executions } = toolwright;
  const { user: userId } = request;
  const own = { userId, signal: context.signal, ...listenersOf(request, context) };
  const onlyWithProgress = work.attempts > 1;
  const resume = (options: object) => resumeExecution(work, { ...own, onlyWithProgress, ...options }, context);
  /** The journal decides whether the execution has begun, when an earlier worker had the work. */
  const hasBegun = async () => work.fence > 1 && (await isKnown(toolwright, work.id, userId));
  switch (request.run) {
    case 'execute': {
      const { canSample } = request.options;
      const again = () => resume(canSample === true ? { canSample } : {});
      if (await hasBegun()) return again();
      try {
        return resultOf(
          await toolwright.execute(request.code, { ...request.options, ...own, executionId: work.id }),
          context,
        );
      } catch (error) {
        if (await isOwnJournal(work, request, { error, toolwright })) return again();
        throw error;
      }
    }
    case 'resume':
      return resume(request.options);
    case 'fork':
      if (await hasBegun()) return resume({});
      return resultOf(await executions.fork(request.of, { ...request.options, ...own, executionId: work.id }), context);
    case 'replay':
      return { ended: { value: await executions.replay(request.of, userId) } };
    case 'save':
      return { ended: { value: await toolwright.skills(userId).saveExecution(request.of, request.draft) } };
    case 'cancel':
      return { ended: { value: await executions.cancel(request.of, userId) } };
    default:
      // A newer version has submitted it, and has workers too.
      return { released: { delayMs: RETRY_MS } };
  }
}

/**
 * Returns whether a new execution failed because an earlier run of the same work has begun it. A crash of the database may have forgotten
 * the claim of that run. The id of an older execution remains an error.
 */
async function isOwnJournal(
  { id, waitedMs }: ClaimedWork,
  { user }: ExecutionRequest,
  { error, toolwright }: { readonly error: unknown; readonly toolwright: Toolwright },
): Promise<boolean> {
  if (!(error instanceof ToolwrightError) || error.code !== 'CONFIG_INVALID') return false;
  const record = await toolwright.executions.get(id, user).catch(() => undefined);
  return record !== undefined && Date.parse(record.startedAt) > Date.now() - waitedMs - CLOCKS_DIFFER_MS;
}

/** Continues an execution, and waits for the lease of its owner: a dead one, or another run that just ends. */
async function resumeExecution(work: ClaimedWork, options: ResumeOptions, context: RunContext): Promise<WorkEnd> {
  const { executions } = context.toolwright;
  const isResume = (work.request as ExecutionRequest).run === 'resume';
  const deadline = performance.now() + OWNED_WAIT.longestMs;
  for (;;) {
    try {
      return resultOf(await executions.resume(work.id, options), context);
    } catch (error) {
      const code = error instanceof ToolwrightError ? error.code : undefined;
      // The caller of `resume` gets the error, and that of a run whose worker was lost gets the result.
      const isLate = code === 'EXECUTION_ENDED' && !(isResume && work.attempts <= 1);
      if (isLate) return recordedEnd(work.id, options.userId, context, error);
      if (code !== 'EXECUTION_RUNNING') throw error;
      if (performance.now() > deadline) return { released: { delayMs: RETRY_MS } };
    }
    await sleep(OWNED_WAIT.everyMs);
  }
}

/** Returns the result of the journal: the worker before ended between the journal and the row. */
async function recordedEnd(
  id: string,
  userId: string | undefined,
  { toolwright }: RunContext,
  error: unknown,
): Promise<WorkEnd> {
  const { result } = await toolwright.executions.get(id, userId);
  return { ended: result ? { value: result } : { failure: failureOf(error, `execution ${id}`) } };
}

function resultOf(result: ExecutionResult, { queue }: RunContext): WorkEnd {
  if (result.status !== 'suspended') return { ended: { value: result } };
  const delayMs = Math.max(0, queue.leftMs(Date.parse(result.wakeAt)));
  return { waits: { delayMs, result: { value: result } } };
}

function listenersOf({ listens }: ExecutionRequest, { send, ask }: RunContext): ResumeOptions {
  const events = (type: 'log' | 'progress' | 'call') => {
    let index = 0;
    return (data: unknown) => send({ type, index: ++index, data: data ?? null });
  };
  return {
    onLog: listens.log ? events('log') : undefined,
    onProgress: listens.progress ? events('progress') : undefined,
    onCall: listens.call ? events('call') : undefined,
    onApproval: listens.question
      ? () => {
          ask();
          return undefined;
        }
      : undefined,
  };
}

async function isKnown(toolwright: Toolwright, id: string, userId: string): Promise<boolean> {
  try {
    await toolwright.executions.get(id, userId);
    return true;
  } catch (error) {
    if (error instanceof ToolwrightError && error.code === 'UNKNOWN_EXECUTION') return false;
    throw error;
  }
}

function endOf(error: unknown, { id }: ClaimedWork, { logger }: RunContext): WorkEnd {
  const code = error instanceof ToolwrightError ? error.code : undefined;
  if (code !== undefined && LEFT.has(code)) return { released: { isLost: true } };
  if (code === 'STORE_UNAVAILABLE') return { released: { isLost: true, delayMs: RETRY_MS } };
  // A newer version has begun it, and has workers too.
  if (error instanceof ToolwrightError && 'newerFormat' in error.details) return { released: { delayMs: RETRY_MS } };
  if (code === undefined) logger.error({ err: error, executionId: id }, 'work of the cluster failed');
  return { ended: { failure: failureOf(error, `execution ${id}`) } };
}

function unreadable({ id }: ClaimedWork): WorkEnd {
  const message = `The request of execution ${id} cannot be opened: its row was changed. Submit it again.`;
  return { ended: { failure: { code: 'INTERNAL', message } } };
}

function losesItsWorkers({ id }: ClaimedWork): WorkEnd {
  const message = `Execution ${id} was begun ${MAX_LOST_RUNS} times, and its worker ended each time. Find the reason in the logs of the workers.`;
  return { ended: { failure: { code: 'NOT_SUPPORTED', message } } };
}
