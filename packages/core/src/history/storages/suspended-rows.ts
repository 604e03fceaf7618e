import { type Database, databaseClock, ownerLives, unescapedText } from '@toolwright/storage/internal';
import { readJournalEnds } from '../../journal/ends.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import type { FoundExecution } from './storage.ts';

/** An execution that was interrupted earlier is not continued by itself: a person may have done its work since. */
const MAX_INTERRUPTED_MS = 24 * 60 * 60 * 1_000;
const MOST_FOUND = { sqlite: 10_000, postgres: 100 };
// Its owner has died not longer than a day ago.
const INTERRUPTED = {
  sqlite: `changed_at > clock_timestamp() - interval '1 day' and not ${ownerLives('owner')}`,
  postgres: `(owner is null or expires_at <= clock_timestamp())
        and coalesce(expires_at, changed_at) > clock_timestamp() - interval '1 day'`,
};

/** Finds the suspended executions whose time has come, or that have a new decision, and those whose owner may have died. */
export async function findSuspended(
  { engine, url, read }: Database,
  journals: JournalReader,
  skipped: ReadonlySet<string>,
): Promise<readonly FoundExecution[]> {
  const find = `select id::text as name, user_id, owner::text as owner from (
      select id, user_id, owner from toolwright.executions where status = 'suspended' and wake_at <= to_timestamp($2::float8 / 1000)
      union
      select e.id, e.user_id, e.owner from toolwright.decisions d join toolwright.executions e on e.id = d.execution
        where not d.is_applied and e.status = 'suspended'
      union
      select id, user_id, owner from toolwright.executions where status is null and not dry_run and ${INTERRUPTED[engine]}
    ) found where id <> all($1::uuid[]) limit ${MOST_FOUND[engine]}`;
  const found: FoundExecution[] = [];
  for (const { name, user_id, owner } of await read(find, [[...skipped], databaseClock(url).now()])) {
    const id = String(name);
    // The row of a dead process may be behind its file. In PostgreSQL, a line and its status are one commit.
    const mayBeBehind = engine === 'sqlite' && owner !== null;
    if (!mayBeBehind || (await goesOn(journals, id))) found.push({ id, userId: unescapedText(user_id) });
  }
  return found;
}

/** Returns whether a journal without a living owner is one that goes on. */
async function goesOn(journals: JournalReader, id: string): Promise<boolean> {
  const { start, suspension, end, changedMs = 0 } = (await readJournalEnds(journals, id, 'head')) ?? {};
  return start !== undefined && !end && (suspension !== undefined || changedMs > Date.now() - MAX_INTERRUPTED_MS);
}
