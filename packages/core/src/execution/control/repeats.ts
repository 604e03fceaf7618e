import { randomUUID } from 'node:crypto';
import { dataFolder, journalKey } from '@toolwright/storage/internal';
import { ALL_TOOLS } from '../../catalog/profiles/profile.ts';
import { recordedLimits } from '../../config/sections/limits.ts';
import type { WaitSettings } from '../../config/sections/waits.ts';
import { ToolwrightError } from '../../errors.ts';
import type { ExecutionResult } from '../../history/result.ts';
import { isExecutionId } from '../../journal/file.ts';
import { requireReplayable } from '../../journal/recording/read-recording.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { requireContent } from '../../sessions/kept/kept.ts';
import type { SessionRedactors } from '../../sessions/redactors.ts';
import type { ExecutionContexts } from '../contexts.ts';
import { execute } from '../execute.ts';
import type { Earlier, ExecutionContext } from '../execution.ts';
import type { ForkOptions, ResumeOptions } from '../executions.ts';
import { forkPoint } from '../fork/point.ts';
import { partOf, type StoredPart } from '../kept/part.ts';
import { type Replay, replayExecution } from '../replay/replay.ts';
import { type ActiveExecutions, bothListeners, type LogListener } from './active-executions.ts';

export interface RepeatOptions {
  readonly contexts: ExecutionContexts;
  readonly active: ActiveExecutions;
  readonly redactors: SessionRedactors;
  /** Whether the programs of forks are checked before they run. */
  readonly isChecked: boolean;
}

/** The grace period of an execution for which no caller waits: others wait for its sandbox. */
const AUTOMATIC_GRACE_MS = 1_000;

/** The methods that use a recorded execution again. */
export interface Repeats {
  /** Runs an execution that is continued. */
  readonly resume: (earlier: Earlier, options: ResumeOptions) => Promise<ExecutionResult>;
  /** Runs a fork of an execution. */
  readonly fork: (recording: Recording, options: ForkOptions) => Promise<ExecutionResult>;
  /** Returns the test file of an execution. */
  readonly exportTest: (recording: Recording) => Promise<string>;
  /** Runs a program again with the answers of its journal. */
  readonly replay: (recording: Recording) => Promise<Replay>;
}

/** Creates the methods that use a recorded execution again. */
export function createRepeats({ contexts, active, redactors, isChecked }: RepeatOptions): Repeats {
  const replayOptions = async ({ start }: Recording) => {
    const context = await contexts.runContext(start.language, whereOf(start));
    const { language, sandbox, dataDir, packages } = context;
    const key = journalKey(dataFolder(dataDir).journalKey);
    return { language, sandbox, key, limits: recordedLimits(start), packages, storedPart: storedPart(start, context) };
  };
  return {
    async resume(earlier, options) {
      const { start } = earlier.recording;
      const { id, user: userId, session: sessionId, approved } = start;
      try {
        const context = await contexts.runContext(start.language, { ...whereOf(start), isDirect: start.isDirect });
        const waits = earlier.isAutomatic ? shortWaits(context.waits) : context.waits;
        const settings = {
          ...options,
          userId,
          sessionId,
          executionId: id,
          check: false,
          approved,
          limits: recordedLimits(start),
        };
        const run = async (signal: AbortSignal, log: LogListener) => {
          const onLog = bothListeners(log, options.onLog);
          const result = await execute(start.source, { ...context, waits }, { ...settings, signal, onLog }, earlier);
          await redactors.destroyIfRemoved({ userId, sessionId });
          return result;
        };
        return await active.run(options.signal, run, id);
      } catch (error) {
        await earlier.claim.lease.release().catch(() => undefined);
        throw error;
      }
    },
    async replay(recording) {
      const { packages, ...options } = await replayOptions(recording);
      const note = otherPackages(recording.start.packages, packages.hash);
      return { ...(await replayExecution(recording, options)), ...(note && { note }) };
    },
    async exportTest(recording) {
      const { exportTest } = await import('../export/test-file.ts');
      return exportTest(recording, await replayOptions(recording));
    },
    async fork(recording, { at, answer, code, executionId = randomUUID(), ...options }) {
      requireReplayable(recording);
      const { start } = recording;
      const { user: userId, session: sessionId, source } = start;
      if (start.dryRun) {
        const message = `Execution ${start.id} is a dry run, and some of its answers are invented. Run its program instead.`;
        throw new ToolwrightError('NOT_SUPPORTED', message);
      }
      if (code !== undefined && typeof code !== 'string') {
        throw new ToolwrightError('CONFIG_INVALID', 'executions.fork takes a program as text in "code".');
      }
      const fork = forkPoint(recording, { at, answer });
      const context = await contexts.runContext(start.language, whereOf(start));
      if (!isExecutionId(executionId)) {
        throw new ToolwrightError('CONFIG_INVALID', 'executions.fork: executionId must be a UUID in lower case.');
      }
      const settings = {
        ...options,
        userId,
        sessionId,
        executionId,
        check: isChecked,
        limits: recordedLimits(start),
        fork,
      };
      const run = async (signal: AbortSignal, log: LogListener) => {
        const onLog = bothListeners(log, options.onLog);
        const result = await execute(code ?? source, context, { ...settings, signal, onLog });
        await redactors.destroyIfRemoved({ userId, sessionId });
        return result;
      };
      return active.run(options.signal, run, executionId);
    },
  };
}

/** Returns the function that reads parts of kept values of the session of an execution. */
function storedPart(
  { session: sessionId, user: userId = DEFAULT_USER }: Recording['start'],
  { sessions }: ExecutionContext,
): StoredPart {
  return async (hash, at) => {
    const store = await sessions.kept({ sessionId, userId });
    return JSON.stringify(partOf(store === undefined ? '' : await requireContent(store, hash), at));
  };
}

/** Returns the note of a replay with other packages than before. */
function otherPackages(before: string | undefined, now: string | undefined): string | undefined {
  return before === now ? undefined : `Recorded with ${lockText(before)}, repeated with ${lockText(now)}.`;
}

function lockText(hash: string | undefined): string {
  return hash === undefined ? 'no packages' : `the packages of the lock ${hash}`;
}

/** Returns where an execution runs again: with the profile of its start, so that it gets no further tools. */
function whereOf({ sandbox, user: userId, profile = ALL_TOOLS }: Recording['start']) {
  return { sandbox, userId, profile };
}

function shortWaits(waits: WaitSettings): WaitSettings {
  return { ...waits, graceMs: Math.min(waits.graceMs, AUTOMATIC_GRACE_MS) };
}
