import { ToolwrightError } from '../../errors.ts';
import type { ExecutionListing } from '../../history/listing/listed-execution.ts';
import type { ExecutionResult, MediaFile, ResultFile } from '../../history/result.ts';
import type { ExecutionStorage } from '../../history/storages/storage.ts';
import { endStatus } from '../../journal/history.ts';
import { lastOfCalls, lastQuestions } from '../../journal/recording/recording.ts';
import { checkOptionNames } from '../../option-names.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import type { SessionStore } from '../../sessions/session.ts';
import { decideDryRun, decisionAboutDryRun } from '../dry-run/approval.ts';
import type { ExecutionReader, Executions, ResumeOptions } from '../executions.ts';
import type { LastingDecisions } from '../lasting-decisions/lasting-decisions.ts';
import { decide, keepDecision, openQuestionsOf } from '../questions/decide.ts';
import { decidedQuestions } from '../questions/decided-questions.ts';
import { pendingOf } from '../questions/open-questions.ts';
import type { RecordedExecutions } from '../replay/recorded-executions.ts';
import { claimExecution } from '../replay/resume.ts';
import type { ActiveExecutions } from './active-executions.ts';
import type { ContinueOptions } from './continue-executions.ts';
import type { Repeats } from './repeats.ts';

export interface ExecutionsOptions {
  readonly recorded: RecordedExecutions;
  readonly listing: ExecutionListing;
  readonly active: ActiveExecutions;
  readonly storage: ExecutionStorage;
  readonly lasting: LastingDecisions;
  /** Continues executions by itself; see `continueExecutions`. */
  readonly continueWith: (resume: ContinueOptions['resume']) => Disposable;
  readonly repeats: Repeats;
  /** Restores the personal data of a user for this user. */
  readonly restore: <T>(
    values: T,
    owner: { readonly userId?: string | undefined; readonly sessionId?: string | undefined },
  ) => Promise<T>;
  /** Reads a stored file of an execution; undefined for one that was removed or has more than some bytes. */
  readonly readStored: SessionStore['stored'];
  /** Deletes the data of an execution that has ended. */
  readonly remove: (id: string, userId: string | undefined) => Promise<void>;
}

/** Creates the executions of a data folder. */
export function createExecutions(options: ExecutionsOptions): Executions {
  const { recorded, listing, storage, repeats, ...control } = options;
  const { read } = recorded;
  const { decisions } = storage;
  const { restore } = control;
  const resume = async (id: string, options: ResumeOptions, isAutomatic = false) => {
    const { onlyWithProgress = isAutomatic, ...others } = options;
    const claimed = await claimExecution({
      ...{ storage, read: () => read(id, options.userId), isAutomatic, onlyWithProgress },
    });
    return repeats.resume(claimed, others);
  };
  return {
    ...shownTo(options),
    ...{ find: listing.find, scan: listing.scan, follow: listing.follow, changes: listing.changes },
    async questions(id, userId, { arguments: shown = 'redacted' } = {}) {
      const { start, end, questions } = await read(id, userId);
      if (end) return [];
      const open = (await openQuestionsOf(id, lastQuestions(questions), decisions)).map((asked) => ({
        ...pendingOf(asked),
        askedAt: 'at' in asked && typeof asked.at === 'string' ? asked.at : undefined,
      }));
      if (shown === 'redacted') return open;
      const real = await restore(
        open.map(({ arguments: args, details }) => ({
          arguments: args,
          details,
        })),
        { userId: start.user, sessionId: start.session },
      );
      return open.map((question, index) => ({ ...question, ...real[index] }));
    },
    decisions: async (id, userId) => decidedQuestions(id, await read(id, userId), decisions),
    async decide(id, request) {
      checkOptionNames('executions.decide', request);
      const recording = await read(id, request.userId);
      const { start, end, questions } = recording;
      if (start.dryRun) return decideDryRun(recording, request, decisions);
      if (end) throw executionEnded(endStatus(end.status, end.limit));
      const asked = [...questions.values()].flat();
      const decided = await decide(id, asked, request, decisions);
      const approved = lastOfCalls(asked).filter(({ number }) => decided.includes(number));
      await keepDecision(approved, { request, userId: start.user ?? DEFAULT_USER, lasting: control.lasting });
      return decided;
    },
    async resume(id, options = {}) {
      checkOptionNames('executions.resume', options);
      return resume(id, options);
    },
    async fork(id, options) {
      checkOptionNames('executions.fork', options);
      const { status } = await recorded.get(id, options.userId);
      if (status === 'running') throw stillRuns(id);
      return repeats.fork(await read(id, options.userId), options);
    },
    async file(id, path, userId) {
      const { result, sessionId } = await recorded.get(id, userId);
      const named = result && filesOf(result).find((file) => file.path === path);
      if (!named) return undefined;
      const bytes = await control.readStored(path, { id, sessionId, userId: userId ?? DEFAULT_USER }, named.bytes);
      return bytes?.length === named.bytes ? bytes : undefined;
    },
    exportTest: async (id, userId) => repeats.exportTest(await read(id, userId)),
    diff: (before, after, userId) => diffOf(recorded, [before, after], userId),
    continueExecutions: () => control.continueWith((id, userId) => resume(id, { userId }, true)),
    replay: async (id, userId) => repeats.replay(await read(id, userId)),
    async remove(id, userId) {
      const { status } = await recorded.get(id, userId);
      if (status === 'running' || status === 'suspended') throw notEnded(status);
      await control.remove(id, userId);
    },
    async cancel(id, userId) {
      const { status } = await recorded.get(id, userId);
      if (status === 'suspended') await resume(id, { userId, signal: AbortSignal.abort() });
      else if (status !== 'running') throw executionEnded(status);
      else if (!control.active.cancel(id)) await storage.requestCancel(id);
      return recorded.get(id, userId);
    },
  };
}

