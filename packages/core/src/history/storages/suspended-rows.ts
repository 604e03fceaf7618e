import { type Database, databaseClock, ownerLives, unescapedText } from '@toolwright/storage/internal';
import type { KnownExecutions, SuspendedExecution } from './storage.ts';

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
  { skipped }: KnownExecutions,
): Promise<readonly (SuspendedExecution & { readonly owner: string | null })[]> {
  const find = `select id::text as name, user_id, owner::text as owner from (
      select id, user_id, owner from toolwright.executions where status = 'suspended' and wake_at <= to_timestamp($2::float8 / 1000)
      union
      select e.id, e.user_id, e.owner from toolwright.decisions d join toolwright.executions e on e.id = d.execution
        where not d.is_applied and e.status = 'suspended'
      union
      select id, user_id, owner from toolwright.executions where status is null and not dry_run and ${INTERRUPTED[engine]}
    ) found where id <> all($1::uuid[]) limit ${MOST_FOUND[engine]}`;
  const rows = await read(find, [[...skipped], databaseClock(url).now()]);
  return rows.map(({ name, user_id, owner }) => ({
    id: String(name),
    userId: unescapedText(user_id),
    wakeMs: 0,
    owner: owner === null ? null : String(owner),
  }));
}
