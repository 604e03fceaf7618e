import { expect, it } from 'vitest';
import { typeProblem } from './field-type.ts';
import { withSyntax } from './syntax.ts';

const problemOf = (value: unknown, type: string, choices: readonly string[] = []) =>
  withSyntax({}, (syntax) => typeProblem(value, { type, choices, syntax }));

it.each([
  ['{"a": 1}', 'object'],
  ["{a: 'b', 'c': [1]}", 'object'],
  ['={{ $json }}', 'object'],
  ['{{ not checked }}', 'string'],
  ['2026-01-31', 'dateTime'],
  ['12:30', 'time'],
  ["['a']", 'array'],
  ['a_1', 'string-alphanumeric'],
  ['x', 'options', ['x', 'y']],
] as const)('%s is valid as %s', async (value, type, choices?: readonly string[]) => {
  expect(await problemOf(value, type, choices)).toBeUndefined();
});

it.each([
  ['{{ $json.body }}', 'object'],
  ['{a: }', 'object'],
  ['[1]', 'object'],
  ['(1)', 'object'],
  [`${'{a:'.repeat(2_000)}1`, 'object'],
  ['next week', 'dateTime'],
  ['1a', 'string-alphanumeric'],
  ['z', 'options'],
])('%s is invalid as %s', async (value, type) => {
  expect(await problemOf(value, type)).toBeTypeOf('string');
});
