import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { needsPlainPython } from '../fixtures/plain-python.ts';

const MAIN = fileURLToPath(new URL('../../bench/proof/main.mjs', import.meta.url));

needsPlainPython.it('programs reach the state of direct calls, also after kill -9 and a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-proof-test-'));
  const json = join(folder, 'results.json');
  const variants = ['no fault', 'twice', 'session', 'restart', 'kill'].flatMap((fault) => [
    '--variant',
    `quickjs, typescript, redacted, ${fault}`,
  ]);
  const args = [MAIN, '--folder', folder, '--set', 'example', '--json', json, ...variants];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const [set] = JSON.parse(readFileSync(json, 'utf8'));
  expect(set.variants.map(({ title }: { title: string }) => title)).toHaveLength(5);
  for (const { title, results } of set.variants) {
    expect([title, results.length]).toEqual([title, 3]);
    for (const { problem, equal, lost, doubled, taken } of results)
      expect([title, problem, equal, lost, doubled, taken > 0]).toEqual([title, undefined, true, 0, 0, true]);
  }
  expect(stdout).toContain('4 tasks, 3 run, 9 calls.\nGold calls fail by themselves in 1: they are run too.');
  expect(stdout).toContain('- not run: unreadable: its gold calls cannot be read');
});
