import { appendFile, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dataFolderError, folderName } from '@toolwright/core/internal';

/** One task in the index of its user. */
export interface IndexEntry {
  readonly id: string;
  readonly sessionId: string;
}

/** Maximum bytes to read at the end of an index: about 80,000 tasks. */
const MAX_READ_BYTES = 8 * 1024 * 1024;

/** Adds a task to the index of its user, in one write, so that lines of several processes do not mix. */
export async function addToIndex(folder: string, user: string, { id, sessionId }: IndexEntry): Promise<void> {
  const path = indexPath(folder, user);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // The leading newline separates this line from an incomplete line of a killed process.
    await appendFile(path, `\n${JSON.stringify({ id, sessionId })}\n`, { mode: 0o600 });
  } catch (cause) {
    throw dataFolderError(folder, cause);
  }
}

/** Returns the newest tasks of a user, oldest first. */
export async function readIndex(folder: string, user: string): Promise<IndexEntry[]> {
  const file = await open(indexPath(folder, user), 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const length = Math.min(size, MAX_READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead).split('\n').filter(Boolean).flatMap(parse);
  } finally {
    await file.close();
  }
}

function indexPath(folder: string, user: string): string {
  return join(folder, 'users', `${folderName('user', user)}.jsonl`);
}

function parse(line: string): IndexEntry[] {
  try {
    const { id, sessionId } = JSON.parse(line);
    return typeof id === 'string' && typeof sessionId === 'string' ? [{ id, sessionId }] : [];
  } catch {
    return [];
  }
}
