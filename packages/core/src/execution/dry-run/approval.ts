import { ToolwrightError } from '../../errors.ts';
import type { Decisions, StoredDecision } from '../../journal/questions/decisions.ts';
import type { RecordedCall, Recording } from '../../journal/recording/recording.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import type { ExecutionRecord } from '../executions.ts';
import type { DecideRequest } from '../questions/decide.ts';

/** The number of the decision about a whole dry run, and of the mark of its use. Calls have numbers from 1. */
const DECISION = 0;
/** The execution that used an approval is stored like a decision, so that one of several processes wins. */
const USE = 1;

/** A call of a dry run that a person approved. */
export type ApprovedCall = RecordedCall & Required<RecordedCall>;

/** An approved dry run, which one execution uses. */
export interface Approval {
  /** Id of the dry run. */
  readonly dryRun: string;
  readonly by?: string | undefined;
  /** The calls by number. */
  readonly calls: ReadonlyMap<number, ApprovedCall>;
  /** Random values are those of the dry run. Absent with `lost`. */
  readonly seed?: number;
  /** Why a continued execution has no list any more: it makes no further call. */
  readonly lost?: string;
}

/** The execution that uses an approval. */
export interface ApprovedProgram {
  readonly executionId: string;
  readonly source: string;
  readonly language: string;
  readonly userId: string;
  readonly sessionId: string | undefined;
}

/** Returns the calls of a dry run by number. */
function callsOf({ calls }: Recording): ReadonlyMap<number, ApprovedCall> {
  const planned = [...calls.values()].filter((call): call is ApprovedCall => call.plan !== undefined);
  return new Map(planned.sort((a, b) => a.number - b.number).map((call) => [call.number, call]));
}

/**
 * Stores the decision about all calls of a dry run. Returns their numbers. Raises `EXECUTION_RUNNING`, `ALREADY_DECIDED`, and
 * `CONFIG_INVALID` for a dry run that did not complete and for other decisions.
 */
export async function decideDryRun(
  recording: Recording,
  request: DecideRequest,
  decisions: Decisions,
): Promise<readonly number[]> {
  const { start, end, tail } = recording;
  const { action, by, note } = request;
  if (!end) {
    const message = `Dry run ${start.id} has not ended. Decide when it has; after a crash, make another one.`;
    throw new ToolwrightError('EXECUTION_RUNNING', message);
  }
  const { calls, covers, always, value } = request;
  if ((action !== 'approve' && action !== 'deny') || calls || covers || always || value !== undefined) {
    throw new ToolwrightError(
      'CONFIG_INVALID',
      `A dry run is approved or denied as a whole: use approve or deny alone.`,
    );
  }
  if (end.status !== 'completed' && action === 'approve') {
    const message = `Dry run ${start.id} did not complete: its status is "${end.status}", so its list of calls has an early end. Correct the program and make another dry run.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const decision = {
    executionId: start.id,
    number: DECISION,
    action,
    binding: tail.code,
    at: new Date().toISOString(),
    by,
    note,
  };
  if (await decisions.add(decision, { isApplied: true })) return [...callsOf(recording).keys()];
  const { action: earlier = 'unknown' } = (await decisions.find(start.id, DECISION)) ?? {};
  throw new ToolwrightError(
    'ALREADY_DECIDED',
    `Dry run ${start.id} has a decision already: ${earlier}. The first decision holds.`,
  );
}

/** Returns the decision about a dry run; undefined without one. */
export async function decisionAboutDryRun(id: string, decisions: Decisions): Promise<ExecutionRecord['decision']> {
  const found = await decisions.find(id, DECISION);
  if (!found) return undefined;
  const { action, at, by, note } = found;
  return { action, at, by, note };
}

export interface ClaimApprovalOptions {
  /** The dry run. */
  readonly recording: Recording;
  readonly decisions: Decisions;
  /** Whether the execution is continued: it used the approval before. */
  readonly isContinued: boolean;
  /** Milliseconds after which an approval ends. */
  readonly expireMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Claims the approval of a dry run for an execution: one execution can. Raises `NOT_APPROVED` when there is none, and for another
 * program, language or session.
 */
export async function claimApproval(program: ApprovedProgram, options: ClaimApprovalOptions): Promise<Approval> {
  const { recording, decisions, isContinued } = options;
  const { start } = recording;
  const decision = await decisions.find(start.id, DECISION);
  const reason = reasonAgainst(program, decision, options);
  if (reason !== undefined) throw notApproved(start.id, reason);
  const use = {
    executionId: start.id,
    number: USE,
    action: 'approve' as const,
    binding: program.executionId,
    at: new Date(options.now()).toISOString(),
  };
  const isOwn = isContinued
    ? (await decisions.find(start.id, USE))?.binding === program.executionId
    : await decisions.add(use, { isApplied: true });
  if (!isOwn) throw notApproved(start.id, 'its approval was used by another execution');
  return { dryRun: start.id, by: decision?.by, calls: callsOf(recording), seed: start.seed };
}

/** Returns why an execution may not use the approval of a dry run. */
function reasonAgainst(
  { source, language, userId, sessionId }: ApprovedProgram,
  decision: StoredDecision | undefined,
  { recording: { start, tail }, isContinued, expireMs, now }: ClaimApprovalOptions,
): string | undefined {
  if (!start.dryRun) return 'it is not a dry run';
  if (source !== start.source || language !== start.language) return 'it ran another program';
  if (userId !== (start.user ?? DEFAULT_USER)) return 'it belongs to another user';
  if (sessionId !== start.session) return `it ran in ${start.session === undefined ? 'no' : 'another'} session`;
  if (decision?.action === 'deny') return `it was denied${decision.note === undefined ? '' : `: ${decision.note}`}`;
  if (decision?.action !== 'approve' || decision.binding !== tail.code) return 'nobody has approved it';
  // An execution that began in time goes on.
  if (!isContinued && Date.parse(decision.at) + expireMs <= now()) return 'its approval has expired';
  return undefined;
}

function notApproved(id: string, reason: string): ToolwrightError {
  const message = `The program was not run: dry run ${id} cannot be used, because ${reason}. Make a dry run of this program in this session, and have it approved.`;
  return new ToolwrightError('NOT_APPROVED', message);
}
