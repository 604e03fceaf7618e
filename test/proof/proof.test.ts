import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { needsPlainPython } from '../fixtures/plain-python.ts';

const MAIN = fileURLToPath(new URL('../../bench/proof/main.mjs', import.meta.url));

function run(folder: string, ...options: string[]) {
  const args = [MAIN, '--folder', folder, '--results', folder, ...options];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

needsPlainPython.it('programs reach the state of direct calls with each fault, and a later run goes on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-proof-test-'));
  const faults = ['no fault', 'twice', 'session', 'restart', 'kill'];
  const variants = faults.flatMap((fault) => ['--variant', `quickjs, TypeScript, redacted, ${fault}`]);
  const example = ['--set', 'example', ...variants];
  const { status, stdout, stderr } = run(folder, ...example);
  expect(status, stderr).toBe(0);
  const results = join(folder, 'results/example');
  const files = readdirSync(results).filter((name) => name !== 'direct-calls.jsonl');
  expect(files).toHaveLength(faults.length);
  for (const file of files) {
    const [, ...lines] = readFileSync(join(results, file), 'utf8').trim().split('\n');
    expect([file, lines.length]).toEqual([file, 3]);
    for (const { problem, equal, lost, doubled, taken } of lines.map((line) => JSON.parse(line)))
      expect([file, problem, equal, lost, doubled, taken > 0]).toEqual([file, undefined, true, 0, 0, true]);
  }
  expect(stdout).toContain(
    '4 tasks, 4 of them chosen, 3 run, 9 calls.\nGold calls fail by themselves in 1: they are run too.',
  );
  expect(stdout).toContain('- not run: unreadable: its gold calls cannot be read');

  appendFileSync(join(results, 'quickjs-typescript-redacted-kill.jsonl'), '{"id":"cut of');
  const again = run(folder, ...example);
  expect(again.status, again.stderr).toBe(0);
  expect(again.stdout).toBe(stdout);
});

test.each([
  [
    ['--variant', 'quickjs, rust'],
    'There is no variant "quickjs, rust". These exist:\n  quickjs, typescript, redacted, no fault',
  ],
  [['--set', 'tau3'], 'There is no set "tau3". These exist: tau2, bfcl'],
])('an unknown name is an error that lists the known ones: %s', (options, message) => {
  const { status, stderr } = run(tmpdir(), ...options);
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
});
