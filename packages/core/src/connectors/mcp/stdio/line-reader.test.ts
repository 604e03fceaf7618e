import { expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

function read(chunks: readonly (string | Buffer)[], maxBytes = 100): string[] {
  const lines: string[] = [];
  const reader = new LineReader((line) => lines.push(line), maxBytes);
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return lines;
}

test('returns complete lines for any chunks', () => {
  const bytes = Buffer.from('{"a":"ü"}\r\n\nlast\nunfinished');
  const expected = ['{"a":"ü"}', '', 'last'];
  expect(read([bytes])).toEqual(expected);
  expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
});

test('rejects one line over the maximum, but not many lines together', () => {
  expect(read(Array(50).fill('12345\n'), 5)).toHaveLength(50);
  expect(() => read(['123', '456'], 5)).toThrow(/^a message of more than .* MiB$/);
});

test('rejects a line with too much nesting or too many values', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}\n`;
  expect(read([nested(1_000), nested(1_000)], 1e9)).toHaveLength(2);
  expect(() => read([nested(1_001)], 1e9)).toThrow('a message with more than 1000 levels of nesting');
  expect(() => read([`[${'{},'.repeat(600_000)}`], 1e9)).toThrow('a message with more than 1 million values');
  const inText = JSON.stringify('[{,"\\'.repeat(300_000));
  expect(read([`${inText}\n${inText}\n`], 1e9)).toHaveLength(2);
});

test('buffers a line of single bytes without extra memory', () => {
  const byte = Buffer.from('x');
  const reader = new LineReader(() => undefined);
  const before = process.memoryUsage();
  for (let index = 0; index < 4_000_000; index++) reader.push(byte);
  const after = process.memoryUsage();
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(64 * 1024 * 1024);
});
