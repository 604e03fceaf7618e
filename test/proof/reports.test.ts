import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const CASE = fileURLToPath(new URL('../../bench/reports/case.mjs', import.meta.url));

const { runApart } = await import(new URL('../../bench/peers/run-apart.mjs', import.meta.url).href);

const LIMIT_MS = 120_000;

function verdictOf(peer: string, name: string): unknown {
  const { answer, stderr } = runApart(process.execPath, [CASE, peer, '{"sandbox":"quickjs"}', name], LIMIT_MS);
  expect(answer, stderr).toBeDefined();
  return answer.verdict;
}

test.each(['whole number beyond 2^53', 'a failed call returns its text', 'over HTTP: a lost session is HTTP 400'])(
  'a public bug report is not true of Toolwright: %s',
  (name) => expect(verdictOf('toolwright', name)).toBe('right'),
);

test('a peer that runs no programs gives no right answer', () => {
  expect(verdictOf('direct', 'an exception of the program')).toMatch(/^error: /);
});
