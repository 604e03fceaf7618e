import { expect, test } from 'vitest';
import { toPlainData } from './plain-data.ts';

class Money {
  readonly cents = 5;
  get euros(): number {
    return 0.05;
  }
}
const hidden = Object.defineProperty({ shown: 1 }, 'hidden', { value: 2, enumerable: false });
const ownPrototype = JSON.parse('{"__proto__": {"a": 1}, "b": 2}');
let deep: unknown = 'end';
for (let level = 0; level < 500; level++) deep = [deep];

test.each([
  [{ text: 'a', list: [1, 'two', null, true, { deep: [] }], none: undefined, call: () => 1, mark: Symbol('x') }],
  [[undefined, () => 1, Symbol('x'), Number.NaN, Number.POSITIVE_INFINITY, new Array(2)]],
  [-0],
  ['\ud800'],
  [new Date(0)],
  [{ at: new Date(0), map: new Map([[1, 2]]), bytes: new Uint8Array([1, 2]), boxed: Object('text') }],
  [new Money()],
  [Object.assign(Object.create(null), { a: 1 })],
  [Object.assign([1], { toJSON: () => 'list' })],
  [hidden],
  [ownPrototype],
  [deep],
])('%o becomes the same as through JSON', (value) => {
  const plain = toPlainData(value);
  expect(plain).toStrictEqual(JSON.parse(JSON.stringify(value)));
  expect(Object.is(plain, -0)).toBe(false);
  if (typeof plain === 'object') expect(plain).not.toBe(value);
});

test('a result without JSON is null, and errors of JSON stay', () => {
  expect([toPlainData(undefined), toPlainData(() => 1)]).toEqual([null, null]);
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  expect(() => toPlainData(cycle)).toThrow(/circular/);
});

test('a bigint stays one beyond 2^53, also next to values that only JSON converts', () => {
  expect(toPlainData({ small: -7n, large: 2n ** 64n })).toEqual({ small: -7, large: 2n ** 64n });
  expect(toPlainData([new Date(0), 2n ** 64n])).toEqual([new Date(0).toISOString(), 2n ** 64n]);
});
