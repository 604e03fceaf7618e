import { expect, test } from 'vitest';
import { SandboxError } from '../errors.ts';
import { countValues, isDeeperThan, MAX_NAMES, MAX_VALUES, parseGuestJson } from './json.ts';

const LIMITS = { bytes: 100, depth: 3 };
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test.each([
  ['1', 0],
  ['"[[[{{{"', 0],
  ['"\\"[["', 0],
  ['"\\\\"', 0],
  ['["\\\\",["]"]]', 2],
  ['{"[":{"}":[]}}', 3],
  ['[1,2,[3],{"a":4}]', 2],
  ['[[],[],[[]]]', 3],
  [nested(5_000), 5_000],
])('%.40s is %i deep', (text, depth) => {
  expect([isDeeperThan(text, depth - 1), isDeeperThan(text, depth)]).toEqual([depth > 0, false]);
});

test('parses text within the limits', () => {
  expect(parseGuestJson('{"a":[{"b":"ü"}]}', LIMITS).value).toEqual({ a: [{ b: 'ü' }] });
  expect(parseGuestJson(`"${'x'.repeat(98)}"`, LIMITS).value).toBe('x'.repeat(98));
  expect(parseGuestJson(nested(3), LIMITS).value).toEqual([[[]]]);
});

test('treats a name with a meaning in JavaScript as an ordinary name', () => {
  const { value } = parseGuestJson('{"__proto__":{"a":1}}', LIMITS);
  expect([Object.keys(Object(value)), Object.getPrototypeOf(value) === Object.prototype]).toEqual([
    ['__proto__'],
    true,
  ]);
});

test.each([
  [`"${'x'.repeat(99)}"`, 'ARGUMENTS_TOO_LARGE', 'The message has 101 bytes, the limit is 100. Send less at once.'],
  [`"${'ü'.repeat(50)}"`, 'ARGUMENTS_TOO_LARGE', 'The message has 102 bytes, the limit is 100. Send less at once.'],
  [nested(4), 'ARGUMENTS_TOO_LARGE', 'The value is nested deeper than 3 levels. Flatten it.'],
  ['{"a":', 'BRIDGE_PROTOCOL', 'The sandbox sent a message that is not JSON.'],
  ['', 'BRIDGE_PROTOCOL', 'The sandbox sent a message that is not JSON.'],
  ['undefined', 'BRIDGE_PROTOCOL', 'The sandbox sent a message that is not JSON.'],
] as const)('%.20s… is %s', (text, code, message) => {
  const refused = () => parseGuestJson(text, LIMITS);
  expect(refused).toThrow(new SandboxError(code, message));
  expect(refused).toThrow(expect.objectContaining({ code }));
});

test.each([
  ['1', 1],
  ['"a,b[{"', 1],
  ['[]', 2],
  ['[1,2,3]', 4],
  ['{"a":{"b":[{},{}]}}', 7],
])('%s holds at most %i values', (text, values) => {
  expect(countValues(text, { depth: 9, values })).toBe(values);
  expect(countValues(text, { depth: 9, values: values - 1 })).toBe('many');
});

test('refuses short text with too many values before it is parsed', () => {
  const most = { bytes: 2_000_000, depth: 3 };
  const list = (length: number) => `[${Array(length).fill('{}')}]`;
  expect(parseGuestJson(list(100_000), most).bytes).toBeGreaterThan(5_000_000);
  expect(() => parseGuestJson(list(MAX_VALUES), most)).toThrow(
    new SandboxError(
      'ARGUMENTS_TOO_LARGE',
      'The message has more than 250000 values. Send less at once, or send the data as one text.',
    ),
  );
});

const names = (count: number, name = 'k') =>
  Array.from({ length: count }, (_, index) => `"${name}${index}" : "a:b"`).join();
const NAMES = { depth: 9, values: Number.POSITIVE_INFINITY, names: MAX_NAMES };

test.each([
  ['one object', `{${names(60_000)}}`],
  ['many objects', `[${Array.from({ length: 60_000 }, (_, index) => `{"k${index}":1}`).join()}]`],
  ['long names', `{${names(60_000, 'a name of a member that is longer than most: ')}}`],
])('refuses more than 50,000 different names, %s', (_kind, text) => {
  expect(countValues(text, NAMES)).toBe('names');
  expect(() => parseGuestJson(text, { bytes: 1e9, depth: 9 })).toThrow('more than 50000 different names. Send a list');
});

test.each([
  ['fewer names', `{${names(49_000)}}`],
  ['the same names in many rows', `[${'{"id":1,"name":"x","a":{"b":2}},'.repeat(60_000)}0]`],
  [
    'values that look like names',
    `["k:", ${Array.from({ length: 100_000 }, (_, index) => `"\\"a${index}\\":"`).join()}]`,
  ],
])('accepts %s', (_kind, text) => {
  expect(countValues(text, NAMES)).toBeTypeOf('number');
});
