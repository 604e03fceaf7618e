import { spawnSync } from 'node:child_process';
import {
  closeSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStoreCase, storeCases } from '@toolwright/conformance/store';
import { expect, it, test } from 'vitest';
import { countInProcesses, needsBuild } from '../../../test/fixtures/store-processes.ts';
import { openDriver } from './sqlite/sqlite-driver.ts';
import { sqliteStore } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'store-'));
const path = join(folder, 'state/store.db');

it.for(storeCases)('$name', (testCase) => runStoreCase(() => sqliteStore({ path }), testCase));

test('creates files for this user only, and a write-ahead log that several processes share', async () => {
  await using store = sqliteStore({ path: join(folder, 'modes/store.db') });
  await store.put('a', [{ key: 'a', value: '1' }]);
  const modes = ['', '/store.db', '/store.db-wal', '/store.db-shm'].map(
    (name) => statSync(`${folder}/modes${name}`).mode,
  );
  expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '600', '600', '600']);
});

needsBuild.it('lets several processes write at once without losing or repeating a count', async () => {
  const file = join(folder, 'processes.db');
  const { sums, winners } = await countInProcesses(`sqliteStore({ path: ${JSON.stringify(file)} })`, 'sqlite');
  expect([new Set(sums).size, Math.max(...sums), winners]).toEqual([sums.length, sums.length, 1]);
});

test('keeps entries in the file, and erases removed entries from it', async () => {
  const file = join(folder, 'erased.db');
  const bytes = () => ['', '-wal'].map((end) => readFileSync(file + end).toString('latin1')).join('');
  await using store = sqliteStore({ path: file });
  await store.put('a', [{ key: 'a', value: 'find me on the disk' }]);
  expect(bytes()).toContain('find me on the disk');
  await store.delete('a');
  expect(bytes()).not.toContain('find me on the disk');
});

test('names a file that is not a database in the error, and works after the file is repaired', async () => {
  const file = join(folder, 'broken.db');
  writeFileSync(file, 'this is no database, and long enough that one can tell. '.repeat(20));
  await using store = sqliteStore({ path: file });
  await expect(store.get('a', ['a'])).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: `The SQLite store failed: file is not a database. Restore ${file} from a backup. Or move it away: its contents, such as API keys, placeholders or tasks, are then lost.`,
  });
  rmSync(file);
  expect(await store.put('a', [{ key: 'a', value: '1' }])).toEqual([true]);
});

test.each([
  ['emptied', (file: string) => truncateSync(file, 0)],
  ['cut', (file: string) => truncateSync(file, 8_192)],
  ['overwritten at its start', (file: string) => overwrite(file, 0)],
  ['overwritten at its end', (file: string) => overwrite(file, statSync(file).size - 4_096)],
])('finds a file that was %s, before and after it is opened', async (_damage, damage) => {
  const file = join(mkdtempSync(join(folder, 'damaged-')), 'store.db');
  const store = sqliteStore({ path: file });
  await store.put('a', [{ key: 'a', value: 'x'.repeat(20_000) }]);
  await store.delete('none');
  await store.check?.({ complete: true });
  const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining(`Restore ${file} from a backup.`) };
  damage(file);
  await expect(store.check?.()).rejects.toMatchObject(refused);
  await store[Symbol.asyncDispose]();
  await using again = sqliteStore({ path: file });
  await expect(again.check?.()).rejects.toMatchObject(refused);
});

/** Writes over one page of a file. */
function overwrite(file: string, at: number): void {
  const open = openSync(file, 'r+');
  writeSync(open, Buffer.alloc(4_096, 'x'), 0, 4_096, at);
  closeSync(open);
}

test('waits for a short lock, and fails while another process holds a long one', async () => {
  const file = join(folder, 'locked.db');
  await using store = sqliteStore({ path: file, waitMs: 300 });
  await store.put('a', [{ key: 'a', value: '1' }]);
  const other = openDriver(file);
  other.exec('BEGIN IMMEDIATE');
  await expect(store.put('a', [{ key: 'a', value: '2' }])).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: `The SQLite store was locked for 300 ms. End the other process that writes to ${file}.`,
  });
  expect((await store.get('a', ['a']))[0]?.toString()).toBe('1');
  const writing = store.put('a', [{ key: 'a', value: '3' }]);
  other.exec('ROLLBACK');
  expect(await writing).toEqual([true]);
  other.close();
});

test('loses nothing when another process ends after stores of this process opened and closed the file by other names', async () => {
  const file = join(folder, 'shared.db');
  await using store = sqliteStore({ path: file });
  await store.put('a', [{ key: 'a', value: '1' }]);
  const log = statSync(`${file}-wal`).ino;
  symlinkSync(folder, join(folder, 'by-link'));
  symlinkSync(file, join(folder, 'link.db'));
  linkSync(file, join(folder, 'name.db'));
  for (const name of ['shared.db', 'by-link/shared.db', 'link.db', 'name.db']) {
    await using other = sqliteStore({ path: join(folder, name) });
    await other.put('a', [{ key: name, value: '2' }]);
  }
  expect(keysSeenByProcess(file)).toEqual(['a', 'by-link/shared.db', 'link.db', 'name.db', 'shared.db']);
  expect(statSync(`${file}-wal`).ino).toBe(log);
  await store.put('a', [{ key: 'z', value: '3' }]);
  expect(keysSeenByProcess(file)).toContain('z');
});

test.each(['', '-wal', '-shm'])(
  'refuses work when the file store.db%s was replaced, and leaves the new files alone',
  async (end) => {
    const file = join(mkdtempSync(join(folder, 'replaced-')), 'store.db');
    const store = sqliteStore({ path: file });
    await store.put('a', [{ key: 'a', value: '1' }]);
    rmSync(file + end);
    const refused = {
      code: 'STORE_UNAVAILABLE',
      message: `The files of the SQLite store were replaced or deleted while in use: ${file}. Restart Toolwright.`,
    };
    await expect(store.put('a', [{ key: 'b', value: '1' }])).rejects.toMatchObject(refused);
    writeFileSync(file + end, 'other');
    await expect(store.get('a', ['a'])).rejects.toMatchObject(refused);
    await store[Symbol.asyncDispose]();
    expect(readFileSync(file + end, 'utf8')).toBe('other');
  },
);

/** Opens the database in another process, which is the last one to close it there, and returns the keys of all entries. */
function keysSeenByProcess(file: string): string[] {
  const library = createRequire(import.meta.url).resolve('libsql');
  const program = `
    const database = new (require(${JSON.stringify(library)}))(${JSON.stringify(file)});
    const rows = database.prepare('SELECT key FROM entries ORDER BY key').all();
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    console.log(JSON.stringify(rows.map(({ key }) => key)));
    database.close();`;
  return JSON.parse(spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stdout);
}
