import { type Bus, createRows, type Postgres } from '@toolwright/core/internal';
import type { PostgresLease } from './postgres-leases.ts';
import { publishLines, publishRelease } from './postgres-reader.ts';
import { type OwnTranscript, takenOver } from './storage.ts';

const RELEASE = `update toolwright.tasks set owner = null, expires_at = null, waits = $3, changed_at = clock_timestamp()
  where id = $1 and fence = $2`;
// The lock keeps another owner from acquiring the task before the end of this commit. A commit whose answer was lost is repeated: its
// lines are there already. No row means that another owner has the lease.
const COMMIT = `with held as (select id from toolwright.tasks where id = $1 and fence = $2 for share),
  added as (
    insert into toolwright.task_lines (task, number, line)
    select held.id, $3::bigint + n.position, n.line from held, unnest($4::text[]) with ordinality as n (line, position)
    on conflict do nothing
  )
  select id from held`;
export interface OwnParts extends Pick<OwnTranscript, 'entries' | 'isCancelRequested'> {
  readonly database: Postgres;
  readonly bus: Bus;
  readonly lease: PostgresLease;
  readonly retryMs: number;
}

/** Creates the transcript of a task that this process owns. `onRelease` is called when it gives the task up. */
export function ownTranscript(parts: OwnParts, onRelease: () => void): OwnTranscript {
  const { database, bus, lease, entries, isCancelRequested, retryMs } = parts;
  const { id, fence } = lease;
  const lines = createRows({
    last: entries.length,
    retryMs,
    async commit(batch, before) {
      const held = (await database.write(COMMIT, [id, fence, String(before), batch])).length > 0;
      if (held) publishLines(bus, id, before, batch);
      return held;
    },
  });
  const flushed = () =>
    lines.flushed().catch((error: unknown) => {
      throw Object(error).code === 'OWNERSHIP_LOST' ? takenOver(id) : error;
    });
  let released: Promise<void> | undefined;
  const release = async (waits: boolean) => {
    onRelease();
    try {
      await flushed();
    } finally {
      lease.end();
    }
    await database.write(RELEASE, [id, fence, waits]);
    publishRelease(bus, id);
  };
  return {
    entries,
    isCancelRequested,
    listen: lease.listen,
    isHeld: lease.isHeld,
    append(entry) {
      if (!lease.isHeld()) throw takenOver(id);
      lines.append(Buffer.from(`${JSON.stringify(entry)}\n`));
    },
    flushed,
    release(waits = false) {
      released ??= release(waits);
      return released;
    },
  };
}
