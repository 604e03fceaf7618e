import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import { dataFolder } from '../journal/data-folder.ts';
import type { Decisions } from '../journal/decisions.ts';
import { readJournalEnds } from '../journal/ends.ts';
import { readHistory } from '../journal/history.ts';
import { journalKey } from '../journal/integrity.ts';
import { isRunning } from '../journal/liveness.ts';
import { readRecording } from '../journal/read-recording.ts';
import type { JournalReader } from '../journal/storages/storage.ts';
import { DEFAULT_USER } from '../sessions/session.ts';
import { lastQuestions } from './decide.ts';
import type { ExecutionResult } from './result.ts';

/** An execution that waits without a sandbox, or that a crash interrupted. */
export interface SuspendedExecution {
  readonly id: string;
  readonly userId: string;
  /** When it goes on without a decision, in milliseconds since the epoch. */
  readonly wakeMs: number;
}

export interface ContinueOptions {
  readonly dataDir: string;
  readonly journals: JournalReader;
  readonly resume: (id: string, userId: string) => Promise<ExecutionResult>;
  readonly decisions: Pick<Decisions, 'executions' | 'find' | 'onDecision'>;
  /** Calls a function with each execution that this process suspends. Returns the function that ends this. */
  readonly onSuspend: (listener: (execution: SuspendedExecution) => void) => () => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives each failure. */
  readonly onError: (id: string, error: unknown) => void;
}

/** Executions that are continued at once. The others wait. */
const MAX_RUNNING = 4;
/** Milliseconds between two searches for executions of other processes, that these have suspended or did not survive. */
const SEARCH_MS = 15_000;
/** An execution that was interrupted earlier is not continued by itself: a person may have done its work since. */
const MAX_INTERRUPTED_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds after a failure, and the most after many. */
const RETRY_MS = { first: 5_000, most: 10 * 60_000 };
/** Codes of executions that have ended, and of those that only a person continues. */
const SETTLED: ReadonlySet<string> = new Set(['EXECUTION_ENDED', 'UNKNOWN_EXECUTION', 'NOT_SUPPORTED']);

/**
 * Continues the executions of a data folder by itself until it is disposed. Suspended ones go on after a decision and at their times,
 * and those that a crash interrupted at once. Any number of processes may do so: each execution is continued by one.
 */
export function continueExecutions(options: ContinueOptions): Disposable {
  const { resume, decisions, now, onError } = options;
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
      const code = error instanceof ToolwrightError ? error.code : undefined;
      if (code !== undefined && SETTLED.has(code)) settled.add(id);
      // Another process continues it. The next search finds it again if that process ends.
      else if (isOpen && code !== 'EXECUTION_RUNNING') {
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
    const isKnown = (id: string) => running.has(id) || known.has(id) || settled.has(id);
    for (const found of await findAll(options, isKnown)) if (isOpen && !isKnown(found.id)) add(found);
    // Decisions from a time when no process continued the execution, and those whose event was lost.
    for (const id of decisions.executions()) {
      if (known.has(id) && (await hasNewDecision(id, options).catch(() => false)) && known.has(id)) ready.add(id);
    }
    look();
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

async function findAll(options: FindOptions, isKnown: (id: string) => boolean): Promise<SuspendedExecution[]> {
  const { histories } = dataFolder(options.dataDir);
  const found: SuspendedExecution[] = [];
  for (const user of await readdir(histories).catch(() => [])) {
    for (const { id, status } of await readHistory(join(histories, user))) {
      if ((status !== undefined && status !== 'suspended') || isKnown(id)) continue;
      const execution = await find(id, options);
      if (execution) found.push(execution);
    }
  }
  return found;
}

/** Returns whether a suspended execution has a decision that it has not applied. */
async function hasNewDecision(
  id: string,
  { dataDir, journals, decisions }: Pick<ContinueOptions, 'dataDir' | 'journals' | 'decisions'>,
): Promise<boolean> {
  const key = journalKey(dataFolder(dataDir).journalKey);
  const { questions } = await readRecording(journals, id, key);
  return lastQuestions(questions).some(
    ({ number, question, decision }) => !decision && decisions.find(id, number, question),
  );
}

type FindOptions = Pick<ContinueOptions, 'dataDir' | 'journals' | 'now'>;

/** Returns an execution if it is suspended, or was interrupted not long ago. */
async function find(id: string, { dataDir, journals, now }: FindOptions): Promise<SuspendedExecution | undefined> {
  const { start, suspension, end, changedMs = 0 } = (await readJournalEnds(journals, id, 'head')) ?? {};
  if (!start || end) return undefined;
  const isLate = changedMs < now() - MAX_INTERRUPTED_MS;
  if (!suspension && (isLate || isRunning(dataDir, start))) return undefined;
  return { id, userId: start.user ?? DEFAULT_USER, wakeMs: suspension?.wakeMs ?? now() };
}
