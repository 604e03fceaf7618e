import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { ToolwrightError } from '../../errors.ts';
import { dataFolder } from '../../journal/data-folder.ts';
import type { Session } from '../../sessions/session.ts';
import type { Execution } from '../execution.ts';
import type { ExecutionRecord } from '../executions.ts';
import type { ResultFile } from '../result.ts';

/** Writes a result over the limit to the workspace. Raises `WORKSPACE_FULL`. */
export async function storeResult(value: string, { id, session }: Execution): Promise<ResultFile> {
  const name = `${id}.json`;
  const path = `/workspace/results/${name}`;
  await session.workspace.makeFolder('/workspace/results', true);
  const content = Buffer.from(value);
  await session.workspace.write(path, content, 'replace');
  const hostPath = join(session.workspace.root, 'results', name);
  return { path, hostPath, bytes: content.length };
}

/** Where stored results are read, and the largest one. */
export interface StoredResults {
  readonly dataDir: string;
  readonly maxBytes: number;
  /** Returns a session of the user. */
  session(id: string): Promise<Session>;
}

/** Reads a stored result. Raises `RESULT_TOO_LARGE`, and `UNKNOWN_EXECUTION` for one that was removed. */
export async function readStoredResult(
  { id, sessionId }: Pick<ExecutionRecord, 'id' | 'sessionId'>,
  bytes: number,
  { dataDir, maxBytes, session }: StoredResults,
): Promise<unknown> {
  if (bytes > maxBytes) {
    const message = `The value of execution ${id} has ${bytes} bytes; the limit is ${maxBytes}. Run a program that returns less.`;
    throw new ToolwrightError('RESULT_TOO_LARGE', message, { details: { bytes } });
  }
  const folders = dataFolder(dataDir);
  const owner = sessionId === undefined ? undefined : await session(sessionId).catch(() => undefined);
  const own = owner && folders.session(owner.id);
  const roots = [
    join(folders.executions, `${id}.files`),
    ...(own === undefined ? [] : [join(own, 'workspace')]),
    ...(owner?.customer === undefined ? [] : [folders.customerWorkspace(owner.customer)]),
  ];
  for (const root of roots) {
    const text = await readInside(dataDir, join(root, 'results', `${id}.json`), maxBytes);
    if (text !== undefined) return JSON.parse(text);
  }
  throw new ToolwrightError('UNKNOWN_EXECUTION', `The value of execution ${id} was removed. Run its program again.`);
}

/** Returns the text of a file below a folder; undefined if there is none. Follows no link out of the folder. */
async function readInside(folder: string, path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const [root, parent] = await Promise.all([realpath(folder), realpath(dirname(path))]);
    if (!parent.startsWith(`${root}${sep}`)) return undefined;
    await using file = await open(join(parent, basename(path)), constants.O_RDONLY | constants.O_NOFOLLOW);
    const stats = await file.stat();
    return stats.isFile() && stats.size <= maxBytes ? await file.readFile('utf8') : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
