import { renameSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';

/** A shorter file is read and written without a thread, which takes a tenth of the time. */
export const MAX_SHORT_BYTES = 64 * 1024;

/**
 * Writes a file atomically: a reader, or a crash, sees the old or the new content. The data is written to `staged`, which
 * is then renamed. `durable` waits for the disk before that, so that a power cut has the same effect.
 */
export async function replaceFile(
  target: string,
  staged: string,
  data: Buffer,
  { mode, durable }: { readonly mode: number; readonly durable: boolean },
): Promise<void> {
  try {
    if (!durable && data.length <= MAX_SHORT_BYTES) {
      writeFileSync(staged, data, { flag: 'wx', mode });
      renameSync(staged, target);
      return;
    }
    const file = await open(staged, 'wx', mode);
    try {
      await file.writeFile(data);
      if (durable) await file.datasync();
    } finally {
      await file.close();
    }
    await rename(staged, target);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
}
