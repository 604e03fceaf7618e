import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface SweepOptions {
  /** Folder of the transcripts. */
  readonly root: string;
  /** Days after their last change at which transcripts are deleted; 0 keeps them. */
  readonly retentionDays: number;
  readonly signal: AbortSignal;
}

/** Days that transcripts stay when nobody says otherwise; longer than any task can run. */
export const DEFAULT_RETENTION_DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Transcripts, those that were put aside, and claims. */
const EXPIRABLE = /^[\da-f-]{36}\.jsonl(?:\.corrupt|\.run\d+)?$/;

/** Deletes old transcripts; resolves to how many files went. What cannot be deleted is tried again the next time. */
export async function purgeTasks({ root, retentionDays, signal }: SweepOptions): Promise<number> {
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
