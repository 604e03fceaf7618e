import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const CASE = fileURLToPath(new URL('../../bench/reports/case.mjs', import.meta.url));

function verdictOf(peer: string, name: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [CASE, peer, '{"sandbox":"quickjs"}', name], {
    encoding: 'utf8',
  });
  expect(stdout, stderr).toMatch(/^"/m);
  return JSON.parse(stdout.split('\n').findLast((line) => line.startsWith('"')) ?? '');
}

test.each(['whole number beyond 2^53', 'a failed call returns its text', 'over HTTP: a lost session is HTTP 400'])(
  'a public bug report is not true of Toolwright: %s',
  (name) => expect(verdictOf('toolwright', name)).toBe('right'),
);

test('a peer that runs no programs gives no right answer', () => {
  expect(verdictOf('direct', 'an exception of the program')).toMatch(/^error: /);
});
