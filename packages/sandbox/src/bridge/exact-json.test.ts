import fc from 'fast-check';
import { expect, test } from 'vitest';
import { processorTime } from '../../../../test/fixtures/processor-time.ts';
import {
  exactText,
  markIntegers,
  parseExact,
  parseWithDigits,
  unmarkIntegers,
  withDigits,
  withoutMarks,
  withQuotedIntegers,
} from './exact-json.ts';

const LARGE = '1917043659912705296';

/** JSON data with whole numbers of any size, and texts and keys that look like some. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(
      fc.bigInt().map((integer) => (Number.isSafeInteger(Number(integer)) ? Number(integer) : integer)),
      fc.constantFrom(2n ** 53n, -(2n ** 53n), 2n ** 53n + 1n, 2 ** 53 - 1, 1e20, 2 ** 60, 1e300, 0.1),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.constantFrom('', '"', '\\', '\\"', LARGE, `[${LARGE}`, `\\",${LARGE},"`, '__proto__'),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('json')),
    fc
      .array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom(LARGE, '__proto__', 'toJSON', `"${LARGE}`)), tie('json')))
      .map((entries) => Object.fromEntries(entries)),
  ),
}));

test('keeps every value of random data, with any space between', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = exactText(value);
      expect(parseExact(text)).toEqual(value);
      expect(exactText(parseExact(text))).toBe(text);
      expect(parseExact(text.replace(/^|$/g, ' \n'))).toEqual(value);
      expect(JSON.parse(withQuotedIntegers(text))).toEqual(parseWithDigits(text));
      expect(withDigits(value)).toEqual(parseWithDigits(text));
      expect(unmarkIntegers(JSON.parse(markIntegers(value)))).toEqual(value);
      expect(withoutMarks(markIntegers([value, 1n]))).toBe(exactText([value, 1n]));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9007199254740993', -9007199254740993n],
  [`[${'7'.repeat(100)}]`, [BigInt('7'.repeat(100))]],
  ['1e20', 1e20],
  ['-0', -0],
  ['12345678901234567890.5', 12345678901234567000],
  ['1.12345678901234567890', 1.1234567890123457],
  ['12345678901234567890e2', 1234567890123456800000],
  ['1E-12345678901234567890', 0],
  ['"\\"12345678901234567890\\\\"', '"12345678901234567890\\'],
  [`["a:${LARGE}, ${LARGE} ",${LARGE},"b"]`, [`a:${LARGE}, ${LARGE} `, BigInt(LARGE), 'b']],
  ['{"12345678901234567890":[12345678901234567890]}', { '12345678901234567890': [12345678901234567890n] }],
  ['[1.0,12345678901234567890 ,-12345678901234567890]', [1, 12345678901234567890n, -12345678901234567890n]],
])('reads %s', (text, value) => {
  expect(parseExact(text)).toEqual(value);
});

test('a number with a fraction or an exponent stays a number on the next way', () => {
  const read = parseExact('[1e20,1917043659912705296.0]');
  expect(parseExact(exactText(read))).toEqual([1e20, Number(LARGE)]);
  expect(exactText([1e20, 5, 1e21])).toBe('[1e+20,5,1e+21]');
});

test('a name with a meaning in JavaScript is an ordinary name', () => {
  const read = parseExact(`{"__proto__":{"id":${LARGE}},"constructor":${LARGE}}`);
  expect(Object.keys(Object(read))).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  expect(exactText(read)).toBe(`{"__proto__":{"id":${LARGE}},"constructor":${LARGE}}`);
});

test.each(['012345678901234567890', '{"a":1', '[12345678901234567890', '12345678901234567890x', 'NaN', '[- 1]'])(
  'refuses %s',
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  },
);

test('refuses a number with more digits than CPython reads', () => {
  expect(parseExact('7'.repeat(4_300))).toBe(BigInt('7'.repeat(4_300)));
  expect(() => parseExact(`{"n":${'7'.repeat(1_000_000)}}`)).toThrow(
    new RangeError('A whole number has 1000000 digits; the limit is 4300. Send it as text.'),
  );
});

test('returns data without such numbers unchanged, and raises for a cycle', () => {
  const value = { a: [1, 'x'] };
  expect(withDigits(value)).toBe(value);
  const cycle: unknown[] = [1n];
  cycle.push(cycle);
  expect(() => exactText(cycle)).toThrow(TypeError);
});

const numbers = `${LARGE},`.repeat(200_000);
test.each([
  ['without such numbers', `[${'{"id":"1917043659912705296","n":1.5},'.repeat(100_000)}0]`],
  ['with many', `[${numbers}"x"]`],
  ['with many in one string', `["${numbers}"]`],
  ['with digits that end in a letter', `[${'9'.repeat(1_000_000)}x]`],
])('reads a long text %s in time that grows with its length', (_title, text) => {
  const used = processorTime();
  withQuotedIntegers(text);
  // Time that grows with the square takes minutes.
  expect(used()).toBeLessThan(3_000);
});
