import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseJson } from '@toolwright/connectors/internal';
import { readRegularText } from '@toolwright/connectors/read-file';
import { type Database, type DataFolder, dataFolderError, isSessionId, preparedBy } from '@toolwright/storage/internal';
import * as z from 'zod';
import { ToolwrightError } from '../../errors.ts';
import { readOwnFile } from '../../telemetry/health/damaged-files.ts';
import { spaceOf } from '../../workspaces/shared-state.ts';
import { measure, removeTree } from '../../workspaces/tree.ts';
import type { SessionEntry } from '../log.ts';
import type { Session } from '../session.ts';
import type { SessionRecords } from './records.ts';
import { copySession, type SessionFolders, sessionRows } from './rows.ts';

/** The records of former versions: `session.json`, whose time is that of the last use, and `log.jsonl`. */
const recordSchema = z.object({
  id: z.string(),
  user: z.string(),
  customer: z.string().optional(),
  createdAt: z.iso.datetime(),
});
const MAX_LOG_BYTES = 512 * 1024 * 1024;
const MAX_ENTRIES = 1_000;

/** Keeps sessions as rows of a data folder. Each has a folder with its workspace. The caller closes the database. */
export function folderRecords(folders: DataFolder, database: Database): SessionRecords {
  return sessionRows(
    preparedBy(database, () => importOldSessions(folders, database)),
    sessionFolders(folders),
  );
}

function sessionFolders(folders: DataFolder): SessionFolders {
  return {
    async create(id) {
      const folder = folders.session(id);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        if ((await readdir(folder)).length === 0) return;
      } catch (cause) {
        throw dataFolderError(folders.sessions, cause);
      }
      const message = `${folder} has files of a session that ${folders.state} does not have. Move it away, or choose another id.`;
      throw new ToolwrightError('CONFIG_INVALID', message);
    },
    async remove(id) {
      // After the renaming, nobody finds the files, however long the deletion takes.
      const removed = `${folders.session(id)}.${randomUUID()}`;
      const isGone = await rename(folders.session(id), removed).then(
        () => false,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
          return true;
        },
      );
      return async () => {
        if (isGone) return 0;
        const bytes = spaceOf(await measure(dirname(removed), basename(removed)));
        await removeTree(dirname(removed), basename(removed));
        return bytes;
      };
    },
  };
}

/**
 * Adds the sessions of a former version that have a folder and no row. Their files stay as they are, for a way back. Leaves out records that
 * cannot be read, and lines that a crash cut off.
 */
export async function importOldSessions(folders: DataFolder, database: Database): Promise<void> {
  const names = (await readdir(folders.sessions).catch(() => [])).filter(isSessionId);
  if (names.length === 0) return;
  const known = new Set((await database.read('select id from toolwright.sessions')).map(({ id }) => id));
  for (const id of names) {
    const session = known.has(id) ? undefined : await readSession(folders.session(id), id);
    if (session) await copySession(database, session, await readEntries(folders.session(id)));
  }
}

async function readSession(folder: string, id: string): Promise<Session | undefined> {
  const path = join(folder, 'session.json');
  const found = await readOwnFile(path, 'session record', (text) => {
    const parsed = recordSchema.safeParse(parseJson(text));
    return parsed.success && parsed.data.id === id ? parsed.data : undefined;
  });
  const changed = found && (await stat(path).catch(() => undefined));
  if (!found || !changed) return undefined;
  const { user: userId, ...rest } = found;
  return { ...rest, userId, lastUsedAt: changed.mtime.toISOString() };
}

async function readEntries(folder: string): Promise<SessionEntry[]> {
  const text = await readRegularText(join(folder, 'log.jsonl'), MAX_LOG_BYTES).catch(() => '');
  const entries = text.split('\n').map((line) => parseJson(line));
  return entries.filter((entry) => typeof entry === 'object' && entry !== null).slice(-MAX_ENTRIES) as SessionEntry[];
}
