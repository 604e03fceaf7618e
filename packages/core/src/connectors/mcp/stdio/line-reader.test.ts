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
  expect(() => read(['123', '456'], 5)).toThrow(/^a message of more than .* MiB$/);
});

test('a line may not nest or hold more than can be built from it', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}\n`;
  expect(read([nested(1_000), nested(1_000)], 1e9)).toHaveLength(2);
  expect(() => read([nested(1_001)], 1e9)).toThrow('a message with more than 1000 levels of nesting');
  expect(() => read([`[${'{},'.repeat(600_000)}`], 1e9)).toThrow('a message with more than 1 million values');
  const inText = JSON.stringify('[{,"\\'.repeat(300_000));
  expect(read([`${inText}\n${inText}\n`], 1e9)).toHaveLength(2);
});

test('what is held of a line in single bytes is its bytes', () => {
  const byte = Buffer.from('x');
  const reader = new LineReader(() => undefined);
  const before = process.memoryUsage();
  for (let index = 0; index < 4_000_000; index++) reader.push(byte);
  const after = process.memoryUsage();
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(64 * 1024 * 1024);
});
