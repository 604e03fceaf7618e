import { expect, test } from 'vitest';
import { newRedactor } from '../../../../../test/fixtures/tool-calls.ts';
import { longestTurnOf } from '../../../../../test/fixtures/turns.ts';
import { previewOf } from './preview.ts';
import { sampleOf } from './sample.ts';

test.each([
  ['{"a":[1,{"b":"x, y"},null,true,-1.5e3],"c":"\\"]}"}'],
  [' [ 1 , { "a b" : [ ] } , "ü\\u00fc" ] '],
  ['[]'],
  ['{"__proto__":{"a":1},"":0}'],
])('a small value is read whole: %s', async (json) => {
  const { value, countOf } = await sampleOf(json);
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(json)));
  expect(countOf(Object(value))).toBe(Object.keys(JSON.parse(json)).length);
});

test('reads the first members, and counts all', async () => {
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, text: '],"{[' }));
  const table = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, [index, [index]]]));
  const { value, countOf } = await sampleOf(JSON.stringify({ rows, table }));
  const sample = value as { rows: object[]; table: object };
  expect(sample.rows).toEqual(rows.slice(0, sample.rows.length));
  expect(Object.entries(sample.table)).toEqual(Object.entries(table).slice(0, 41));
  expect([sample.rows, sample.table, sample].map(countOf)).toEqual([1_000, 500, 2]);
});

test('counts the members of the deepest lists that it reads', async () => {
  const { value, countOf } = await sampleOf(`${'['.repeat(8)}[1,[2,3],4]${']'.repeat(8)}`);
  const [deepest] = (value as unknown[][]).flat(7) as [object];
  expect([deepest, countOf(deepest)]).toEqual([[], 3]);
});

test.each(['[1,', '{"a" 1}', '[1 2]', '{1:2}', '["a', `[${'1,'.repeat(1_000)}`])('refuses %.20s', async (json) => {
  await expect(sampleOf(json)).rejects.toThrow(SyntaxError);
});

const names = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":${index}`).join();

test.each([
  ['names', `{${names(300_000)}}`, 'type: {[key: string]: number}', '299960 more keys'],
  ['numbers', `[${'1234567,'.repeat(1_000_000)}1]`, '1000001 items, type: number[]', '999998 more'],
  ['rows', `[${'{"id":1,"name":"part"},'.repeat(200_000)}{}]`, '200001 items, type: {', '199998 more'],
])('the preview of many %s leaves time for other work', async (_kind, json, type, more) => {
  const redactor = newRedactor();
  await previewOf(json.slice(0, 1), 1_000, redactor);
  let shown = '';
  const longestTurnMs = await longestTurnOf(async () => {
    shown = await previewOf(json, 32 * 1024, redactor);
  });
  expect(shown).toContain(type);
  expect(shown).toContain(more);
  expect(longestTurnMs).toBeLessThan(60);
});
