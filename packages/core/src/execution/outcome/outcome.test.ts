import { expect, test } from 'vitest';
import { inAuthorsWords } from './outcome.ts';

const SOURCE = [
  "const rows = r.split('\\n');",
  "return items.map((o) => o.at.split('-').first());",
  'for (const o of page.items) n++;',
  'const [a] = list[0](1);',
  'return make(x)[f(1)].run();',
].join('\n');

test.each([
  ['__toolwright_values.on(...).split is not a function', 1, 16, 'r.split is not a function'],
  ['not a function', 1, 21, 'r.split is not a function'],
  ['__toolwright_values.on(...).split(...).first is not a function', 2, 41, 'o.at.split(...).first is not a function'],
  [
    '__toolwright_values.seen is not a function or its return value is not iterable',
    3,
    17,
    'page.items is not iterable',
  ],
  ['value is not iterable', 3, 17, 'page.items is not iterable'],
  ['not a function', 5, 25, 'make(...)[f(1)].run is not a function'],
  ['not a function', 9, 9, 'A value is not a function'],
  ['r.map is not a function', 1, 16, 'r.map is not a function'],
  ['this is not a function', 1, 16, 'this is not a function'],
  [
    "Cannot destructure property 'a' of '__toolwright_values.on(...)[0].z' as it is undefined.",
    4,
    17,
    "Cannot destructure property 'a' of '(intermediate value)[0].z' as it is undefined.",
  ],
])('%s at %i:%i is about the expression of the author', (message, line, column, expected) => {
  const error = { kind: 'user', code: 'GUEST_ERROR', name: 'TypeError', message, line, column } as const;
  expect(inAuthorsWords(error, SOURCE).message).toBe(expected);
});

test('an error without a place stays as it is', () => {
  const error = { kind: 'user', code: 'GUEST_ERROR', name: 'TypeError', message: 'not a function' } as const;
  expect(inAuthorsWords(error, SOURCE)).toBe(error);
});
