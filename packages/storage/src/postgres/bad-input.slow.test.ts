import { randomBytes } from 'node:crypto';
import { chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../test/fixtures/postgres.ts';
import { mountSmallDisk, needsMounts } from '../../../../test/fixtures/small-disk.ts';
import { postgresStore } from '../postgres.ts';
import type { Store } from '../store.ts';

const MIGRATIONS = fileURLToPath(new URL('../migrations/postgres/', import.meta.url));
const NOBODY = 65_534;
const SMALL_MB = 48;

needsPostgres.describe('a database with a problem', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  const put = (store: Store, value = '1') => store.put('a', [{ key: 'a', value }]);
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      ({ code, message }) => `${code}: ${message}`,
    );

  it('of the previous version is upgraded, and keeps its entries', async () => {
    const url = await postgres.create();
    const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
    for (const name of readdirSync(MIGRATIONS).sort().slice(0, 4))
      copyFileSync(join(MIGRATIONS, name), join(folder, name));
    const { Client } = await import('pg');
    const client = new Client(url);
    await client.connect();
    const { runner } = await import('node-pg-migrate');
    const names = { migrationsSchema: 'toolwright', createMigrationsSchema: true, migrationsTable: 'migrations' };
    await runner({ dbClient: client, dir: folder, direction: 'up', ...names, log: () => undefined });
    await client.query(`insert into toolwright.installation (cluster, compatible_from) values ('toolwright', 1);
      select toolwright.put_entries('a', '{k}', '{old}', '{0}', '{null}', null, null)`);
    await client.end();
    await using store = postgresStore({ url });
    expect((await store.get('a', ['k']))[0]?.toString()).toBe('old');
    expect(postgres.sql(url, 'select count(*) from toolwright.migrations')).toBe(
      String(readdirSync(MIGRATIONS).length),
    );
  });

  it('is refused by a running process once a newer version needs more, and used again after a restore', async () => {
    const url = await postgres.create();
    await using store = postgresStore({ url, recheckMs: 50 });
    await put(store);
    postgres.sql(url, 'update toolwright.installation set compatible_from = 999');
    await expect
      .poll(() => outcome(put(store)), { timeout: 20_000 })
      .toMatch(
        /^STORE_UNAVAILABLE: The schema .+ needs a version of Toolwright that knows at least 999; this one knows \d+\. Upgrade Toolwright\.$/,
      );
    postgres.sql(url, 'update toolwright.installation set compatible_from = 1');
    await expect.poll(() => outcome(put(store)), { timeout: 20_000 }).toBe('done');
  });

  it('without the right to write is readable, and each write names the missing right', async () => {
    const url = await postgres.create();
    await using owner = postgresStore({ url });
    await put(owner);
    postgres.sql(
      url,
      `create role watcher login; grant usage on schema toolwright to watcher;
       grant select on all tables in schema toolwright to watcher`,
    );
    await using store = postgresStore({ url: url.replace('//owner@', '//watcher@') });
    expect((await store.get('a', ['a']))[0]?.toString()).toBe('1');
    expect(await outcome(put(store, '2'))).toMatch(
      /^STORE_UNAVAILABLE: .+permission denied for table \w+\. .+ too few rights: GRANT/,
    );
  });

  needsMounts.it('with a full disk refuses writes with the fix, answers reads, and recovers', async () => {
    using disk = mountSmallDisk(SMALL_MB);
    const place = disk.folder;
    const folder = join(place, 'tables');
    mkdirSync(folder);
    if (process.getuid?.() === 0) for (const path of [place, folder]) chownSync(path, NOBODY, NOBODY);
    const url = await postgres.create();
    const name = new URL(url).pathname.slice(1);
    const other = 'postgres://localhost/postgres';
    postgres.sql(other, `create tablespace small location '${folder}'`);
    postgres.sql(other, `alter database ${name} set tablespace small`);
    writeFileSync(join(place, 'filler'), Buffer.alloc(16 * 1024 * 1024));
    const store = postgresStore({ url });
    await put(store);
    let problem = 'done';
    for (let number = 0; problem === 'done' && number < SMALL_MB; number++) {
      problem = await outcome(store.put('large', [{ key: String(number), value: randomBytes(1024 * 1024) }]));
    }
    expect(problem).toMatch(
      /^STORE_UNAVAILABLE: .+No space left on device\. The disk of the database is full: free space/,
    );
    expect((await store.get('a', ['a']))[0]?.toString()).toBe('1');
    rmSync(join(place, 'filler'));
    expect(await outcome(store.put('large', [{ key: 'next', value: randomBytes(1024 * 1024) }]))).toBe('done');
    await store[Symbol.asyncDispose]();
    postgres.sql(other, `drop database ${name} with (force)`);
    postgres.sql(other, 'drop tablespace small');
  });
});
