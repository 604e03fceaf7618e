import { expect, test } from 'vitest';
import { ago, bytes, dollars, duration } from './format.ts';

test.each([
  [0.4, '0 ms'],
  [999, '999 ms'],
  [1_234, '1.2 s'],
  [61_000, '1 min 1 s'],
  [7_500_000, '2 h 5 min'],
  [90_000_000, '1 d 1 h'],
])('%d ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test('formats bytes, dollars and ages', () => {
  expect([bytes(12), bytes(1_536), bytes(3 * 1_024 * 1_024)]).toEqual(['12 B', '1.5 KiB', '3.0 MiB']);
  expect([dollars(0), dollars(0.00421), dollars(12.3)]).toEqual(['$0.00', '$0.0042', '$12.30']);
  expect(ago('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:05:10Z'))).toBe('5 min ago');
});
