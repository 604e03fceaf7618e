import { expect, test } from 'vitest';
import { differencesOf } from './batch.tsx';

test('values that all calls share are named once, and the others are columns', () => {
  const calls = [
    { to: 'a', entities: [{ name: 'Ada', kind: 'person' }], note: 'x' },
    { to: 'a', entities: [{ name: 'Bob', kind: 'person' }] },
  ];
  expect(differencesOf(calls)).toEqual({
    same: { to: 'a', 'entities[0].kind': 'person' },
    paths: ['entities[0].name', 'note'],
    rows: [
      new Map([
        ['entities[0].name', 'Ada'],
        ['note', 'x'],
      ]),
      new Map([['entities[0].name', 'Bob']]),
    ],
  });
});

test('one call, and calls with too many differences, are no table', () => {
  const wide = (start: number) =>
    Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}`, start + index]));
  expect([differencesOf([{ a: 1 }]), differencesOf([wide(0), wide(1)])]).toEqual([undefined, undefined]);
});
