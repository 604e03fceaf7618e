import { ToolwrightError } from '../../errors.ts';
import type { ExecutionResult } from '../../history/result.ts';
import type { ExecutionStorage, SuspendedExecution } from '../../history/storages/storage.ts';
import type { Decisions } from '../../journal/questions/decisions.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { unlessRunning } from '../../unless-running.ts';

export interface ContinueOptions {
  readonly storage: ExecutionStorage & {
    readonly decisions: Decisions;
  };
  readonly resume: (id: string, userId: string) => Promise<ExecutionResult>;
  /** Calls a function with each execution that this process suspends. Returns the function that ends this. */
  readonly onSuspend: (listener: (execution: SuspendedExecution) => void) => () => void;
  /** Receives each failure. */
  readonly onError: (id: string, error: unknown) => void;
}

/** Executions that are continued at once. The others wait. */
const MAX_RUNNING = 4;
/** Milliseconds between two searches for executions to continue. */
const SEARCH_MS = 1_000;
/** Milliseconds after which the times of known executions are looked at again. */
const LOOK_MS = 15_000;
/** Milliseconds after a failure, and the most after many. */
const RETRY_MS = { first: 5_000, most: 10 * 60_000 };
/** Codes of executions that have ended, and of those that only a person continues. */
const SETTLED: ReadonlySet<string> = new Set(['EXECUTION_ENDED', 'UNKNOWN_EXECUTION', 'NOT_SUPPORTED']);

/**
 * Continues the executions of a storage by itself until it is disposed. Suspended ones go on after a decision and at their times,
 * and those that a crash interrupted at once. Any number of processes may do so: each execution is continued by one.
 */
export function continueExecutions(options: ContinueOptions): Disposable {
  const { resume, storage, onError } = options;
  const { dueIn, leftMs } = storage.dueTimes;
  const known = new Map<string, SuspendedExecution & { readonly failures: number }>();
  const ready = new Set<string>();
  /** Executions that are not looked at again without a decision. */
  const settled = new Set<string>();
  const running = new Set<string>();
  let isOpen = true;
  let timer: NodeJS.Timeout | undefined;

  const add = (execution: SuspendedExecution, failures = 0) => {
    known.set(execution.id, { ...execution, failures });
    look();
  };
  const look = () => {
    clearTimeout(timer);
    if (!isOpen) return;
    for (const { id, wakeMs } of known.values()) if (leftMs(wakeMs) <= 0) ready.add(id);
    for (const id of ready) {
      if (running.size >= MAX_RUNNING) return;
      if (!running.has(id)) void start(id);
    }
    const next = Math.min(...[...known.values()].map(({ wakeMs }) => leftMs(wakeMs)));
    timer = setTimeout(look, Math.min(Math.max(0, next), LOOK_MS)).unref();
  };
  const start = async (id: string) => {
    const { userId, failures } = known.get(id) ?? { ...(await find(id, storage)), failures: 0 };
    ready.delete(id);
    if (userId === undefined) return;
    running.add(id);
    known.delete(id);
    try {
      const result = await resume(id, userId);
      if (result.status === 'suspended') add({ id, userId, wakeMs: Date.parse(result.wakeAt) });
    } catch (error) {
      const code = error instanceof ToolwrightError ? error.code : undefined;
      if (error instanceof ToolwrightError && 'failedResumes' in error.details) onError(id, error);
      if (code !== undefined && SETTLED.has(code)) settled.add(id);
      // Another process continues it. The next search finds it again if that process ends.
      else if (isOpen && code !== 'EXECUTION_RUNNING') {
        onError(id, error);
        const waitMs = Math.min(RETRY_MS.first * 2 ** failures, RETRY_MS.most);
        add({ id, userId, wakeMs: dueIn(waitMs) }, failures + 1);
      }
    } finally {
      running.delete(id);
      look();
    }
  };
  const search = async () => {
    const before = new Map(known);
    const failed = [...known.values()].filter(({ failures }) => failures > 0).map(({ id }) => id);
    for (const found of await storage.findSuspended(new Set([...running, ...settled, ...failed]))) {
      const { id } = found;
      // This process has continued it meanwhile.
      if (running.has(id) || settled.has(id) || known.get(id) !== before.get(id)) continue;
      if (!known.has(id)) known.set(id, { ...found, wakeMs: 0, failures: 0 });
      ready.add(id);
    }
    look();
  };
  const endSearches = searchAtOnceAndThen(search);
  const ends = [
    options.onSuspend(add),
    storage.decisions.onDecision((id) => {
      ready.add(id);
      look();
    }),
  ];
  return {
    [Symbol.dispose]() {
      isOpen = false;
      clearTimeout(timer);
      endSearches();
      for (const end of ends) end();
    },
  };
}

/** Searches now, and again each time, one search after the other. Returns the function that ends it. */
function searchAtOnceAndThen(search: () => Promise<void>): () => void {
  // A database that does not answer is asked again at the next search.
  const searchNow = unlessRunning(search);
  const searches = setInterval(searchNow, SEARCH_MS).unref();
  searchNow();
  return () => clearInterval(searches);
}

/** Returns an execution that a person has decided about, unless it runs or has ended. */
async function find(id: string, storage: ExecutionStorage) {
  const { start, end, isRunning } = (await storage.ends(id, 'head')) ?? {};
  return start && !end && !isRunning ? { id, userId: start.user ?? DEFAULT_USER } : undefined;
}
