import { expect, test } from 'vitest';
import { axisOf } from './axis.ts';

test('calls without long pauses have linear positions', () => {
  const { at, gaps } = axisOf(
    [
      { start: 0, end: 50 },
      { start: 50, end: 100 },
    ],
    { start: 0, end: 100 },
  );
  expect([at(0), at(25), at(100), gaps.length]).toEqual([0, 0.25, 1, 0]);
});

test('a night between two calls is collapsed, and the calls keep their width', () => {
  const night = 8 * 3_600_000;
  const calls = [
    { start: 0, end: 100 },
    { start: night, end: night + 100 },
  ];
  const { at, gaps } = axisOf(calls, { start: 0, end: night + 100 });
  expect(gaps).toHaveLength(1);
  expect(at(100) - at(0)).toBeGreaterThan(0.4);
  expect(at(night + 100) - at(night)).toBeGreaterThan(0.4);
  expect([gaps[0]?.from, gaps[0]?.to]).toEqual([at(100), at(night)]);
  expect(at(night) - at(100)).toBeLessThan(0.15);
});

test('a short call in a longer program has its true width', () => {
  const { at, gaps } = axisOf([{ start: 100, end: 110 }], { start: 0, end: 1_000 });
  expect([at(100), at(110), gaps]).toEqual([0.1, 0.11, []]);
});

test('an execution without calls has an axis', () => {
  const { at } = axisOf([], { start: 5, end: 5 });
  expect(at(5)).toBe(0);
});
