import type { Client, Pool } from 'pg';
import type { DatabaseClock } from '../clocks/database-clock.ts';
import { ToolwrightError } from '../errors.ts';
import { migrationsOf } from '../migrations/migrations.ts';
import type { PostgresAddress } from './address.ts';

/** The advisory lock of the database that one process holds while it runs migrations. */
export const LOCK = 7_466_902_511;

const FIND = `select to_regclass('toolwright.installation') is not null as installed,
  to_regclass('toolwright.migrations') is not null as recorded, getdatabaseencoding() as encoding,
  exists (select from pg_class where relnamespace = to_regnamespace('toolwright')) as used`;
const READ = `select cluster, compatible_from, (select array_agg(name::text order by id) from toolwright.migrations) as names,
  extract(epoch from clock_timestamp()) * 1000 as now_ms from toolwright.installation`;
const RECORD = `insert into toolwright.installation (cluster, compatible_from) values ($1, $2)
  on conflict (one) do update set compatible_from = excluded.compatible_from
  where installation.compatible_from < excluded.compatible_from`;

/** A database, and its clock, which each look at the schema reads. */
interface Place {
  readonly address: PostgresAddress;
  readonly clock: DatabaseClock;
}

/** The state of the schema in a database. */
interface Found {
  readonly cluster?: string;
  readonly compatibleFrom: number;
  /** The names of the migrations that were run, in order. */
  readonly names: readonly string[];
}

/**
 * Makes the schema of a database that of this version. Runs missing migrations: one process does it, and others wait for it. Raises
 * `STORE_UNAVAILABLE` for a schema of an incompatible version, and `CONFIG_INVALID` for the database of another cluster.
 */
export async function prepareSchema(pool: Pool, place: Place, connect: () => Promise<Client>): Promise<void> {
  const { address } = place;
  const { names: own, compatibleFrom } = migrationsOf('postgres');
  if (isComplete(check(await find(pool, place), own, address), own)) return;
  const client = await connect();
  try {
    await migrate(client);
    await client.query(RECORD, [address.cluster, compatibleFrom]);
  } finally {
    await client.end();
  }
  check(await find(pool, place), own, address);
}

/**
 * Returns a function that raises the error of {@link prepareSchema} once another version has upgraded the schema so that this one cannot use
 * it. It looks at the schema in the background, at most once per `intervalMs`.
 */
export function watchSchema(pool: Pool, place: Place, intervalMs: number): () => void {
  const { names: own } = migrationsOf('postgres');
  let lookedAt = performance.now();
  let refusal: unknown;
  const look = async () => {
    const found = await find(pool, place);
    try {
      check(found, own, place.address);
      refusal = undefined;
    } catch (error) {
      refusal = error;
    }
  };
  return () => {
    if (performance.now() - lookedAt >= intervalMs) {
      lookedAt = performance.now();
      // While the database does not answer, statements fail anyway.
      look().catch(() => undefined);
    }
    if (refusal !== undefined) throw refusal;
  };
}

async function migrate(client: Client): Promise<void> {
  const { runner } = await import('node-pg-migrate');
  await runner({
    dbClient: client,
    dir: migrationsOf('postgres').folder,
    direction: 'up',
    migrationsSchema: 'toolwright',
    createMigrationsSchema: true,
    migrationsTable: 'migrations',
    singleTransaction: true,
    lockValue: LOCK,
    advisoryLockMode: 'wait',
    // Each failure rejects with its reason.
    log: () => undefined,
  });
}

async function find(pool: Pool, { address: { name }, clock }: Place): Promise<Found> {
  const [state] = (await pool.query(FIND)).rows;
  if (state.encoding !== 'UTF8') {
    const message = `PostgreSQL at ${name} has the encoding ${state.encoding}, which cannot store every text. Create the database with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  if (!state.installed) {
    if (state.used && !state.recorded) {
      const message = `The schema "toolwright" of PostgreSQL at ${name} has tables of another program. Use another database, or rename that schema.`;
      throw new ToolwrightError('CONFIG_INVALID', message);
    }
    return { compatibleFrom: 0, names: [] };
  }
  const sinceMs = performance.now();
  const [row] = (await pool.query(READ)).rows;
  if (row) clock.add(Number(row.now_ms), performance.now() - sinceMs);
  return row
    ? { cluster: row.cluster, compatibleFrom: row.compatible_from, names: row.names ?? [] }
    : { compatibleFrom: 0, names: [] };
}

/** Returns the found state, if this version can use it. */
function check(found: Found, own: readonly string[], { name, cluster }: PostgresAddress): Found {
  if (found.cluster !== undefined && found.cluster !== cluster) {
    const message = `PostgreSQL at ${name} belongs to the cluster "${found.cluster}", and this process to "${cluster}". Use another database, or add cluster=${found.cluster} to the URL of the store.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const foreign = found.names.find((migration, index) => index < own.length && migration !== own[index]);
  if (foreign !== undefined) {
    const message = `The schema of PostgreSQL at ${name} has the migration "${foreign}", which is not of Toolwright. Restore the database from a backup.`;
    throw new ToolwrightError('STORE_UNAVAILABLE', message);
  }
  if (found.compatibleFrom > own.length) {
    const message = `The schema of PostgreSQL at ${name} has ${found.names.length} migrations and needs a version of Toolwright that knows at least ${found.compatibleFrom}; this one knows ${own.length}. Upgrade Toolwright.`;
    throw new ToolwrightError('STORE_UNAVAILABLE', message);
  }
  return found;
}

function isComplete({ names, cluster }: Found, own: readonly string[]): boolean {
  return cluster !== undefined && names.length >= own.length;
}
