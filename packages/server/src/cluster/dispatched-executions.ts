import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ExecutionRecord,
  type ExecutionResult,
  type Executions,
  errorKind,
  ToolwrightError,
} from '@toolwright/core';
import { DEFAULT_USER } from '@toolwright/core/internal';
import { BACKGROUND_PRIORITY, type StoredWork, type WorkQueue } from '../queue/queue.ts';
import type { Caller } from './caller.ts';
import type { Dispatcher } from './dispatchers/dispatcher.ts';
import { separateListeners } from './listeners.ts';
import type { ExecutionRequest, WorkResult } from './requests.ts';

export interface DispatchedExecutionsParts {
  readonly queue: WorkQueue;
  readonly dispatcher: Pick<Dispatcher, 'notify'>;
  readonly caller: Caller;
}

/** Milliseconds that `cancel` waits for the end of a suspended execution, and between two looks. */
const CANCEL_WAIT = { longestMs: 5_000, lookMs: 50 };

/** Returns executions that run on workers. Those that wait for a worker are known by their rows. */
export function dispatchedExecutions(local: Executions, parts: DispatchedExecutionsParts): Executions {
  const { queue, caller } = parts;
  const { journalOr, find } = openRows(queue);
  return {
    ...local,
    get: (id, user, options) => journalOr(local.get(id, user, options), id, user, (work) => queuedRecord(id, work)),
    calls: (id, user, page) => journalOr(local.calls(id, user, page), id, user, () => []),
    questions: (id, user, options) => journalOr(local.questions(id, user, options), id, user, () => []),
    decisions: (id, user) => journalOr(local.decisions(id, user), id, user, () => []),
    journal: (id, user, page) => journalOr(local.journal(id, user, page), id, user, () => ({ entries: [] })),
    async resume(id, options = {}) {
      const { userId: user = DEFAULT_USER } = options;
      const { listeners, data } = separateListeners(options);
      const { sessionId: session } = await local.get(id, user);
      return caller.rerun({ id, user, session, method: { run: 'resume', options: data } }, listeners);
    },
    async fork(of, { executionId: id = randomUUID(), ...options }) {
      const { userId: user = DEFAULT_USER } = options;
      const { listeners, data } = separateListeners(options);
      const { sessionId: session } = await local.get(of, user);
      const method = { run: 'fork', of, options: { ...data, at: options.at } } as const;
      return caller.run({ id, user, session, method }, listeners);
    },
    replay: (of, user = DEFAULT_USER) => caller.run({ id: randomUUID(), user, method: { run: 'replay', of } }),
    async decide(id, request) {
      const decided = await local.decide(id, request);
      await wake(id, request.userId, { local, ...parts });
      return decided;
    },
    async cancel(id, user = DEFAULT_USER) {
      const state = UUID.test(id) ? await caller.cancel(id, user) : undefined;
      const record = () => journalOr(local.get(id, user), id, user, (work) => queuedRecord(id, work));
      if (state === 'cancelled' || state === 'running' || state === 'ready') return record();
      if (state === 'waiting') return ended(record);
      const { status } = await local.get(id, user);
      // An execution that never was in the queue: only a worker has the sandbox that its end needs.
      if (status === 'suspended') await caller.run({ id: randomUUID(), user, method: { run: 'cancel', of: id } });
      return status === 'suspended' ? local.get(id, user) : local.cancel(id, user);
    },
    async remove(id, user = DEFAULT_USER) {
      const work = await find(id, user);
      await local.remove(id, user).catch((error: unknown) => {
        if (!isUnknown(error) || work?.state !== 'ended') throw error;
      });
      if (work) await queue.remove(id, user);
    },
    // The queue makes suspended work ready at its time, and the work of a dead worker at once.
    continueExecutions: () => ({ [Symbol.dispose]: () => undefined }),
  };
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Reads executions without a journal from the rows of the queue. */
function openRows(queue: WorkQueue) {
  const find = async (id: string, user: string) => (UUID.test(id) ? queue.find(id, user) : undefined);
  const journalOr = async <T>(
    reading: Promise<T>,
    id: string,
    user: string | undefined,
    fromRow: (work: StoredWork) => T,
  ): Promise<T> => {
    try {
      return await reading;
    } catch (error) {
      const work = isUnknown(error) ? await find(id, user ?? DEFAULT_USER) : undefined;
      if (!work) throw error;
      return fromRow(work);
    }
  };
  return { find, journalOr };
}

/** Makes an execution go on after a decision. One that never was in the queue is submitted. */
async function wake(
  id: string,
  userId: string | undefined,
  { local, queue, dispatcher, caller }: DispatchedExecutionsParts & { readonly local: Executions },
): Promise<void> {
  const state = await queue.wake(id);
  // A database has made it ready with the decision.
  if (state === 'waiting' || state === 'ready') dispatcher.notify([{ id }]);
  if (state !== undefined && state !== 'ended') return;
  const { userId: user = DEFAULT_USER } = { userId };
  const { status, sessionId: session } = await local.get(id, user);
  if (status !== 'suspended') return;
  // Its caller is gone. The journal has the outcome.
  const work = { id, user, session, priority: BACKGROUND_PRIORITY, method: { run: 'resume', options: {} } } as const;
  caller.rerun(work).catch(() => undefined);
}

/** A worker continues a suspended execution to end it. */
const OPEN: ReadonlySet<string> = new Set(['suspended', 'running']);

/** Waits until an execution has ended, for a while. */
async function ended(read: () => Promise<ExecutionRecord>): Promise<ExecutionRecord> {
  const deadline = performance.now() + CANCEL_WAIT.longestMs;
  let record = await read();
  while (OPEN.has(record.status) && performance.now() < deadline) {
    await sleep(CANCEL_WAIT.lookMs);
    record = await read();
  }
  return record;
}

function isUnknown(error: unknown): boolean {
  return error instanceof ToolwrightError && error.code === 'UNKNOWN_EXECUTION';
}

/** The sandbox of an execution that has none yet. */
const NO_SANDBOX = 'none';

/** Returns an execution that has no journal: it waits for a worker, or ended before it began. */
export function queuedRecord(id: string, work: StoredWork): ExecutionRecord {
  const request = work.request as ExecutionRequest;
  const options = 'options' in request ? request.options : {};
  const { language, sandbox, sessionId, dryRun } = options as Readonly<Record<string, unknown>>;
  const result = work.state === 'ended' ? resultOf(id, work) : undefined;
  return {
    id,
    status: work.state !== 'ended' ? 'running' : work.isCancelled ? 'cancelled' : 'failed',
    language: typeof language === 'string' ? language : 'typescript',
    sandbox: typeof sandbox === 'string' ? sandbox : NO_SANDBOX,
    isDryRun: dryRun === true ? (true as const) : undefined,
    sessionId: typeof sessionId === 'string' ? sessionId : undefined,
    startedAt: work.submittedAt,
    endedAt: work.endedAt,
    source: request.run === 'execute' ? request.code : '',
    result,
  };
}

function resultOf(executionId: string, { result, isCancelled }: StoredWork): ExecutionResult | undefined {
  const facts = { executionId, logs: [], calls: [], stats: NO_STATS };
  const ended = result as WorkResult | undefined;
  if (ended && 'failure' in ended) {
    const { code, message } = ended.failure;
    const error = { kind: errorKind(code), code, name: ToolwrightError.name, message };
    return { status: 'failed', error, ...facts };
  }
  if (!isCancelled) return undefined;
  const message = 'The execution was cancelled before it started.';
  return { status: 'stopped', limit: 'cancelled', message, ...facts };
}

const NO_STATS: ExecutionResult['stats'] = {
  sandbox: NO_SANDBOX,
  sandboxReason: 'no worker has begun it',
  check: 'skipped: it did not start',
  prepareMs: 0,
  checkMs: 0,
  runMs: 0,
  totalMs: 0,
  toolCalls: 0,
  toolErrors: 0,
  argumentBytes: 0,
  toolResultBytes: 0,
  resultBytes: 0,
  droppedLogBytes: 0,
  tokens: { code: 0, output: 0 },
};
