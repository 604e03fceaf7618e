import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { needsPlainPython } from '../fixtures/plain-python.ts';

const { meanOf, shareOf } = await import(new URL('../../bench/agent/intervals.mjs', import.meta.url).href);
const MAIN = fileURLToPath(new URL('../../bench/agent/main.mjs', import.meta.url));

/** Plays recorded answers of a model to the task that pays 5. */
function play(way: string, steps: readonly object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-agent-test-'));
  const file = join(folder, 'answers.json');
  writeFileSync(file, JSON.stringify(steps));
  const model = `scripted/${file}`;
  const args = [
    '--set',
    'example',
    '--folder',
    folder,
    '--task',
    'one payment',
    '--way',
    way,
    '--model',
    model,
    '--json',
  ];
  const env = { ...process.env, LLM_MODEL: model };
  const { stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env });
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

const find = { calls: [{ tool: 'example__find', input: { name: 'ann' } }] };
const pay = (amount: number) => ({
  calls: [{ tool: 'example__pay', input: { account: 'AC-1001', amount, receipt: 'ann.smith@example.com' } }],
});
const program = {
  code: `const ann = await callMCPTool('example__find', { name: 'ann' });
    return callMCPTool('example__pay', { account: ann.account, amount: 5, receipt: ann.email });`,
};

needsPlainPython.it('recorded answers of a model are graded by the end state, five runs for each task', () => {
  const direct = play('direct', [find, pay(5), { text: 'I paid 5.' }]);
  expect(direct.summary[0].succeeded).toMatchObject({ right: 5, runs: 5 });
  expect(direct.summary[0]).toMatchObject({ turns: { mean: 3 }, inputTokens: { mean: 300 } });
  expect(play('core', [program, { text: 'I paid 5.' }]).summary[0].succeeded).toMatchObject({ right: 5, runs: 5 });
  const wrong = play('direct', [find, pay(6), { text: 'I paid 5.' }]);
  expect(new Set(wrong.runs.map(({ problem }: { problem: string }) => problem))).toEqual(
    new Set(['the end state is wrong']),
  );
});

test('an interval counts the tasks, not their runs', () => {
  const runs = (values: readonly number[]) => values.map((value, index) => ({ task: `t${index % 10}`, value }));
  const once = meanOf(runs([0, 1, 0, 1, 0, 1, 0, 1, 0, 1]));
  // 1.96 × 0.527 / √10
  expect(once).toEqual({ mean: 0.5, half: expect.closeTo(0.3267, 3) });
  expect(meanOf(runs([...Array(5)].flatMap(() => [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])))).toEqual(once);
  expect(meanOf(runs([3]))).toEqual({ mean: 3 });
  const all = Array.from({ length: 10 }, (_, index) => ({ task: `t${index}`, isRight: true }));
  expect(shareOf(all)).toEqual({ right: 10, runs: 10, low: expect.closeTo(0.7225, 3), high: 1 });
});
