import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { dataFolder } from '../../../storage/src/data-folder/data-folder.ts';
import { openSqlite } from '../../../storage/src/sqlite/database.ts';
import { fileExecutions } from '../history/storages/files.ts';
import { createSessionStore } from './sessions.ts';

const KIB = 1024;
const quota = { workspaceBytes: 1_000 * KIB, workspaceFiles: 100 };
const LIMIT = 200 * KIB;
const BLOCK = Buffer.alloc(50 * KIB, 'x');

function openSessions(dataDir = temporaryFolder()) {
  const store = createSessionStore({
    dataDir,
    executions: fileExecutions({ dataDir }),
    quota,
    userDiskBytes: LIMIT,
  });
  const filesOf = async (userId: string, customer?: string) => {
    const { id } = await store.sessions.create({ userId, customer });
    return { id, files: await store.sessions.files(id, { userId }) };
  };
  /** Writes blocks until the user is full. Returns their number. */
  const fill = async (userId: string) => {
    for (let written = 0; ; written++) {
      const { files } = await filesOf(userId);
      const error = await failureOf(files.write('/workspace/block', BLOCK, 'replace')).catch(() => undefined);
      if (error) return { written, error };
    }
  };
  return { dataDir, ...store, filesOf, fill };
}

test('the sessions of a user have one limit together, and other users have their own', async () => {
  const { fill, filesOf, open } = openSessions();
  const { written, error } = await fill('ada');
  expect([written, error.code]).toEqual([3, 'WORKSPACE_FULL']);
  expect(error.message).toMatch(
    /^The sessions and executions of this user take \d+ bytes on disk; the limit is 204800\. Remove/,
  );
  const { files } = await filesOf('bob');
  await files.write('/workspace/block', BLOCK, 'replace');
  expect((await open({ userId: 'bob' }, 'run', quota)).userId).toBe('bob');
});

test('removed files and sessions free space at once', async () => {
  const { fill, filesOf, sessions } = openSessions();
  const first = await filesOf('ada');
  await first.files.write('/workspace/a', BLOCK, 'replace');
  expect((await fill('ada')).written).toBe(2);
  await first.files.remove('/workspace/a', { recursive: false, force: false });
  expect((await fill('ada')).written).toBe(1);
  const [last] = await sessions.list({ userId: 'ada' });
  await first.files.write('/workspace/small', Buffer.from('x'), 'replace').catch(() => undefined);
  for (const { id } of (await sessions.list({ userId: 'ada' })).slice(-2)) await sessions.remove(id, { userId: 'ada' });
  expect(last).toBeDefined();
  expect((await fill('ada')).written).toBeGreaterThan(0);
});

test('appended, replaced and renamed files count once', async () => {
  const { filesOf } = openSessions();
  const { files } = await filesOf('ada');
  for (let time = 0; time < 20; time++) await files.write('/workspace/same', BLOCK, 'replace');
  await files.write('/workspace/same', BLOCK, 'append');
  for (let time = 0; time < 20; time++) {
    await files.rename('/workspace/same', '/workspace/other');
    await files.rename('/workspace/other', '/workspace/same');
  }
  await files.write('/workspace/third', BLOCK, 'replace');
  const error = await failureOf(files.write('/workspace/fourth', BLOCK, 'replace'));
  expect(error.code).toBe('WORKSPACE_FULL');
});

test('many small files count with their blocks', async () => {
  const { filesOf } = openSessions();
  const { files } = await filesOf('ada');
  let written = 0;
  const write = () => files.write(`/workspace/${written}`, Buffer.alloc(0), 'replace');
  while (
    !(await write().then(
      () => false,
      () => true,
    ))
  )
    written++;
  expect(written).toBeGreaterThan(30);
  expect(written).toBeLessThan(50);
});

test('a new process counts the data of earlier ones: journals, files of executions and workspaces of customers', async () => {
  const { dataDir, filesOf, fill } = openSessions();
  const { files } = await filesOf('ada', 'acme');
  await files.write('/workspace/shared', BLOCK, 'replace');
  const folders = dataFolder(dataDir);
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
  mkdirSync(join(folders.executions, `${id}.files`), { recursive: true });
  writeFileSync(join(folders.executions, `${id}.jsonl`), BLOCK);
  writeFileSync(join(folders.executions, `${id}.files`, 'a'), BLOCK);
  const add = 'insert into executions (id, user_id, started_ms, dry_run, changed_at) values ($1, $2, 0, false, 0)';
  await openSqlite(folders.state).write(add, [id, 'ada']);
  const again = openSessions(dataDir);
  expect((await again.fill('ada')).written).toBe(0);
  expect((await again.fill('bob')).written).toBe(3);
  expect((await fill('ada')).written).toBe(2);
});

test('without space, an execution does not start', async () => {
  const { open, spaceFor } = openSessions();
  const run = await open({ userId: 'ada' }, 'run', quota);
  await run.workspace().write('/workspace/a', BLOCK, 'replace');
  spaceFor('ada')?.add(LIMIT);
  // The first count is younger than ten seconds, so the space is not counted again.
  const error = await failureOf(open({ userId: 'ada' }, 'next', quota));
  expect([error.code, error.details]).toEqual(['QUOTA_EXCEEDED', { scope: 'user', quota: 'diskBytes', limit: LIMIT }]);
  spaceFor('ada')?.add(-LIMIT);
  expect((await open({ userId: 'ada' }, 'next', quota)).userId).toBe('ada');
});

test('the files of an ended execution are free again', async () => {
  const { open } = openSessions();
  for (let number = 0; number < 10; number++) {
    const { workspace } = await open({ userId: 'ada' }, `run${number}`, quota);
    await workspace().write('/workspace/a', Buffer.concat([BLOCK, BLOCK]), 'replace');
    await workspace().destroy();
  }
});
