import type { GuestBridge, GuestOutcome, Language, PreparedSource, Sandbox, SandboxLimits } from '@toolwright/sandbox';
import { codeOf } from '@toolwright/storage/internal';
import { ToolwrightError } from '../../errors.ts';
import { requireReplayable } from '../../journal/recording/read-recording.ts';
import { isKeepNotice } from '../kept/kept-values.ts';
import type { StoredPart } from '../kept/part.ts';
import { outcomeText } from './outcome-text.ts';
import { createReplies, type Difference, placed, type RecordedAnswers, shown } from './replies.ts';

/** The result of a replay. `note`: the program ran with other packages than now. */
export type Replay = { readonly note?: string } & (
  | {
      readonly status: 'identical';
      /** The number of compared requests. */
      readonly requests: number;
    }
  | { readonly status: 'different'; readonly requests: number; readonly difference: Difference }
);

/** The parts of a recording that a replay needs. */
export interface RepeatableRun extends RecordedAnswers {
  readonly clock: readonly number[];
  readonly gap?: string;
  readonly start: {
    readonly id: string;
    readonly source: string;
    readonly seed: number;
    readonly epochMs: number;
    readonly keeps?: boolean | undefined;
  };
  readonly end?: { readonly outcome?: string };
}

export interface ReplayOptions {
  readonly language: Language;
  readonly sandbox: Sandbox;
  /** The key of the journals. */
  readonly key: Buffer;
  readonly limits: SandboxLimits;
  /** Reads parts of kept values, of which the journal has only the hash. */
  readonly storedPart?: StoredPart | undefined;
  /** The user who takes turns with others for sandboxes. Default: none. */
  readonly user?: string;
  /** The owner of the program, whose warm sandboxes may run it. Default: only this replay. */
  readonly tenant?: string;
  /** Receives each log line. Default: none. */
  readonly onNotice?: (payload: string) => void;
  /** Whether the execution of the recording still holds its sandbox. Default: false. */
  readonly isNested?: boolean;
  /** Stops the replay, which then rejects with `CANCELLED`. */
  readonly signal?: AbortSignal | undefined;
}

/** A program that ran again with the answers of a recording. */
export interface RepeatedRun {
  /** The first request that differs. */
  readonly difference: Difference | undefined;
  /** The number of compared requests. */
  readonly requests: number;
  /** Absent for a run that was stopped: it differs, or its recording has no end. */
  readonly outcome: GuestOutcome | undefined;
  /** Code of all logs. */
  readonly notices: string;
  readonly prepared: PreparedSource;
}

/**
 * Runs the program of a recording again in a fresh sandbox, with the recorded answers in the recorded order. Nothing is sent, read
 * or written. Compares every request, all logs and the outcome, and stops at the first difference. An execution that was stopped
 * from outside is compared as far as it came.
 */
export async function replayExecution(recording: RepeatableRun, options: ReplayOptions): Promise<Replay> {
  requireReplayable(recording);
  const { difference, requests, outcome, notices, prepared } = await repeatRun(recording, options);
  const found = difference ?? (await outcomeDifference(outcome, recording.end?.outcome, notices, options.key));
  if (found) return { status: 'different', requests, difference: placed(found, outcome, prepared) };
  return { status: 'identical', requests };
}

/** Returns a language that leaves the expressions of programs as they are. */
export function plainly(language: Language): Language {
  return { ...language, prepare: (source, options) => language.prepare(source, { ...options, isPlain: true }) };
}

/** Runs the program of a recording again, and compares its requests. `onRequest` receives those that are as recorded. */
export async function repeatRun(
  recording: RepeatableRun,
  options: ReplayOptions,
  onRequest: (id: number, payload: string) => void = () => undefined,
): Promise<RepeatedRun> {
  const { language, sandbox, key, limits, storedPart, user, signal, onNotice, isNested } = options;
  const { tenant = `replay ${recording.start.id}` } = options;
  const { start, end, clock } = recording;
  const { keeps } = start;
  const prepared = await language.prepare(start.source, { keeps });
  const { guest, code } = prepared;
  const stop = new AbortController();
  const replies = createReplies(recording, key, () => stop.abort(), storedPart);
  // An interrupted execution has no end to compare.
  if (end?.outcome === undefined) void replies.all.then(() => stop.abort());
  let notices = '';
  const bridge: GuestBridge = {
    request({ id, text }) {
      const answer = replies.answer(id, text);
      if (answer === undefined && end?.outcome !== undefined && !recording.unanswered.has(id)) {
        const expected = 'no further request';
        return replies.differs({ what: 'request', request: id, expected, actual: shown(text) });
      }
      if (replies.difference() === undefined) onRequest(id, text);
      return answer ?? new Promise(() => undefined);
    },
    notice(payload) {
      if (isKeepNotice(payload)) return;
      notices = codeOf(key, notices, payload);
      onNotice?.(payload);
    },
  };
  const program = { guest, code, seed: start.seed, epochMs: start.epochMs, clock, keeps };
  const outcome = await sandbox
    .run(program, {
      bridge,
      limits,
      signal: signal ? AbortSignal.any([stop.signal, signal]) : stop.signal,
      tenant,
      user,
      isNested,
    })
    .catch((error: unknown) => {
      if (stop.signal.aborted) return undefined;
      throw error;
    });
  const missing = outcome?.status === 'completed' ? replies.missing() : undefined;
  return { difference: replies.difference() ?? missing, requests: replies.compared(), outcome, notices, prepared };
}

/** Returns how an outcome differs from the recorded one; undefined if it does not, or if none is recorded. */
async function outcomeDifference(
  outcome: GuestOutcome | undefined,
  expected: string | undefined,
  notices: string,
  key: Buffer,
): Promise<Difference | undefined> {
  if (outcome === undefined || expected === undefined) return undefined;
  if (codeOf(key, notices, await outcomeText(outcome)) === expected) return undefined;
  const actual =
    outcome.status === 'failed' ? `it failed: ${outcome.error.name}: ${outcome.error.message}` : outcome.status;
  return { what: 'outcome', expected: 'the recorded result and logs', actual };
}

/** Returns the error of an execution that cannot be continued, because its program did something else than before. */
export function replayMismatch(id: string, { request, expected, actual, line, column }: Difference): ToolwrightError {
  const at = line === undefined ? '' : ` at line ${line}`;
  const where = request === undefined ? at : `${at}, in its request ${request}`;
  const message = `Execution ${id} cannot be continued: its program did something else than before${where}. Recorded: ${expected}. Now: ${actual}. It depends on something that is not recorded. Run it again as a new execution.`;
  return new ToolwrightError('REPLAY_MISMATCH', message, {
    details: { expected, actual, line, column },
  });
}
