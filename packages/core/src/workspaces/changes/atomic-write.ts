import { open, rename, rm } from 'node:fs/promises';

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
