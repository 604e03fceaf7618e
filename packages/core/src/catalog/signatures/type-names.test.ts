import { expect, test } from 'vitest';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { createTypeNames } from './type-names.ts';

test('a taken name gets the next free number', () => {
  const names = createTypeNames(['Foo', 'Foo3']);
  expect(['Foo', 'Foo', 'Bar', 'Foo2'].map((name) => names.claim(name))).toEqual(['Foo2', 'Foo4', 'Bar', 'Foo22']);
});

test('thousands of equal names take as long as thousands of different names', () => {
  const names = createTypeNames([]);
  const used = processorTime();
  const given = new Set(Array.from({ length: 50_000 }, () => names.claim('Root')));
  expect(given.size).toBe(50_000);
  // 100 ms; trying every number for each of them takes a minute.
  expect(used()).toBeLessThan(20_000);
});
