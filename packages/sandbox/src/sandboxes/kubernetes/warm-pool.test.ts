import { expect, it } from 'vitest';
import { readQuantity } from './warm-pool.ts';

it.each<[unknown, number | undefined]>([
  ['224Mi', 224 * 1024 * 1024],
  ['1Gi', 1024 ** 3],
  ['1.5G', 1.5e9],
  ['500m', 0.5],
  ['2', 2],
  [1, 1],
  ['', undefined],
  ['1e3', undefined],
  ['-1', undefined],
  [undefined, undefined],
])('%o is %o', (quantity, number) => {
  expect(readQuantity(quantity)).toBe(number);
});