async function diffOf(
  recorded: ExecutionsOptions['recorded'],
  [before, after]: readonly [string, string],
  userId: string | undefined,
) {
  const compared = async (id: string) => ({
    record: await recorded.get(id, userId),
    recording: await recorded.read(id, userId),
  });
  const { diffExecutions } = await import('../compare/diff.ts');
  return diffExecutions(await compared(before), await compared(after));
}

function filesOf(result: ExecutionResult): readonly (MediaFile | ResultFile)[] {
  return [...(result.media ?? []), ...('file' in result && result.file ? [result.file] : [])];
}

function notEnded(status: string): ToolwrightError {
  const message = `The execution has not ended: its status is "${status}". Cancel it first, and wait for its end.`;
  return new ToolwrightError('EXECUTION_RUNNING', message);
}

function stillRuns(id: string): ToolwrightError {
  const message = `Execution ${id} still runs. Fork it when it has ended or is suspended, or cancel it first.`;
  return new ToolwrightError('EXECUTION_RUNNING', message);
}

function executionEnded(status: string): ToolwrightError {
  return new ToolwrightError('EXECUTION_ENDED', `The execution has ended: its status is "${status}". Read it instead.`);
}

/** Returns how a person reads one execution: with the decision about a dry run, and with real values on request. */
function shownTo({ recorded, storage, restore, active }: ExecutionsOptions): ExecutionReader {
  return {
    list: recorded.list,
    journal: recorded.journal,
    async get(id, userId, { values = 'redacted' } = {}) {
      const record = await recorded.get(id, userId);
      const decision = record.isDryRun && (await decisionAboutDryRun(id, storage.decisions));
      const logs = record.result === undefined ? active.logs(id) : undefined;
      const whole = { ...record, ...(decision ? { decision } : {}), ...(logs ? { logs } : {}) };
      return values === 'real' ? restore(whole, { userId, sessionId: record.sessionId }) : whole;
    },
    async calls(id, userId, { values = 'redacted', ...page } = {}) {
      const calls = await recorded.calls(id, userId, page);
      if (values === 'redacted') return calls;
      const { sessionId } = await recorded.get(id, userId);
      return restore(calls, { userId, sessionId });
    },
  };
}
