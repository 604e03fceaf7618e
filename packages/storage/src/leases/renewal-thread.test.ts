import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { bundleProgram } from '../../../../test/fixtures/sources.ts';

// Inside the repository, so that packages are found.
const host = fileURLToPath(new URL(`../../../../.toolwright/test/renewal-host-${process.pid}.mjs`, import.meta.url));
const ROUNDS = 10;

beforeAll(() =>
  bundleProgram(fileURLToPath(new URL('../../../../test/fixtures/renewal-host.ts', import.meta.url)), host),
);
afterAll(() => rmSync(host, { force: true }));

// With libsql, about one process in four aborted.
it('lets a process end while the thread is inside a call of SQLite', async () => {
  const path = join(temporaryFolder(), 'state.db');
  for (let round = 0; round < ROUNDS; round++) {
    expect(await promisify(execFile)(process.execPath, [host, path])).toEqual({ stdout: '', stderr: '' });
  }
});
