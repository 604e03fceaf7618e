import { createRows } from '@toolwright/core/internal';
import type { Bus, Database } from '@toolwright/storage/internal';
import type { HeldTask } from './leases.ts';
import { publishLines, publishRelease } from './reader.ts';
import { type OwnTranscript, takenOver } from './storage.ts';

const RELEASE = `update toolwright.tasks set owner = null, expires_at = null, waits = $3, changed_at = now()
  where id = $1 and fence = $2`;
// The lock keeps another owner from acquiring the task before the end of this commit. A commit whose answer was lost is repeated: its
// lines are there already.
const COMMIT = `insert into toolwright.task_lines (task, number, line)
  select held.id, $3::bigint + n.position, n.line
  from (select id from toolwright.tasks where id = $1 and fence = $2 for share) as held,
    unnest($4::text[]) with ordinality as n (line, position)
  where true on conflict do nothing returning number`;
const IS_HELD = 'select id from toolwright.tasks where id = $1 and fence = $2';

export interface OwnParts extends Pick<OwnTranscript, 'entries' | 'isCancelRequested'> {
  readonly database: Database;
  readonly bus: Bus;
  readonly lease: HeldTask;
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
      const added = await database.write(COMMIT, [id, fence, String(before), batch]);
      const held = added.length === batch.length || (await database.read(IS_HELD, [id, fence])).length > 0;
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
