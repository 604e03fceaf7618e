import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRandom } from '../fixtures/random.ts';
import { temporaryFile } from '../fixtures/server.ts';
import { createLedger } from './ledger.ts';
import { atMost, shown, tableOf } from './report.ts';

test('the balance has lost effects, doubled effects and lost data', async () => {
  const file = temporaryFile();
  writeFileSync(file, 'e1\ne2\n');
  const ledger = createLedger(file);
  ledger.effects(['e1', 'e2']);
  ledger.stored('a file', async () => true);
  expect(await ledger.balance()).toEqual({ acknowledged: 3, lost: [], doubled: [] });
  appendFileSync(file, 'e2\nnever-acknowledged\n');
  ledger.effects(['e3', undefined]);
  ledger.stored('another file', async () => false);
  ledger.stored('a third file', () => Promise.reject(new Error('no answer')));
  const { acknowledged, lost, doubled } = await ledger.balance();
  expect([acknowledged, [...lost].sort(), doubled]).toEqual([6, ['a third file', 'another file', 'e3'], ['e2']]);
});

test('a seed determines the numbers', () => {
  const numbers = (seed: number) => {
    const random = createRandom(seed);
    return [random.next(), random.integer(1, 100), random.pick(['a', 'b', 'c'])];
  };
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
});

test('the report is a table with the broken bounds', () => {
  expect(
    tableOf([shown('requests', 9), atMost('lost', 1, 0), atMost('p99', 1.26, 2, ' ms')]),
  ).toBe(`| figure | measured | bound | holds |
| --- | --- | --- | --- |
| requests | 9 |  |  |
| lost | 1 | ≤ 0 | NO |
| p99 | 1.3 ms | ≤ 2 ms | yes |`);
});
