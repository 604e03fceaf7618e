import type { Logger } from '@toolwright/core';
import { type Bus, type Database, monotonicMs } from '@toolwright/storage/internal';
import { checkLines } from '../loop/check-lines.ts';
import type { TranscriptEntry } from '../transcript-entry.ts';
import { CANCEL_TOPIC, type HeldTask, taskLeases } from './leases.ts';
import { PAGE_LINES, readLines, transcriptReader, untilReleased } from './reader.ts';
import { createWatch, isTaskId, type OwnTranscript, type TaskFilter, type TaskStorage, taskExists } from './storage.ts';
import { ownTranscript } from './transcript.ts';

export interface TaskRowsOptions {
  /** The tables of a machine or of a cluster. They are closed with the storage. */
  readonly database: Database;
  /** Carries new lines and requests between processes. The caller closes it. */
  readonly bus: Bus;
  /** Milliseconds without a renewal after which another owner may acquire a task. Default: 5,000. */
  readonly ttlMs?: number;
  /** Milliseconds between two renewals. Default: 1,000. */
  readonly renewMs?: number;
  /** Milliseconds for which streamed text becomes one event. Default: 0, and each piece is one. */
  readonly textGatherMs?: number;
  /** Receives damaged transcripts. */
  readonly logger: Logger;
}

const TTL_MS = 5_000;
const RENEW_MS = 1_000;
const PAGE_IDS = 100;
const MAX_WAITING = 1_000;
const PURGED_AT_ONCE = 200;

const CREATE = `insert into toolwright.tasks (id, user_id, session_id, owner, expires_at, changed_at)
  values ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 millisecond', now()) on conflict do nothing returning fence::text`;
const ACQUIRE = `update toolwright.tasks set fence = fence + 1, owner = $2, waits = false, changed_at = now(),
    expires_at = clock_timestamp() + $3 * interval '1 millisecond'
  where id = $1 and (owner is null or expires_at <= clock_timestamp()) returning fence::text, cancel_requested`;
const LEASE = `select expires_at > clock_timestamp() as alive, (extract(epoch from expires_at) * 1000)::float8 as expires_ms
  from toolwright.tasks where id = $1 and owner is not null`;
const LIST = `select id::text, number::text as position from toolwright.tasks
  where user_id = $1 and ($2::bytea is null or session_id = $2) and ($3::bigint is null or number < $3)
  order by number desc limit ${PAGE_IDS}`;
const POSITION = 'select number::text as position from toolwright.tasks where id = $1 and user_id = $2';
const WAITING = `select id::text from toolwright.tasks where waits
  union all select id::text from toolwright.tasks where owner is not null and expires_at <= clock_timestamp() limit ${MAX_WAITING}`;
const REQUEST_CANCEL = 'update toolwright.tasks set cancel_requested = true where id = $1';
const OLD = `select id::text from toolwright.tasks
  where changed_at < now() - $1 * interval '1 day' and (owner is null or expires_at <= clock_timestamp())
  limit ${PURGED_AT_ONCE} for update skip locked`;
const PURGE_LINES = 'delete from toolwright.task_lines where task = any($1::uuid[])';
const PURGE = 'delete from toolwright.tasks where id = any($1::uuid[])';

/**
 * Opens the tasks of a database, which the processes of a machine or any number of machines share. Each owner of a task has a higher fencing number than the one
 * before, and each commit carries it. Leases use the clock of the database.
 */
