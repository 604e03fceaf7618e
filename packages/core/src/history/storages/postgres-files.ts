import { join } from 'node:path';
import { measureExecutions, removeExecutionFiles } from '../../journal/remove-execution.ts';
import type { Postgres } from '../../stores/postgres/connection.ts';
import { escapedText } from '../../stores/postgres/escaped-text.ts';
import { namesIn, removeLeftover } from '../old-files.ts';
import type { ExecutionStorage } from './storage.ts';

export interface PostgresFilesOptions {
  readonly database: Postgres;
  /** The folder of the files of executions on this machine. */
  readonly folder: string;
}

const BYTES = 'select coalesce(sum(bytes), 0)::text as bytes from toolwright.executions where user_id = $1';
const OF_USER = 'select id::text as name from toolwright.executions where user_id = $1 and id = any($2::uuid[])';
const REMOVE = 'select toolwright.remove_execution($1)::text as bytes';
const PURGE = `select toolwright.purge_executions(clock_timestamp() - $1 * interval '1 millisecond')::text as removed`;
// An interrupted execution is not continued by itself after a day.
const SESSIONS = `select distinct session from toolwright.executions where session is not null
  and (status = 'suspended' or (status is null and coalesce(expires_at, changed_at) > clock_timestamp() - interval '1 day'))`;
const IN_USE = `select id::text as name from toolwright.executions where id = any($1::uuid[])
  and (status is not null or coalesce(expires_at, changed_at) > clock_timestamp() - interval '1 day')`;
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** Returns the steps that measure and remove executions of a database, with their files in a folder of this machine. */
export function postgresFiles({
  database,
  folder,
}: PostgresFilesOptions): Pick<ExecutionStorage, 'bytes' | 'remove' | 'purge'> {
  const idsHere = async () => {
    const ids = (await namesIn(folder)).flatMap((name) => ID.exec(name)?.[0] ?? []);
    return [...new Set(ids)];
  };
  return {
    async bytes(userId) {
      const user = escapedText(userId);
      const [row] = await database.read(BYTES, [user]);
      const here = await database.read(OF_USER, [user, await idsHere()]);
      const ids = here.map(({ name }) => String(name));
      return Number(row?.bytes) + (await measureExecutions(folder, ids));
    },
    async remove(id) {
      const [row] = await database.write(REMOVE, [id]);
      return Number(row?.bytes ?? 0) + (await removeExecutionFiles(folder, id));
    },
    async purge({ oldestMs, now, signal }) {
      const ageMs = now - oldestMs;
      const [row] = Number.isFinite(ageMs) ? await database.write(PURGE, [ageMs]) : [];
      const sessions = await database.read(SESSIONS);
      const used = new Set((await database.read(IN_USE, [await idsHere()])).map(({ name }) => String(name)));
      let leftovers = 0;
      for (const name of await namesIn(folder)) {
        const [id = name] = ID.exec(name) ?? [];
        if (!used.has(id) && (await removeLeftover(join(folder, name), now, signal))) leftovers++;
      }
      return {
        journals: Number(row?.removed ?? 0),
        leftovers,
        usedSessions: new Set(sessions.map(({ session }) => String(session))),
      };
    },
  };
}
