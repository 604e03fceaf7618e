import { ToolwrightError } from '../../errors.ts';
import type { ExecutionStorage } from '../../history/storages/storage.ts';
import { requireReplayable } from '../../journal/recording/read-recording.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import type { Earlier } from '../execution.ts';

export interface ClaimOptions {
  readonly storage: ExecutionStorage;
  /** Reads the journal. Raises `UNKNOWN_EXECUTION`. */
  readonly read: () => Promise<Recording>;
  /** Whether nobody asked for it. */
  readonly isAutomatic: boolean;
  /** Whether it raises `NOT_SUPPORTED` when the last attempts got no further. */
  readonly onlyWithProgress: boolean;
}

/**
 * Attempts to continue an execution without getting further, after which only a person continues it. A program that ends its process takes
 * others with it: fewer attempts would stop those too. With five, so would a cluster whose processes are killed each 5 s: one execution of 700.
 */
const MAX_FAILED_RESUMES = 8;

/**
 * Takes the exclusive right to continue a suspended or interrupted execution. Raises `EXECUTION_ENDED`, `EXECUTION_RUNNING` when
 * another process runs it, and `NOT_SUPPORTED` when it cannot be replayed.
 */
export async function claimExecution({ storage, read, isAutomatic, onlyWithProgress }: ClaimOptions): Promise<Earlier> {
  const seen = await read();
  requireOpen(seen);
  if (onlyWithProgress && seen.failedResumes >= MAX_FAILED_RESUMES) throw endsItsProcess(seen);
  const claim = await storage.acquire(seen);
  if (!claim) throw running(seen.start.id);
  try {
    // Another process may have continued it, and finished, since the journal was read.
    const recording = await read();
    requireOpen(recording);
    if (recording.resumes !== seen.resumes) throw running(seen.start.id);
    return { recording, claim, isAutomatic };
  } catch (error) {
    await claim.lease.release();
    throw error;
  }
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
  const message = `Execution ${start.id} was continued ${failedResumes} times, and its process ended or lost it each time. Find the reason in the log of the server, then run: toolwright executions resume ${start.id}`;
  return new ToolwrightError('NOT_SUPPORTED', message, { details: { failedResumes } });
}

function running(id: string): ToolwrightError {
  const message = `Execution ${id} runs already, here or in another process. If that process has just died, try again in 10 seconds.`;
  return new ToolwrightError('EXECUTION_RUNNING', message);
}
