import {
  type BlobStore,
  leasedRows,
  monotonicMs,
  openRowLeases,
  type Postgres,
  type Row,
  type RowLease,
} from '@toolwright/storage/internal';
import { blobKey } from './contents.ts';
import { decodeManifest, EMPTY_MANIFEST, encodeManifest, type Manifest } from './manifest.ts';

/** One version of a folder. */
export interface NewestVersion {
  readonly id: string;
  readonly version: number;
  /** Absent for the version that the caller knows. */
  readonly manifest?: Manifest;
}

/** The right to write a folder. A higher fencing number ends it. */
export interface WriteRight {
  readonly folder: string;
  readonly fence: string;
}

/** The manifests of all folders, and the rights to write them, in PostgreSQL. All methods reject with `STORE_UNAVAILABLE`. */
export interface FolderRows {
  /** Returns the newest version; undefined for a folder without one. */
  read(name: string, knownVersion: number): Promise<NewestVersion | undefined>;
  /**
   * Asks for the right to write. Returns a ticket while others have it: pass that the next time, within the time to live. Returns
   * `gone` for a removed session.
   */
  acquire(
    name: string,
    request: { readonly ticket: string | undefined; readonly knownVersion: number },
  ): Promise<(NewestVersion & { readonly right: WriteRight }) | { readonly ticket: string } | 'gone'>;
  /** Returns whether others wait for a right of this process, as of its last renewal. Undefined for a lost right. */
  isWanted(right: WriteRight): boolean | undefined;
  /** Makes the blobs of an upload known. They are kept for an hour, and longer if a commit names them. */
  register(folder: string, keys: readonly string[]): Promise<void>;
  /** Makes a version the newest one, and returns its number. `isLast` also releases the right. Undefined without the right. */
  commit(right: WriteRight, manifest: Manifest, isLast: boolean): Promise<number | undefined>;
  release(right: WriteRight): Promise<void>;
  /** Returns whether a folder exists. */
  has(folder: string): Promise<boolean>;
  /** Removes a folder, and returns its size. */
  remove(name: string): Promise<{ readonly bytes: number; readonly files: number }>;
  /** Returns the size of some folders together. */
  sizeOf(names: readonly string[]): Promise<{ readonly bytes: number; readonly files: number }>;
  /** Returns the names with a prefix that were last changed a time ago, in pages. */
  list(prefix: string, ageMs?: number): AsyncIterable<readonly string[]>;
  /** Returns the names of folders of executions that were last changed a time ago, in pages, except those of unfinished executions. */
  listExpired(ageMs: number): AsyncIterable<readonly string[]>;
  /** Deletes blobs that no manifest has named for a time. Returns their number. */
  collect(blobs: BlobStore, unusedMs: number): Promise<number>;
  /** Ends the renewals. */
  close(): Promise<void>;
}

const PAGE = 500;
const MOST_COLLECTED = 200;
const READ = `select id::text, version::text, case when version <> $2 then manifest end as manifest from toolwright.folders
  where name = $1 and version > 0`;
const ACQUIRE = `select id::text, fence::text, ticket::text, version::text, manifest
  from toolwright.acquire_folder($1, $2, $3, $4, $5)`;
const LEASED = {
  name: 'folders',
  owner: 'owner',
  wanted: `exists (
      select from toolwright.folder_waiters w where w.folder = held.id and w.expires_at > clock_timestamp()
    )`,
};
const REGISTER = `insert into toolwright.folder_blobs (folder, key, unused_at) select $1, unnest($2::text[]), clock_timestamp()
  on conflict (folder, key) do update set unused_at = case when folder_blobs.unused_at is not null then clock_timestamp() end`;
const COMMIT = 'select toolwright.commit_folder($1, $2, $3, $4, $5, $6, $7)::text as version';
const RELEASE =
  'update toolwright.folders set owner = null, expires_at = null where id = $1 and fence = $2 and owner is not null';
const SIZE = `select coalesce(sum(bytes), 0)::text as bytes, coalesce(sum(files), 0)::text as files
  from toolwright.folders where name = any($1)`;
const LIST = `select name from toolwright.folders where starts_with(name, $1) and name > $2 and version > 0
    and changed_at <= clock_timestamp() - $3 * interval '1 millisecond' and (owner is null or expires_at <= clock_timestamp())`;
const IN_ORDER = `order by name limit ${PAGE}`;
// A suspended execution may wait longer than data is kept.
const ENDED = `not exists (
    select from toolwright.executions e where e.id = case when name ~ '^execution/[0-9a-f-]{36}$' then substr(name, 11)::uuid end
      and (e.status is null or e.status = 'suspended')
  )`;
// Another process that uploads such a blob again waits for the end of the transaction.
const UNUSED = `select folder::text, key from toolwright.folder_blobs
  where unused_at < clock_timestamp() - $1 * interval '1 millisecond'
  order by unused_at limit ${MOST_COLLECTED} for update skip locked`;
