import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dataFolderError, folderName, parseJson, quarantine } from '@toolwright/core/internal';
import { tasksOf } from './file-records.ts';

/** One task in the index of its user. */
export interface IndexEntry {
  readonly id: string;
  readonly sessionId: string;
}

/** Maximum bytes to read at the end of an index: about 80,000 tasks. */
const MAX_READ_BYTES = 8 * 1024 * 1024;
/** The start of each line. */
const START = '{"id":"';

/** Indexes that are being rebuilt, by path. */
const rebuilding = new Map<string, Promise<IndexEntry[]>>();

/** Adds a task to the index of its user, in one write, so that lines of several processes do not mix. */
export async function addToIndex(folder: string, user: string, entry: IndexEntry): Promise<void> {
  const path = indexPath(folder, user);
  await rebuilding.get(path);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // The leading newline separates this line from an incomplete line of a killed process.
    await appendFile(path, `\n${lineOf(entry)}`, { mode: 0o600 });
  } catch (cause) {
    throw dataFolderError(folder, cause);
  }
}

/** Returns the newest tasks of a user, oldest first. A damaged index is quarantined and made again from the transcripts. */
export async function readIndex(folder: string, user: string): Promise<IndexEntry[]> {
  const path = indexPath(folder, user);
  const found = await readTail(path);
  if (found === undefined) return [];
  if (found.entries) return found.entries;
  const work = rebuilding.get(path) ?? rebuild(folder, user, path).finally(() => rebuilding.delete(path));
  rebuilding.set(path, work);
  return work;
}

/** Returns the entries, or none for a damaged file; undefined when there is no file. */
async function readTail(path: string): Promise<{ readonly entries?: IndexEntry[] } | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const length = Math.min(size, MAX_READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // Reading from the middle of the file may start within a line.
    const entries = parse(lines.slice(size > length ? 1 : 0));
    return entries === undefined || entries.length === 0 ? {} : { entries };
  } catch (error) {
    if (Object(error).code === 'EISDIR') return {};
    throw error;
  } finally {
    await file.close();
  }
}

/** Returns undefined if a line is damaged. A line that a crash cut off is none. */
function parse(lines: readonly string[]): IndexEntry[] | undefined {
  const entries: IndexEntry[] = [];
  for (const [index, line] of lines.entries()) {
    const { id, sessionId } = Object(parseJson(line));
    if (typeof id === 'string' && typeof sessionId === 'string') entries.push({ id, sessionId });
    // A whole line is followed by an empty one.
    else if (line !== '' && (lines[index + 1] === '' || !isStart(line))) return undefined;
  }
  return entries;
}

function isStart(line: string): boolean {
  return line.startsWith(START) || START.startsWith(line);
}

async function rebuild(folder: string, user: string, path: string): Promise<IndexEntry[]> {
  const before = await stat(path);
  const entries = (await tasksOf(folder, user)).map(({ id, sessionId }) => ({ id, sessionId }));
  if (before.size === 0 && entries.length === 0) return [];
  const staged = `${path}.${randomUUID()}`;
  try {
    await writeFile(staged, entries.map((entry) => `\n${lineOf(entry)}`).join(''), { mode: 0o600, flag: 'wx' });
    // Another process may have made the index again meanwhile.
    if ((await stat(path)).ino === before.ino) {
      quarantine(path, 'task list', 'a line is not valid; the list was made again from the transcripts');
      await rename(staged, path);
    }
  } catch {
    // On a full disk the next read makes the list again.
  } finally {
    await rm(staged, { force: true });
  }
  return entries;
}

function indexPath(folder: string, user: string): string {
  return join(folder, 'users', `${folderName('user', user)}.jsonl`);
}

function lineOf({ id, sessionId }: IndexEntry): string {
  return `${JSON.stringify({ id, sessionId })}\n`;
}
