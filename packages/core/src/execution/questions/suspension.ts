import type { TaskWait } from '@toolwright/connectors';
import type { Redactor } from '@toolwright/pii/internal';
import type { Pauses } from '@toolwright/sandbox';
import { lazy } from '@toolwright/sandbox/internal';
import type { WaitSettings } from '../../config/sections/waits.ts';
import type { PendingQuestion } from '../../history/result.ts';
import type { DueTimes } from '../../journal/due-times.ts';
import type { SuspendEntry } from '../../journal/entries.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Decisions } from '../../journal/questions/decisions.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import type { AskPerson } from '../../tool-calls/call.ts';
import type { LastingDecisions } from '../lasting-decisions/lasting-decisions.ts';
import { createApprovalCallback, type OnApproval } from './on-approval.ts';
import { createQuestions } from './questions.ts';
import { createSleeps, type Sleeps } from './sleeps.ts';
import { createWaits, type Wait, type Waits } from './waits.ts';

export interface SuspensionOptions {
  readonly executionId: string;
  readonly userId: string;
  readonly journal: Journal;
  readonly key: Buffer;
  readonly decisions: Decisions;
  readonly lasting: LastingDecisions | undefined;
  readonly redactor: Redactor;
  readonly settings: WaitSettings;
  /** A dry run is not suspended: when it only waits, its next sleep ends. */
  readonly isDryRun: boolean;
  /** Present for an execution that is continued. */
  readonly recording: Recording | undefined;
  readonly dueTimes: DueTimes;
  readonly onApproval: OnApproval | undefined;
  readonly onDefect: (id: string, error: unknown) => void;
}

/** Everything for which one execution waits, and its end without a sandbox. */
export interface Suspension {
  readonly ask: AskPerson;
  readonly sleep: Sleeps['sleep'];
  readonly waits: Waits;
  /** Begins a wait for the task of a server. Returns the function that ends it. */
  waitForTask(wait: TaskWait): () => void;
  /** Waits and a replay do not count for the time limit. */
  readonly pauses: Pauses;
  /** Aborted when the execution is suspended: its journal is closed then. */
  readonly signal: AbortSignal;
  /** The reason, when it is suspended. */
  readonly entry: () => SuspendEntry | undefined;
  readonly pending: () => readonly PendingQuestion[];
  /** Notes that the program has all recorded answers: its time counts from now on. */
  goLive(): void;
  close(): void;
}

/** Milliseconds in which a replay must come to its end, in addition to the time of the program before. */
const REPLAY_MS = 30_000;
/** The least milliseconds between two attempts to suspend on a full disk. */
const RETRY_MS = 1_000;
const NOTHING = { questions: new Map(), granted: new Map(), timers: new Map(), ranMs: 0 };

/** Creates the waits of one execution. A program that only waits for longer than the grace period is suspended. */
export function createSuspension(options: SuspensionOptions): Suspension {
  const { executionId, journal, redactor, settings, dueTimes, onDefect, recording, isDryRun } = options;
  const graceMs = isDryRun ? 0 : settings.graceMs;
  const { timers, ranMs: earlierMs } = recording ?? NOTHING;
  const pauses = createPauses(recording !== undefined);
  // A program that never asks for its recorded answers must end too: its time limit counts then.
  const replaying = setTimeout(() => pauses.set('replay', false), earlierMs + REPLAY_MS).unref();
  const ending = new AbortController();
  let entry: SuspendEntry | undefined;
  let pending: readonly PendingQuestion[] = [];

  const suspend = () => {
    const suspended = entryOf(waits.list(), earlierMs + waits.ranMs());
    try {
      journal.suspend(suspended);
    } catch (error) {
      // The program keeps its sandbox until the disk has space again.
      onDefect(executionId, error);
      retry = setTimeout(suspend, Math.max(settings.graceMs, RETRY_MS)).unref();
      return;
    }
    entry = suspended;
    pending = questions.made()?.pending() ?? [];
    ending.abort();
  };
  let retry: NodeJS.Timeout | undefined;
  const canSuspend = () => journal.canReplay() && !redactor.givesValues && !isDryRun;
  const waits = createWaits({
    graceMs,
    dueTimes,
    onChange(isWaiting) {
      clearTimeout(retry);
      // Without a suspension, the time limit ends a wait for a person. A tool has a limit of its own.
      pauses.set('wait', isWaiting && (canSuspend() || waits.list().length === 0));
    },
    onLong() {
      if (isDryRun) sleeps.made()?.skip();
      else if (canSuspend()) void releaseAll(waits).then(() => waits.isWaiting() && canSuspend() && suspend());
    },
  });
  const questions = lazy(() =>
    createQuestions({
      ...options,
      ...{ waits, earlier: recording ?? NOTHING, expireMs: settings.expireMs },
      onQuestion: createApprovalCallback(options),
    }),
  );
  const sleeps = lazy(() => createSleeps({ journal, waits, graceMs, earlier: timers, dueTimes }));
  return {
    ask: (question) => questions().ask(question),
    sleep: (milliseconds, request) => sleeps().sleep(milliseconds, request),
    waits,
    waitForTask: (wait) => waits.begin(taskWait(wait, dueTimes)),
    pauses,
    signal: ending.signal,
    entry: () => entry,
    pending: () => (entry ? pending : (questions.made()?.pending() ?? [])),
    goLive() {
      clearTimeout(replaying);
      waits.start();
      pauses.set('replay', false);
    },
    close() {
      clearTimeout(replaying);
      clearTimeout(retry);
      questions.made()?.close();
      sleeps.made()?.close();
      waits.close();
    },
  };
}

function entryOf(waits: readonly Wait[], ranMs: number): SuspendEntry {
  const waitingFor = [...new Set(waits.map(({ kind }) => kind))];
  return { waitingFor, wakeMs: Math.min(...waits.map(({ untilMs }) => untilMs)), ranMs: Math.round(ranMs) };
}

/** Returns a wait whose end is later, the longer it has lasted. */
function taskWait(wait: TaskWait, { dueIn }: DueTimes): Wait {
  return {
    kind: 'timer',
    get untilMs() {
      return dueIn(wait.untilMs - Date.now());
    },
    release: wait.release,
  };
}

/** Ends the waits of servers for a person without an answer. Resolves when they have ended their calls. */
async function releaseAll(waits: Waits): Promise<void> {
  await Promise.all(waits.list().map(({ release }) => release?.()));
}

/** Creates pauses that last while there is a reason. */
function createPauses(isReplaying: boolean): Pauses & { set(reason: 'wait' | 'replay', isOn: boolean): void } {
  const listeners = new Set<(isPaused: boolean) => void>();
  const reasons = new Set<string>(isReplaying ? ['replay'] : []);
  return {
    onChange(listener) {
      listeners.add(listener);
      if (reasons.size > 0) listener(true);
      return () => void listeners.delete(listener);
    },
    set(reason, isOn) {
      const before = reasons.size > 0;
      if (isOn) reasons.add(reason);
      else reasons.delete(reason);
      const isPaused = reasons.size > 0;
      if (isPaused !== before) for (const listener of [...listeners]) listener(isPaused);
    },
  };
}
