import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import type { DataFolder } from '../journal/data-folder.ts';
import type { Decisions } from '../journal/decisions.ts';
import { readJournalEnds } from '../journal/ends.ts';
import { readHistory } from '../journal/history.ts';
import { DEFAULT_USER } from '../sessions/session.ts';
import type { ExecutionResult } from './result.ts';

/** An execution that waits without a sandbox. */
export interface SuspendedExecution {
  readonly id: string;
  readonly userId: string;
  /** When it goes on without a decision, in milliseconds since the epoch. */
  readonly wakeMs: number;
}

export interface ContinueOptions {
  readonly folders: Pick<DataFolder, 'histories' | 'executions'>;
  readonly resume: (id: string, userId: string) => Promise<ExecutionResult>;
  readonly decisions: Pick<Decisions, 'onDecision'>;
  /** Calls a function with each execution that this process suspends. Returns the function that ends this. */
  readonly onSuspend: (listener: (execution: SuspendedExecution) => void) => () => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives each failure. */
  readonly onError: (id: string, error: unknown) => void;
}

/** Executions that are continued at once. The others wait. */
const MAX_RUNNING = 4;
/** Milliseconds between two searches for executions that other processes have suspended. */
const SEARCH_MS = 60_000;
/** Milliseconds after a failure, and the most after many. */
const RETRY_MS = { first: 5_000, most: 10 * 60_000 };
/** Codes of executions that another process continues or has ended. */
const SETTLED: ReadonlySet<string> = new Set(['EXECUTION_RUNNING', 'EXECUTION_ENDED', 'UNKNOWN_EXECUTION']);

/**
 * Continues the suspended executions of a data folder by itself, after a decision and at their times, until it is disposed. Any number
 * of processes may do so: each execution is continued by one.
 */
export function continueSuspended(options: ContinueOptions): Disposable {
  const { resume, decisions, now, onError } = options;
  const known = new Map<string, SuspendedExecution & { readonly failures: number }>();
  const ready = new Set<string>();
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
    for (const { id, wakeMs } of known.values()) if (wakeMs <= now()) ready.add(id);
    for (const id of ready) {
      if (running.size >= MAX_RUNNING) return;
      if (!running.has(id)) void start(id);
    }
    const next = Math.min(...[...known.values()].map(({ wakeMs }) => wakeMs));
    timer = setTimeout(look, Math.min(Math.max(0, next - now()), SEARCH_MS)).unref();
  };
  const start = async (id: string) => {
    const { userId, failures } = known.get(id) ?? { ...(await find(id, options)), failures: 0 };
    ready.delete(id);
    if (userId === undefined) return;
    running.add(id);
    known.delete(id);
    try {
      const result = await resume(id, userId);
      if (result.status === 'suspended') add({ id, userId, wakeMs: Date.parse(result.wakeAt) });
    } catch (error) {
      if (isOpen && !(error instanceof ToolwrightError && SETTLED.has(error.code))) {
        onError(id, error);
        const waitMs = Math.min(RETRY_MS.first * 2 ** failures, RETRY_MS.most);
        add({ id, userId, wakeMs: now() + waitMs }, failures + 1);
      }
    } finally {
      running.delete(id);
      look();
    }
  };
  const search = async () => {
    for (const found of await findAll(options))
      if (isOpen && !running.has(found.id) && !known.has(found.id)) add(found);
  };
  const searches = setInterval(() => void search(), SEARCH_MS).unref();
  void search();
  const ends = [
    options.onSuspend(add),
    decisions.onDecision((id) => {
      ready.add(id);
      look();
    }),
  ];
  return {
    [Symbol.dispose]() {
      isOpen = false;
      clearTimeout(timer);
      clearInterval(searches);
      for (const end of ends) end();
    },
  };
}

async function findAll({ folders }: Pick<ContinueOptions, 'folders'>): Promise<SuspendedExecution[]> {
  const found: SuspendedExecution[] = [];
  for (const user of await readdir(folders.histories).catch(() => [])) {
    for (const { id, status } of await readHistory(join(folders.histories, user))) {
      const execution = status === 'suspended' ? await find(id, { folders }) : undefined;
      if (execution) found.push(execution);
    }
  }
  return found;
}

/** Returns an execution if it is suspended. */
async function find(
  id: string,
  { folders }: Pick<ContinueOptions, 'folders'>,
): Promise<SuspendedExecution | undefined> {
  const { start, suspension } = (await readJournalEnds(join(folders.executions, `${id}.jsonl`), 'head')) ?? {};
  return start && suspension && { id, userId: start.user ?? DEFAULT_USER, wakeMs: suspension.wakeMs };
}