export function taskRows(options: TaskRowsOptions): TaskStorage {
  const { database, bus, logger, ttlMs = TTL_MS, renewMs = RENEW_MS, textGatherMs = 0 } = options;
  const leases = taskLeases({ database, bus, ttlMs, renewMs });
  const open = new Set<OwnTranscript>();
  const timers = new Set<NodeJS.Timeout>();
  const read = async (id: string) => entriesOf(id, await allLines(database, id), logger);
  const own = (lease: HeldTask, entries: readonly TranscriptEntry[], isCancelRequested: boolean) => {
    const transcript = ownTranscript({ database, bus, lease, entries, isCancelRequested, retryMs: ttlMs }, () =>
      open.delete(transcript),
    );
    open.add(transcript);
    return transcript;
  };
  const waiting = async () => (await database.read(WAITING)).map(({ id }) => String(id));
  return {
    textGatherMs,
    read,
    waiting,
    async create(record, beforeCreate) {
      beforeCreate?.();
      const sinceMs = monotonicMs();
      const values = [record.id, Buffer.from(record.userId), Buffer.from(record.sessionId), leases.owner, ttlMs];
      const [row] = await database.write(CREATE, values);
      if (!row) throw taskExists();
      const first: TranscriptEntry = { entry: 'task', ...record };
      const transcript = own(leases.add(record.id, String(row.fence), sinceMs), [], false);
      transcript.append(first);
      return { ...transcript, entries: [first] };
    },
    async acquire(id) {
      if (!isTaskId(id)) return undefined;
      const sinceMs = monotonicMs();
      const [row] = await database.write(ACQUIRE, [id, leases.owner, ttlMs]);
      if (!row) return undefined;
      const lease = leases.add(id, String(row.fence), sinceMs);
      // Read after the acquisition: the former owner adds no more lines.
      const entries = await read(id).catch((error: unknown) => {
        // Nobody uses the lease: another process gets the task when it has expired.
        lease.end();
        throw error;
      });
      const transcript = own(lease, entries ?? [], Boolean(row.cancel_requested));
      if (entries) return transcript;
      await transcript.release();
      return undefined;
    },
    follow: async (id) => transcriptReader(id, database, bus),
    async lease(id) {
      const [row] = isTaskId(id) ? await database.read(LEASE, [id]) : [];
      return row && { isAlive: Boolean(row.alive), expiresMs: Number(row.expires_ms) };
    },
    released: (id, signal) => untilReleased(bus, id, signal),
    list: (user, filter) => idsOf(database, user, filter),
    watch(onWaiting) {
      const timer = setInterval(createWatch(waiting, onWaiting), renewMs).unref();
      timers.add(timer);
      return () => clearInterval(timer);
    },
    async requestCancel(id) {
      await database.write(REQUEST_CANCEL, [id]);
      bus.publish(CANCEL_TOPIC, id);
    },
    purge: (retentionDays, signal) => purgeTasks(database, retentionDays, signal),
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer);
      await Promise.allSettled([...open].map((transcript) => transcript.release()));
      await leases.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function* idsOf(
  database: Database,
  user: string,
  { sessionId, before }: TaskFilter = {},
): AsyncGenerator<string> {
  const filter = [Buffer.from(user), sessionId === undefined ? null : Buffer.from(sessionId)];
  const [from] = isTaskId(before) ? await database.read(POSITION, [before, Buffer.from(user)]) : [];
  let last: string | null = from ? String(from.position) : null;
  for (;;) {
    const page = await database.read(LIST, [...filter, last]);
    for (const { id } of page) yield String(id);
    if (page.length < PAGE_IDS) return;
    last = String(page.at(-1)?.position);
  }
}

async function purgeTasks(database: Database, retentionDays: number, signal: AbortSignal): Promise<number> {
  let removed = 0;
  while (retentionDays > 0 && !signal.aborted) {
    const count = await database.transaction(async (query) => {
      const ids = (await query(OLD, [retentionDays])).map(({ id }) => String(id));
      for (const sql of [PURGE_LINES, PURGE]) if (ids.length > 0) await query(sql, [ids]);
      return ids.length;
    });
    removed += count;
    if (count < PURGED_AT_ONCE) break;
  }
  return removed;
}

async function allLines(database: Database, id: string): Promise<string[]> {
  const lines: string[] = [];
  for (;;) {
    const page = isTaskId(id) ? await readLines(database, id, lines.length) : [];
    lines.push(...page);
    if (page.length < PAGE_LINES) return lines;
  }
}

function entriesOf(id: string, lines: readonly string[], logger: Logger) {
  if (lines.length === 0) return undefined;
  const { entries, corrupt } = checkLines(lines, id);
  if (corrupt === undefined) return entries;
  // A newer version may have written the line.
  logger.error({ taskId: id, problem: corrupt }, 'a task transcript cannot be read');
  return undefined;
}
