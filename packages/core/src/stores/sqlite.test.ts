import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { countInProcesses, needsBuild } from '../../../../test/fixtures/store-processes.ts';
import { runStoreCase, storeCases } from './conformance.ts';
import { sqliteStore } from './sqlite.ts';
import { openDatabase } from './sqlite-driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'store-'));
const path = join(folder, 'state/store.db');

it.for(storeCases)('$name', (testCase) => runStoreCase(() => sqliteStore({ path }), testCase));

test('its files are for this user alone, and it is a write-ahead log that several processes share', async () => {
  await using store = sqliteStore({ path: join(folder, 'modes/store.db') });
  await store.put('a', [{ key: 'a', value: '1' }]);
  const modes = ['', '/store.db', '/store.db-wal', '/store.db-shm'].map(
    (name) => statSync(`${folder}/modes${name}`).mode,
  );
  expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '600', '600', '600']);
});

needsBuild.it('several processes that write at once lose and double nothing', async () => {
  const file = join(folder, 'processes.db');
  const { sums, winners } = await countInProcesses(`sqliteStore({ path: ${JSON.stringify(file)} })`, 'sqlite');
  expect([new Set(sums).size, Math.max(...sums), winners]).toEqual([sums.length, sums.length, 1]);
});

test('what is on disk outlives the process, and what is removed is erased from the files', async () => {
  const file = join(folder, 'erased.db');
  const bytes = () => ['', '-wal'].map((end) => readFileSync(file + end).toString('latin1')).join('');
  await using store = sqliteStore({ path: file });
  await store.put('a', [{ key: 'a', value: 'find me on the disk' }]);
  expect(bytes()).toContain('find me on the disk');
  await store.delete('a');
  expect(bytes()).not.toContain('find me on the disk');
});

test('a file that is no database is an error that names it; it works once the file is mended', async () => {
  const file = join(folder, 'broken.db');
  writeFileSync(file, 'this is no database, and long enough that one can tell. '.repeat(20));
  await using store = sqliteStore({ path: file });
  await expect(store.get('a', ['a'])).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: `The SQLite store cannot be used: file is not a database. Check the file ${file}.`,
  });
  writeFileSync(file, '');
  expect(await store.put('a', [{ key: 'a', value: '1' }])).toEqual([true]);
});

test('a lock that is held too long is an error; it works when the lock is gone, and it waits for a short one', async () => {
  const file = join(folder, 'locked.db');
  await using store = sqliteStore({ path: file, waitMs: 300 });
  await store.put('a', [{ key: 'a', value: '1' }]);
  const other = openDatabase(file);
  other.exec('BEGIN IMMEDIATE');
  await expect(store.put('a', [{ key: 'a', value: '2' }])).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: `The SQLite store was locked for 300 ms: end what else writes to ${file}.`,
  });
  expect((await store.get('a', ['a']))[0]?.toString()).toBe('1');
  const writing = store.put('a', [{ key: 'a', value: '3' }]);
  other.exec('ROLLBACK');
  expect(await writing).toEqual([true]);
  other.close();
});
