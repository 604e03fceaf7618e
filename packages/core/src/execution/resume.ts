import { ToolwrightError } from '../errors.ts';
import { isJournalOpen } from '../journal/journal.ts';
import { type Claims, type OwnClaim, openClaims } from '../journal/leases/claims.ts';
import type { Owner } from '../journal/leases/owner.ts';
import { requireReplayable } from '../journal/read-recording.ts';
import type { Recording } from '../journal/recording.ts';
import type { Earlier } from './execution.ts';

export interface ClaimOptions {
  /** The folder of the claims. */
  readonly folder: string;
  readonly owner: Owner;
  /** Reads the journal. Raises `UNKNOWN_EXECUTION`. */
  readonly read: () => Promise<Recording>;
  /** Whether nobody asked for it. Raises `NOT_SUPPORTED` when the process ended at each of the last attempts. */
  readonly isAutomatic: boolean;
}

/** Attempts to continue an execution without getting further, after which only a person continues it. */
const MAX_FAILED_RESUMES = 3;

/**
 * Takes the exclusive right to continue a suspended or interrupted execution. Raises `EXECUTION_ENDED`, `EXECUTION_RUNNING` when
 * another process runs it, and `NOT_SUPPORTED` when it cannot be replayed.
 */
export async function claimExecution({ folder, owner, read, isAutomatic }: ClaimOptions): Promise<Earlier> {
  const seen = await read();
  requireOpen(seen);
  if (isAutomatic && seen.failedResumes >= MAX_FAILED_RESUMES) throw endsItsProcess(seen);
  const claim = claimOf(seen, openClaims(folder, owner), owner);
  if (!claim) throw running(seen.start.id);
  try {
    // Another process may have continued it, and finished, since the journal was read.
    const recording = await read();
    requireOpen(recording);
    if (recording.resumes !== seen.resumes) throw running(seen.start.id);
    return { recording, claim, isAutomatic };
  } catch (error) {
    claim.release();
    throw error;
  }
}

function claimOf(
  { start, owner: last, resumes, suspension }: Recording,
  claims: Claims,
  owner: Owner,
): OwnClaim | undefined {
  const { id } = start;
  const before = claims.find(id);
  if (before) return owner.isOwn(before.owner) ? undefined : claims.takeOver(before);
  if (isJournalOpen(id)) return undefined;
  const isFree = suspension !== undefined || last === undefined || owner.isOwn(last) || owner.end(last);
  return isFree ? claims.create(id, resumes + 1) : undefined;
}

function requireOpen(recording: Recording): void {
  const { end, start } = recording;
  if (end) {
    const message = `Execution ${start.id} has ended: its status is "${end.status}". Read it, or run its program again.`;
    throw new ToolwrightError('EXECUTION_ENDED', message);
  }
  requireReplayable(recording);
  if (start.dryRun) {
    const message = `Execution ${start.id} is a dry run, which is not continued. Run its program again with dryRun.`;
    throw new ToolwrightError('NOT_SUPPORTED', message);
  }
  if (!recording.replies.some(({ clear }) => clear !== undefined)) return;
  const message = `Execution ${start.id} cannot be continued: its program read values in plain text, which its journal does not have. Run it again.`;
  throw new ToolwrightError('NOT_SUPPORTED', message);
}

function endsItsProcess({ start, failedResumes }: Recording): ToolwrightError {
  const message = `Execution ${start.id} was continued ${failedResumes} times, and its process ended each time. Find the reason in the log of the server, then run: toolwright executions resume ${start.id}`;
  return new ToolwrightError('NOT_SUPPORTED', message);
}

function running(id: string): ToolwrightError {
  const message = `Execution ${id} runs already, here or in another process of the data folder. If that process has just died, try again in 10 seconds.`;
  return new ToolwrightError('EXECUTION_RUNNING', message);
}
