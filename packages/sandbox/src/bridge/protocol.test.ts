import { expect, test } from 'vitest';
import { calledServer, leadingTexts, operationOf } from './protocol.ts';

test.each([
  ['["call","a__b",{}]', 'call'],
  [' [ "fs.rename" , "a", "b"]', 'fs.rename'],
  ['["list"]', 'list'],
  ['["fs\\u002erename","a"]', ''],
  ['[["call"]]', ''],
  ['["call"', ''],
  ['{"call":1}', ''],
  [`["${'x'.repeat(41)}"]`, ''],
])('the operation of %s', (request, operation) => expect(operationOf(request)).toBe(operation));

test.each<[string, number, string[]]>([
  ['["fs.rename","a","b"]', 2, ['a', 'b']],
  ['["fs.rename", "a\\"\\u0062" , "b"]', 1, ['a"b']],
  ['["fs.mkdir",5,"b"]', 2, []],
  ['["list"]', 2, []],
  [`["fs.stat","${'x'.repeat(5_000)}"]`, 1, []],
])('the first texts of %s', (request, count, texts) => expect(leadingTexts(request, count)).toEqual(texts));

test('only a tool call has a server', () => {
  const requests = ['["call","my__server__tool",{}]', '["call","none",{}]', '["details","a__b"]'];
  expect(requests.map(calledServer)).toEqual(['my', undefined, undefined]);
});
