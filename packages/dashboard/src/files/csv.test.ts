import { expect, test } from 'vitest';
import { csvRows } from './csv.ts';

test.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a;b\r\n"1;x";"say ""hi"""\r\n',
    [
      ['a', 'b'],
      ['1;x', 'say "hi"'],
    ],
  ],
  [
    'a\tb\n"two\nlines"\t',
    [
      ['a', 'b'],
      ['two\nlines', ''],
    ],
  ],
  ['', []],
])('reads %j', (text, rows) => {
  expect(csvRows(text, 10)).toEqual(rows);
});

test('reads no more rows than the limit', () => {
  expect(csvRows('a\nb\nc\n', 2)).toEqual([['a'], ['b']]);
});
