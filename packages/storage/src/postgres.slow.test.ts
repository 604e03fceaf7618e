import { setTimeout as sleep } from 'node:timers/promises';
import { runStoreCase, storeCases } from '@toolwright/conformance/store';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../test/fixtures/postgres.ts';
import { countInProcesses, needsBuild } from '../../../test/fixtures/store-processes.ts';
import { openStore } from './open.ts';
import { LOCK } from './postgres/schema.ts';
import { postgresStore } from './postgres.ts';
import type { Store } from './store.ts';

needsPostgres.describe('postgres', () => {
  let postgres: TestPostgres;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.create();
  });
  afterAll(() => postgres?.stop());

  it.for(storeCases)('$name', (testCase) => runStoreCase(() => postgresStore({ url }), testCase));

  /** Uses a store once, and returns the error. */
  const refusalOf = async (address: string) => {
    await using store: Store = openStore(address, '/none');
    return await store.get('a', ['a']).then(
      () => 'no error',
      ({ code, message }) => `${code}: ${message}`,
    );
  };
  const nameOf = (address: string) => {
    const { pathname, searchParams } = new URL(address);
    return `${searchParams.get('host')}${pathname}`;
  };

  needsBuild.it('lets several processes create the schema and write at once', async () => {
    const empty = await postgres.create();
    const { sums, winners } = await countInProcesses(`postgresStore({ url: ${JSON.stringify(empty)} })`, 'postgres');
    expect([new Set(sums).size, Math.max(...sums), winners]).toEqual([sums.length, sums.length, 1]);
  });

  it('runs each migration once when many stores start at once', async () => {
    const empty = await postgres.create();
    // Stores with other options do not share their connections.
    const stores = Array.from({ length: 12 }, (_, index) => postgresStore({ url: empty, connections: index + 1 }));
    await Promise.all(stores.map((store, index) => store.put('a', [{ key: String(index), value: '1' }])));
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
    const counts =
      'select count(*) = count(distinct name), (select count(*) from toolwright.entries) from toolwright.migrations';
    expect(postgres.sql(empty, counts)).toBe('t|12');
  });

  it('waits for the migrations of another process longer than a statement may take', async () => {
    const empty = await postgres.create();
    const { Client } = await import('pg');
    const other = new Client(empty);
    await other.connect();
    await other.query(`select pg_advisory_lock(${LOCK})`);
    await using store = postgresStore({ url: empty, timeoutMs: 300 });
    const putting = store.put('a', [{ key: 'a', value: '1' }]);
    await sleep(900);
    await other.end();
    expect(await putting).toEqual([true]);
  });

  it('shares the connections of a process, until its last store is closed', async () => {
    const own = await postgres.create();
    const stores = Array.from({ length: 4 }, () => postgresStore({ url: own, connections: 2 }));
    const put = (store: Store) => store.put('a', [{ key: 'a', value: '1' }]);
    await Promise.all([...stores, ...stores].map(put));
    const database = new URL(own).pathname.slice(1);
    const count = () =>
      Number(postgres.sql(url, `select count(*) from pg_stat_activity where datname = '${database}'`));
    expect(count()).toBe(2);
    for (const store of stores.slice(1)) await store[Symbol.asyncDispose]();
    expect(await stores[0]?.get('a', ['a'])).toEqual([Buffer.from('1')]);
    await stores[0]?.[Symbol.asyncDispose]();
    await expect.poll(count).toBe(0);
    await using again = postgresStore({ url: own, connections: 2 });
    expect(await put(again)).toEqual([true]);
  });

  it('fails while the server is down, and recovers by itself, also with idle connections', async () => {
    await using store = postgresStore({ url, timeoutMs: 5_000 });
    await Promise.all(Array.from({ length: 5 }, () => store.put('down', [{ key: 'a', value: '1' }])));
    await postgres.restart();
    expect((await store.get('down', ['a']))[0]?.toString()).toBe('1');
    await postgres.kill();
    const message = expect.stringMatching(`^PostgreSQL at ${nameOf(url)} failed: .+ Check that it runs`);
    for (let call = 0; call < 3; call++)
      await expect(store.put('down', [])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message });
    await postgres.restart();
    await expect.poll(() => store.increment('down', { count: 1 }), { timeout: 20_000 }).toEqual({ count: 1 });
  });

  it('ends a statement that waits for a lock too long', async () => {
    // A loaded machine may need half a second for a statement that waits for nothing.
    await using patient = postgresStore({ url });
    await patient.put('locked', [{ key: 'a', value: '1' }]);
    await using store = postgresStore({ url, timeoutMs: 500 });
    const { Client } = await import('pg');
    const other = new Client(url);
    await other.connect();
    await other.query('begin; lock table toolwright.namespaces');
    await expect(store.put('locked', [{ key: 'a', value: '2' }])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await other.query('rollback');
    await other.end();
    expect((await patient.get('locked', ['a']))[0]?.toString()).toBe('1');
  });

  it('erases expired namespaces', async () => {
    await using store = postgresStore({ url });
    await store.put('expired', [{ key: 'a', value: '1' }], { maxMs: 1 });
    await sleep(20);
    postgres.sql(url, 'select toolwright.purge_namespaces(1000)');
    expect(postgres.sql(url, `select count(*) from toolwright.namespaces where name = 'expired'`)).toBe('0');
  });

  it('refuses a database that does not exist, with the fix', async () => {
    const missing = url.replace(/\/d[\da-f]+\?/, '/nowhere?');
    expect(await refusalOf(missing)).toBe(
      `STORE_UNAVAILABLE: PostgreSQL at ${nameOf(missing)} failed: database "nowhere" does not exist. Create the database: createdb, or CREATE DATABASE.`,
    );
  });

  it('refuses a user without rights, before and after the schema exists, with the fix', async () => {
    const empty = await postgres.create();
    postgres.sql(empty, 'create role guest login');
    const guest = empty.replace('//owner@', '//guest@');
    expect(await refusalOf(guest)).toMatch(
      /: permission denied for database .+ too few rights: GRANT CREATE ON DATABASE/,
    );
    expect(await refusalOf(empty)).toBe('no error');
    expect(await refusalOf(guest)).toMatch(/: permission denied for schema toolwright\. .+ too few rights: GRANT/);
    postgres.sql(
      empty,
      `grant usage on schema toolwright to guest; grant all on all tables in schema toolwright to guest;
       grant all on all sequences in schema toolwright to guest`,
    );
    expect(await refusalOf(guest)).toBe('no error');
  });

  it('refuses a database that is read-only, with the fix', async () => {
    const empty = await postgres.create();
    postgres.sql(empty, `alter database ${new URL(empty).pathname.slice(1)} set default_transaction_read_only = on`);
    expect(await refusalOf(empty)).toMatch(/read-only transaction\. The database is read-only: connect to the primary/);
  });

  it('uses the schema of the next version, and refuses one that it cannot use', async () => {
    const newer = await postgres.create();
    expect(await refusalOf(newer)).toBe('no error');
    postgres.sql(newer, `insert into toolwright.migrations (name, run_on) values ('9999_later', now())`);
    expect(await refusalOf(newer)).toBe('no error');
    postgres.sql(newer, 'update toolwright.installation set compatible_from = 999');
    expect(await refusalOf(newer)).toMatch(
      /^STORE_UNAVAILABLE: The schema of PostgreSQL at .+ needs a version of Toolwright that knows at least 999; this one knows \d+\. Upgrade Toolwright\.$/,
    );
  });

  it('refuses a schema of another program, and one with missing tables', async () => {
    const foreign = await postgres.create();
    postgres.sql(foreign, 'create schema toolwright; create table toolwright.tools (id int)');
    expect(await refusalOf(foreign)).toMatch(
      /^CONFIG_INVALID: The schema "toolwright" .+ has tables of another program\./,
    );
    const damaged = await postgres.create();
    expect(await refusalOf(damaged)).toBe('no error');
    postgres.sql(damaged, 'drop table toolwright.entries');
    expect(await refusalOf(damaged)).toMatch(
      /"toolwright.entries" does not exist\. A part .+ restore the database from a backup\.$/,
    );
  });

  it('refuses the database of another cluster', async () => {
    const shared = await postgres.create();
    expect(await refusalOf(`${shared}&cluster=blue`)).toBe('no error');
    expect(await refusalOf(`${shared}&cluster=blue`)).toBe('no error');
    expect(await refusalOf(shared)).toBe(
      `CONFIG_INVALID: PostgreSQL at ${nameOf(shared)} belongs to the cluster "blue", and this process to "toolwright". Use another database, or add cluster=blue to the URL of the store.`,
    );
  });
});

test('names an unreachable server in the error, without its password', async () => {
  await using store = postgresStore({ url: 'postgres://ada:secret@127.0.0.1:1/data', timeoutMs: 1_000 });
  const thrown: unknown = await store.get('a', ['a']).catch((error) => error);
  expect(thrown).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('PostgreSQL at 127.0.0.1:1/data failed: '),
  });
  expect(String(thrown)).not.toContain('secret');
});

test('refuses an invalid URL without repeating it', () => {
  for (const url of ['postgres://ada:secret@[', 'postgres://ada:secret@host/data?cluster=a%20b']) {
    const thrown = (() => {
      try {
        return postgresStore({ url });
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(String(thrown)).not.toContain('secret');
  }
});