const FORGET = `delete from toolwright.folder_blobs b using unnest($1::uuid[], $2::text[]) as gone (folder, key)
  where b.folder = gone.folder and b.key = gone.key`;

/** Milliseconds between two renewals of the rights. */
const RENEW_MS = 1_000;

/** Opens the rows of a database for a process, which closes it after them. */
export function openFolderRows(database: Postgres, { ttlMs }: { readonly ttlMs: number }): FolderRows {
  const { read, write } = database;
  const leases = openRowLeases(leasedRows(database, LEASED, { ttlMs, everyMs: RENEW_MS }));
  const { owner } = leases;
  const held = new Map<string, { readonly lease: RowLease; isWanted: boolean }>();
  const find = ({ folder, fence }: WriteRight) => {
    const own = held.get(folder);
    return own?.lease.fence === fence ? own : undefined;
  };
  const forget = (right: WriteRight) => {
    find(right)?.lease.end();
    if (find(right)) held.delete(right.folder);
  };
  const keep = (right: WriteRight, sinceMs: number) => {
    const lease = leases.add({
      id: right.folder,
      fence: right.fence,
      sinceMs,
      onLost: () => forget(right),
      onRenewed(isWanted) {
        own.isWanted = isWanted;
      },
    });
    const own = { lease, isWanted: false };
    held.set(right.folder, own);
  };
  return {
    async read(name, knownVersion) {
      const [row] = await read(READ, [name, knownVersion]);
      return row && stateOf(row);
    },
    async acquire(name, { ticket, knownVersion }) {
      const sinceMs = monotonicMs();
      const [row] = await write(ACQUIRE, [name, owner, ticket ?? null, ttlMs, knownVersion]);
      if (!row) return 'gone';
      if (row.fence === null) return { ticket: String(row.ticket) };
      const state = await stateOf(row);
      const manifest = state.version === 0 ? { manifest: EMPTY_MANIFEST } : {};
      const right = { folder: state.id, fence: String(row.fence) };
      keep(right, sinceMs);
      return { ...state, ...manifest, right };
    },
    isWanted: (right) => find(right)?.isWanted,
    async register(folder, keys) {
      if (keys.length > 0) await write(REGISTER, [folder, keys]);
    },
    async commit(right, manifest, isLast) {
      const { folder, fence } = right;
      const { bytes, files } = measured(manifest);
      const content = await encodeManifest(manifest);
      const [row] = await write(COMMIT, [folder, fence, content, bytes, files, [...manifest.blobs.keys()], isLast]);
      if (row?.version === null || row === undefined) return undefined;
      if (isLast) forget(right);
      return Number(row.version);
    },
    async release(right) {
      forget(right);
      await write(RELEASE, [right.folder, right.fence]);
    },
    close: leases.close,
    has: async (folder) => (await read('select from toolwright.folders where id = $1', [folder])).length > 0,
    remove: async (name) => sizeOf((await write('select * from toolwright.remove_folder($1)', [name]))[0]),
    sizeOf: async (names) => sizeOf((await read(SIZE, [names]))[0]),
    list: (prefix, ageMs = 0) => pages(read, `${LIST} ${IN_ORDER}`, { prefix, ageMs }),
    listExpired: (ageMs) => pages(read, `${LIST} and ${ENDED} ${IN_ORDER}`, { prefix: 'execution/', ageMs }),
    collect: (blobs, unusedMs) =>
      database.transaction(async (query) => {
        const unused = (await query(UNUSED, [unusedMs])).map(
          ({ folder, key }) => [String(folder), String(key)] as const,
        );
        if (unused.length === 0) return 0;
        await blobs.delete(unused.map(([folder, key]) => blobKey(folder, key)));
        await query(FORGET, [unused.map(([folder]) => folder), unused.map(([, key]) => key)]);
        return unused.length;
      }),
  };
}

async function* pages(
  read: Postgres['read'],
  sql: string,
  { prefix, ageMs }: { readonly prefix: string; readonly ageMs: number },
): AsyncGenerator<readonly string[]> {
  let last = '';
  for (;;) {
    const names: string[] = (await read(sql, [prefix, last, ageMs])).map(({ name }) => String(name));
    if (names.length > 0) yield names;
    if (names.length < PAGE) return;
    last = names.at(-1) ?? '';
  }
}

async function stateOf({ id, version, manifest }: Row): Promise<NewestVersion> {
  return {
    id: String(id),
    version: Number(version),
    manifest: Buffer.isBuffer(manifest) ? await decodeManifest(manifest) : undefined,
  };
}

function measured({ entries }: Manifest): { bytes: number; files: number } {
  let bytes = 0;
  for (const entry of entries.values()) if (entry.kind === 'file') bytes += entry.size;
  return { bytes, files: entries.size };
}

function sizeOf(row: Row | undefined): { bytes: number; files: number } {
  return { bytes: Number(row?.bytes ?? 0), files: Number(row?.files ?? 0) };
}
