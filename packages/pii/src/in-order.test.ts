import { expect, it } from 'vitest';
import { random } from '../../../bench/pii/random.mjs';
import { byStart, byStartAndLength, inOrderSteps } from './in-order.ts';
import { atOnce } from './slices.ts';

interface Part {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

function parts(count: number, startOf: (index: number) => number, sizeOf: (index: number) => number): Part[] {
  return Array.from({ length: count }, (_, number) => {
    const start = startOf(number);
    return { start, end: start + sizeOf(number), number };
  });
}

const { int } = random(11);
const COUNT = 9_999;
const LISTS: readonly (readonly [string, Part[]])[] = [
  ['no parts', []],
  [
    'a short list',
    parts(
      50,
      () => int(0, 9),
      () => int(1, 5),
    ),
  ],
  [
    'parts in order',
    parts(
      COUNT,
      (at) => at,
      () => 1,
    ),
  ],
  [
    'parts in reverse order',
    parts(
      COUNT,
      (at) => COUNT - at,
      () => 1,
    ),
  ],
  [
    'parts in no order, many of them equal',
    parts(
      COUNT,
      () => int(0, 500),
      () => int(1, 3),
    ),
  ],
  [
    'two lists in order',
    [
      ...parts(
        COUNT,
        (at) => 2 * at,
        () => 1,
      ),
      ...parts(
        COUNT,
        (at) => 2 * at + 1,
        () => 1,
      ),
    ],
  ],
  [
    'one part at the wrong end',
    [
      ...parts(
        COUNT,
        (at) => at,
        () => 1,
      ),
      ...parts(
        1,
        () => 0,
        () => 9,
      ),
    ],
  ],
];

it.each(LISTS)('orders %s as the built-in sort does', (_name, list) => {
  for (const compare of [byStart, byStartAndLength]) {
    const before = [...list];
    expect(atOnce(inOrderSteps(list, compare))).toEqual([...list].sort(compare));
    expect(list).toEqual(before);
  }
});

it('compares a list in order once, and any list in time close to its length', () => {
  const comparisons = (list: readonly Part[]) => {
    let count = 0;
    atOnce(
      inOrderSteps(list, (a, b) => {
        count++;
        return byStart(a, b);
      }),
    );
    return count;
  };
  const [, , [, ordered], [, reversed]] = LISTS as [never, never, (typeof LISTS)[0], (typeof LISTS)[0]];
  expect(comparisons(ordered)).toBeLessThan(COUNT);
  expect(comparisons(reversed)).toBeLessThan(COUNT * 2 * Math.log2(COUNT));
});

it('pauses while it orders a long list', () => {
  for (const [, list] of LISTS.filter(([, { length }]) => length > 5_000)) {
    const steps = inOrderSteps(list, byStart);
    let count = 0;
    while (!steps.next().done) count++;
    expect(count).toBeGreaterThanOrEqual(Math.floor(list.length / 2_048));
  }
});
