import { expect, test } from 'vitest';
import { isNestedDeeperThan } from './json-values.ts';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('counts lists and objects, on any branch', () => {
  expect(isNestedDeeperThan('x', 0)).toBe(false);
  expect([isNestedDeeperThan([], 0), isNestedDeeperThan([], 1)]).toEqual([true, false]);
  const value = { a: [1, { b: nested(3) }], c: {} };
  expect([isNestedDeeperThan(value, 5), isNestedDeeperThan(value, 6)]).toEqual([true, false]);
});

test('is safe for any depth, and for cycles', () => {
  expect(isNestedDeeperThan(nested(1_000_000), 999_999)).toBe(true);
  expect(isNestedDeeperThan(nested(1_000_000), 1_000_000)).toBe(false);
  const cycle: Record<string, unknown> = {};
  Object.assign(cycle, { a: cycle, b: cycle });
  expect(isNestedDeeperThan(cycle, 200)).toBe(true);
});
