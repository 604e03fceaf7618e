import { join } from 'node:path';
import { type Database, escapedText, ownerLives, type Query } from '@toolwright/storage/internal';
import { measureExecutions, removeExecutionFiles } from '../../journal/remove-execution.ts';
import { changeOf, namesIn, removeLeftover, removePath } from '../old-files.ts';
import type { ExecutionSpace } from './storage.ts';

export interface ExecutionFilesOptions {
  readonly database: Database;
  /** The folder of the files of executions on this machine. */
  readonly folder: string;
  /** Removes the executions that were last used before a time in milliseconds ago. Returns their number. */
  readonly removeExpired: (ageMs: number, signal: AbortSignal) => Promise<number>;
}

const BYTES = 'select coalesce(sum(bytes), 0)::text as bytes from toolwright.executions where user_id = $1';
const OF_USER = 'select id::text as name from toolwright.executions where user_id = $1 and id = any($2::uuid[])';
const REMOVE = {
  sqlite: 'delete from executions where id = $1 returning bytes',
  postgres: 'select toolwright.remove_execution($1)::text as bytes',
};
// An interrupted execution is not continued by itself after a day.
const RECENT = {
  sqlite: `changed_at > clock_timestamp() - interval '1 day' or ${ownerLives('owner')}`,
  postgres: "coalesce(expires_at, changed_at) > clock_timestamp() - interval '1 day'",
};
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
/** A journal without a row, or a damaged one, is kept as long as others. */
const JOURNAL = /\.jsonl(?:\.damaged-\d+)?$/;

/** Returns the steps that measure and remove executions, with their files in a folder of this machine. */
export function executionFiles({ database, folder, removeExpired }: ExecutionFilesOptions): ExecutionSpace {
  const { engine, read } = database;
  const columns = `id::text as name, session, status is not null or ${RECENT[engine]} as is_used`;
  const open = `select ${columns} from toolwright.executions where status is null or status = 'suspended'`;
  const here = `select ${columns} from toolwright.executions where id = any($1::uuid[])`;
  const idsHere = async () => {
    const ids = (await namesIn(folder)).flatMap((name) => ID.exec(name)?.[0] ?? []);
    return [...new Set(ids)];
  };
  const used = async (...statement: Parameters<Query>) => {
    const found = await read(...statement);
    const rows = found.map(({ name, session, is_used }) => ({ id: String(name), session, isUsed: Boolean(is_used) }));
    return { known: new Set(rows.map(({ id }) => id)), rows: rows.filter(({ isUsed }) => isUsed) };
  };
  return {
    async bytes(userId) {
      const user = escapedText(userId);
      const [row] = await read(BYTES, [user]);
      const own = await read(OF_USER, [user, await idsHere()]);
      const ids = own.map(({ name }) => String(name));
      return Number(row?.bytes) + (await measureExecutions(folder, ids));
    },
    async remove(id) {
      const bytes = await removeExecutionFiles(folder, id);
      const [row] = await database.write(REMOVE[engine], [id]);
      return Number(row?.bytes ?? 0) + bytes;
    },
    async purge({ oldestMs, now, signal }) {
      const ageMs = now - oldestMs;
      let journals = Number.isFinite(ageMs) && !signal.aborted ? await removeExpired(ageMs, signal) : 0;
      const sessions = (await used(open)).rows.flatMap(({ session }) => (session === null ? [] : String(session)));
      const { known, rows } = await used(here, [await idsHere()]);
      const inUse = new Set(rows.map(({ id }) => id));
      let leftovers = 0;
      for (const name of await namesIn(folder)) {
        const [id = name] = ID.exec(name) ?? [];
        const path = join(folder, name);
        if (JOURNAL.test(name)) {
          const isExpired = ((await changeOf(path)) ?? now) < oldestMs && !(known.has(id) && name.endsWith('.jsonl'));
          if (isExpired && (await removePath(path, signal))) journals++;
        } else if (!inUse.has(id)) {
          // The row knows how old an interrupted execution is.
          const isRemoved = known.has(id) ? await removePath(path, signal) : await removeLeftover(path, now, signal);
          if (isRemoved) leftovers++;
        }
      }
      return { journals, leftovers, usedSessions: new Set(sessions) };
    },
  };
}
