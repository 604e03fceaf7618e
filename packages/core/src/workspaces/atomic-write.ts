import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes a file so that a reader, and a crash, sees the old content or the new one: whole under another name, then
 * renamed. `durable` waits for the disk before that, so that a loss of power does the same.
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
