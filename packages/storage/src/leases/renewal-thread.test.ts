import { execFile } from 'node:child_process';
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { bundleProgram } from '../../../../test/fixtures/sources.ts';
import { openSqlite } from '../sqlite/database.ts';
import { type KeptRenewal, keepRenewing } from './renewal-thread.ts';

// Inside the repository, so that packages are found.
const host = fileURLToPath(new URL(`../../../../.toolwright/test/renewal-host-${process.pid}.mjs`, import.meta.url));
const ROUNDS = 10;
/** Renewals of a round. */
const KEPT = 4;
const RENEW = 'select value as id, $1 as fence, 0 as wanted from json_each($3) where $2 > 0 and not $4';

beforeAll(() =>
  bundleProgram(fileURLToPath(new URL('../../../../test/fixtures/renewal-host.ts', import.meta.url)), host),
);
afterAll(() => rmSync(host, { force: true }));

// With libsql, about one process in four aborted.
it('lets a process end while the thread is inside a call of SQLite', async () => {
  const path = join(temporaryFolder(), 'state.db');
  const run = () => promisify(execFile)(process.execPath, [host, path]);
  expect(await Promise.all(Array.from({ length: ROUNDS }, run))).toEqual(
    Array.from({ length: ROUNDS }, () => ({ stdout: '', stderr: '' })),
  );
});

// libsql leaves files open until its statements are collected.
const hasNodeSqlite = process.getBuiltinModule('node:sqlite' as 'node:fs') !== undefined;
it.runIf(process.platform === 'linux' && hasNodeSqlite)('has closed its files when an owner ends', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const folder = temporaryFolder();
    const database = openSqlite(join(folder, 'state.db'));
    await database.read('select 1');
    const renewal = { url: database.url, sql: RENEW, owner: 'a', ttlMs: 60_000, everyMs: 1 };
    const ends = Array.from({ length: KEPT }, async () => {
      let kept: KeptRenewal | undefined;
      await new Promise<void>((resolve) => {
        kept = keepRenewing(renewal, () => resolve());
        kept.setIds(['a']);
      });
      return kept?.stop();
    });
    await Promise.all(ends);
    await database[Symbol.asyncDispose]();
    expect(openFilesIn(folder)).toEqual([]);
  }
});

function openFilesIn(folder: string): string[] {
  const paths = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return '';
    }
  });
  return paths.filter((path) => path.startsWith(folder));
}
