import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface PurgeOptions {
  /** Folder of the transcripts. */
  readonly root: string;
  /** Days after their last change at which transcripts are deleted; 0 keeps them. */
  readonly retentionDays: number;
  readonly signal: AbortSignal;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Matches transcripts, damaged transcripts and unfinished copies. */
const EXPIRABLE = /^[\da-f-]{36}\.jsonl(?:\.damaged-\d+|\.run\d+)?$/;

/** Deletes old transcripts and returns the number of deleted files. The next purge retries files that could not be deleted. */
export async function purgeTasks({ root, retentionDays, signal }: PurgeOptions): Promise<number> {
  if (retentionDays === 0) return 0;
  const oldestMs = Date.now() - retentionDays * DAY_MS;
  let removed = 0;
  for (const name of await readdir(root).catch(() => [])) {
    if (signal.aborted) break;
    if (!EXPIRABLE.test(name)) continue;
    const path = join(root, name);
    const changed = await stat(path).catch(() => undefined);
    if (changed === undefined || changed.mtimeMs >= oldestMs) continue;
    await rm(path).then(
      () => removed++,
      () => undefined,
    );
  }
  return removed;
}
