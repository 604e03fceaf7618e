import { expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

function read(chunks: readonly (string | Buffer)[], maxBytes = 100): string[] {
  const lines: string[] = [];
  const reader = new LineReader((line) => lines.push(line), maxBytes);
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return lines;
}

test('lines come whole, however the bytes are cut', () => {
  const bytes = Buffer.from('{"a":"ü"}\r\n\nlast\nunfinished');
  const expected = ['{"a":"ü"}', '', 'last'];
  expect(read([bytes])).toEqual(expected);
  expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
});

test('a line may not outgrow the maximum, many lines together may', () => {
  expect(read(Array(50).fill('12345\n'), 5)).toHaveLength(50);
  expect(() => read(['123', '456'], 5)).toThrow('a line of more than 5 bytes');
});
