import { prepared } from './database.ts';
import { openPostgres, type Postgres, type PostgresOptions } from './postgres/connection.ts';
import { type Change, type Entry, type Lifetime, PAGE_ENTRIES, type Store } from './store.ts';

export type PostgresStoreOptions = PostgresOptions;

/** Expired namespaces are erased at most this often, after a write. */
const PURGE_INTERVAL_MS = 60_000;
const MOST_PURGED = 1_000;

const LIVING = '(n.expires_at is null or n.expires_at > clock_timestamp())';
const GET = prepared(`select e.key, e.value from toolwright.namespaces n join toolwright.entries e on e.namespace = n.id
  where n.name = $1 and ${LIVING} and e.key = any($2::bytea[])`);
const LIST = `select e.key, e.value from toolwright.namespaces n join toolwright.entries e on e.namespace = n.id
  where n.name = $1 and ${LIVING} and e.key > $2 order by e.key limit ${PAGE_ENTRIES}`;
const FIRST = LIST.replace('e.key > $2', '$2::bytea is null');
const REMAINING = `select extract(epoch from n.expires_at - clock_timestamp())::float8 * 1000 as idle,
  extract(epoch from n.ends_at - clock_timestamp())::float8 * 1000 as most
  from toolwright.namespaces n where n.name = $1 and ${LIVING}`;
const NAMES = `select n.name from toolwright.namespaces n
  where n.name >= $1 and ($2::bytea is null or n.name < $2) and ${LIVING} and ($3::bytea is null or n.name > $3)
  order by n.name limit ${PAGE_ENTRIES}`;

/**
 * Creates a store in a PostgreSQL database (14 or later), for any number of machines. An acknowledged write survives a crash of any
 * process. Lifetimes use the clock of the database. The store connects when it is first used, and creates or upgrades its schema
 * `toolwright` then. It needs the package `pg`: without it the first call rejects with `STORE_UNAVAILABLE` and names the command that
 * installs it.
 */
export function postgresStore(options: PostgresStoreOptions): Store {
  return storeOf(openPostgres(options));
}

const databases = new WeakMap<Store, Postgres>();

/** Returns the database of a store of {@link postgresStore}, which closes it. Undefined for any other store. */
export function databaseOf(store: Store): Postgres | undefined {
  return databases.get(store);
}

/** Creates a store that uses an open database, and closes it at its end. */
function storeOf(database: Postgres): Store {
  const { read, write } = database;
  let purgedAt = performance.now();
  const change = async (sql: string, values: Parameters<typeof write>[1]) => {
    // The texts of all changes are constants.
    const [row] = await write(prepared(`select ${sql} as result`), values);
    if (performance.now() - purgedAt > PURGE_INTERVAL_MS) {
      purgedAt = performance.now();
      // Expired namespaces are invisible. The next purge removes the rest.
      write('select toolwright.purge_namespaces($1)', [MOST_PURGED]).catch(() => undefined);
    }
    return row?.result;
  };
  const store: Store = {
    name: 'postgres',
    async get(namespace, keys) {
      if (keys.length === 0) return [];
      const rows = await read(GET, [bytes(namespace), keys.map(bytes)]);
      const values = new Map(rows.map(toEntry).map(({ key, value }) => [key, value]));
      return keys.map((key) => values.get(key)).map((value) => value && Buffer.from(value));
    },
    async put(namespace, changes, lifetime) {
      const columns = [
        changes.map(({ key }) => bytes(key)),
        changes.map(({ value }) => Buffer.from(value)),
        changes.map(modeOf),
        changes.map(({ was }) => (was ? Buffer.from(was) : null)),
      ];
      const call = 'toolwright.put_entries($1, $2::bytea[], $3::bytea[], $4::integer[], $5::bytea[], $6, $7)';
      return Array.from(Object(await change(call, [bytes(namespace), ...columns, ...times(lifetime)])), Boolean);
    },
    async increment(namespace, amounts, lifetime) {
      const names = Object.keys(amounts);
      const values = [bytes(namespace), names.map(bytes), Object.values(amounts), ...times(lifetime)];
      const sums = Object(await change('toolwright.increment_entries($1, $2::bytea[], $3::bigint[], $4, $5)', values));
      return Object.fromEntries(names.map((name, index) => [name, Number(sums[index])]));
    },
    async delete(namespace, keys) {
      await change('toolwright.delete_entries($1, $2::bytea[])', [bytes(namespace), keys?.map(bytes) ?? null]);
    },
    async *list(namespace) {
      let page = await read(FIRST, [bytes(namespace), null]);
      while (page.length > 0) {
        yield page.map(toEntry);
        if (page.length < PAGE_ENTRIES) return;
        page = await read(LIST, [bytes(namespace), toBytes(page.at(-1)?.key)]);
      }
    },
    async *namespaces(prefix) {
      let last: Buffer | null = null;
      for (;;) {
        const rows = await read(NAMES, [bytes(prefix), endOf(prefix), last]);
        for (const { name } of rows) yield toBytes(name).toString();
        if (rows.length < PAGE_ENTRIES) return;
        last = toBytes(rows.at(-1)?.name);
      }
    },
    async remaining(namespace) {
      const [row] = await read(REMAINING, [bytes(namespace)]);
      if (!row) return undefined;
      const { idle, most } = row;
      return { idleMs: idle === null ? undefined : Number(idle), maxMs: most === null ? undefined : Number(most) };
    },
    touch: async (namespace, lifetime) =>
      (await change('toolwright.touch_namespace($1, $2, $3)', [bytes(namespace), ...times(lifetime)])) === true,
    async check() {
      await read('select from toolwright.installation');
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
  databases.set(store, database);
  return store;
}

function bytes(text: string): Buffer {
  return Buffer.from(text);
}

function toBytes(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function toEntry({ key, value }: Readonly<Record<string, unknown>>): Entry {
  return { key: toBytes(key).toString(), value: toBytes(value) };
}

/** Returns the first name after all names with a prefix; null for an empty prefix. UTF-8 has no byte 255. */
function endOf(prefix: string): Buffer | null {
  const end = bytes(prefix);
  const last = end.length - 1;
  if (last < 0) return null;
  end[last] = (end[last] ?? 0) + 1;
  return end;
}

function modeOf({ was }: Change): number {
  if (was === undefined) return 0;
  return was === null ? 1 : 2;
}

function times({ idleMs, maxMs }: Lifetime = {}): [number | null, number | null] {
  return [idleMs ?? null, maxMs ?? null];
}
