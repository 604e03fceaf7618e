import { randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolwrightError } from '../../errors.ts';
import { type DataFolder, dataFolderError, isSessionId } from '../../stores/data-folder/data-folder.ts';
import { spaceOf } from '../../workspaces/shared-state.ts';
import { measure, removeTree } from '../../workspaces/tree.ts';
import { appendEntry, hasNoEntries, readEntries } from '../log.ts';
import type { Session } from '../session.ts';
import type { SessionRecords } from './records.ts';
import { createSessionFolder, readSession, touchSession } from './session-file.ts';

/** Keeps sessions as folders of a data folder: `sessions/<id>` with `session.json`, `log.jsonl` and the workspace. */
export function fileRecords(folders: DataFolder): SessionRecords {
  /** The user of each session, which never changes. A list thus reads no session of other users twice. */
  const owners = new Map<string, string>();
  const find = (id: string) => readSession(folders.session(id), id);
  const ids = async () => (await readdir(folders.sessions).catch(() => [])).filter(isSessionId);
  return {
    find,
    async create(given) {
      const createdAt = new Date().toISOString();
      const session = { ...given, createdAt };
      const isNew = await createSessionFolder(folders.session(given.id), session).catch((cause: unknown) => {
        throw dataFolderError(folders.sessions, cause);
      });
      if (isNew) return { ...session, lastUsedAt: createdAt };
      if (await find(given.id)) return undefined;
      const message = `${folders.session(given.id)} exists and has no readable session.json. Move it away, or choose another id.`;
      throw new ToolwrightError('CONFIG_INVALID', message);
    },
    async list(userId, { limit, before } = {}) {
      const found: Session[] = [];
      const names = await ids();
      for (const name of names) {
        if ((owners.get(name) ?? userId) !== userId) continue;
        const session = await find(name);
        if (session) owners.set(name, session.userId);
        if (session?.userId === userId) found.push(session);
      }
      if (owners.size > names.length) forgetRemoved(owners, names);
      found.sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : -1));
      const start = before === undefined ? 0 : found.findIndex(({ id }) => id === before) + 1;
      return before !== undefined && start === 0
        ? []
        : found.slice(start, limit === undefined ? undefined : start + limit);
    },
    async touch(id) {
      const folder = folders.session(id);
      await touchSession(folder);
      return { isNew: await hasNoEntries(folder) };
    },
    isNew: (id) => hasNoEntries(folders.session(id)),
    async append(id, entry) {
      const folder = folders.session(id);
      await appendEntry(folder, entry);
      await touchSession(folder);
    },
    entries: (id) => readEntries(folders.session(id)),
    async remove(id) {
      // After the renaming, nobody finds the session, however long the deletion takes.
      const removed = `${folders.session(id)}.${randomUUID()}`;
      const isGone = await rename(folders.session(id), removed).then(
        () => false,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
          return true;
        },
      );
      if (isGone) return 0;
      const bytes = spaceOf(await measure(dirname(removed), basename(removed)));
      await removeTree(dirname(removed), basename(removed));
      return bytes;
    },
    async *unused(ageMs) {
      const oldest = new Date(Date.now() - ageMs).toISOString();
      for (const id of await ids()) {
        const session = await find(id);
        if (session && session.lastUsedAt < oldest) yield [session];
      }
    },
  };
}

function forgetRemoved(owners: Map<string, string>, names: readonly string[]): void {
  const existing = new Set(names);
  for (const id of owners.keys()) if (!existing.has(id)) owners.delete(id);
}
