import { atOnce } from '@toolwright/pii/internal';
import { expect, test } from 'vitest';
import { parseJsonSteps } from './json-steps.ts';

const parse = (json: string) => atOnce(parseJsonSteps(json));
const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, text: `],"{[ \\ ${id}`, inner: [id, { deep: [[id]] }], none: null }));
const MANY = rows(5_000);

test.each<[string, unknown]>([
  ['a short value', { a: [1, { b: 'x, y' }] }],
  ['rows', MANY],
  ['rows in an object', { first: 1, rows: MANY, last: { more: [] } }],
  ['long values next to each other', [MANY, 'x', MANY, [], MANY, {}]],
  ['long values in long values', { a: { b: [[MANY], { c: MANY }], d: 1 }, e: [[[MANY]]] }],
  ['long texts', { a: 'x'.repeat(100_000), b: ['"'.repeat(100_000), '\\'.repeat(99_999)] }],
  ['many names', Object.fromEntries(Array.from({ length: 20_000 }, (_, id) => [`k,[${id}`, id]))],
  ['numbers', Array.from({ length: 50_000 }, (_, id) => id / 7)],
])('%s: the value is that of JSON.parse', (_kind, value) => {
  for (const indent of [0, 2]) {
    const json = JSON.stringify(value, null, indent);
    expect(JSON.stringify(parse(` ${json}\n`))).toBe(JSON.stringify(value));
  }
});

test('whole numbers beyond 2^53 keep their digits', () => {
  const json = `{"a":[${'-9007199254740993,'.repeat(20_000)}1],"9007199254740993":9007199254740993}`;
  const value = parse(json);
  expect(value).toEqual({ a: [...Array(20_000).fill(-9007199254740993n), 1], '9007199254740993': 9007199254740993n });
});

test('a repeated name has its last value, and __proto__ is a member', () => {
  const long = JSON.stringify('x'.repeat(70_000));
  const json = `{"a":1,"__proto__":{"b":${long}},"c":[${long},2],"a":[${long}, 3],"__proto__":5}`;
  expect(JSON.stringify(parse(json))).toBe(JSON.stringify(JSON.parse(json)));
  expect(Object.getPrototypeOf(parse(json))).toBe(Object.prototype);
});

const long = JSON.stringify(rows(2_000));
test.each([
  `[${long}`,
  `[${long}]]`,
  `[${long},]`,
  `[${long} 1]`,
  `[1 ${long}]`,
  `[,${long}]`,
  `[${long}}`,
  `{"a":${long}]`,
  `{"a" ${long}}`,
  `{${long}}`,
  `{"a":1 "b":${long}}`,
  `{"a":${long},}`,
  `[${long.slice(0, -2)}]`,
  `[${'1,'.repeat(100_000)}]`,
  `[${long}, tru]`,
  `"${long}`,
])('refuses wrong JSON as JSON.parse does: %#', (json) => {
  expect(() => JSON.parse(json)).toThrow(SyntaxError);
  expect(() => parse(json)).toThrow(SyntaxError);
});

test('a cut or a changed character of a text gives the outcome of JSON.parse', () => {
  const base = JSON.stringify({ a: rows(700), b: [rows(700), { c: 'x' }] });
  const outcome = (read: (json: string) => unknown, json: string) => {
    try {
      return JSON.stringify(read(json));
    } catch (error) {
      return (error as Error).name;
    }
  };
  const places = [0, 1, 2, 5, base.indexOf('"b"') - 2, base.indexOf('"b"') + 4, base.length - 12, base.length - 1];
  for (const at of places) {
    for (const character of ['', ',', '[', ']', '{', '}', ':', '"', ' ', '1', '\\']) {
      const changed = `${base.slice(0, at)}${character}${base.slice(at + 1)}`;
      expect(outcome(parse, changed)).toBe(outcome(JSON.parse, changed));
    }
  }
});

test('a text of 12 MB is read in many short steps', () => {
  const json = JSON.stringify(rows(160_000));
  expect(json.length).toBeGreaterThan(12e6);
  const steps = parseJsonSteps(json);
  let [count, step] = [0, steps.next()];
  for (; !step.done; step = steps.next()) count++;
  expect(Object(step.value).length).toBe(160_000);
  expect(count).toBeGreaterThan(json.length / (128 * 1024));
});
