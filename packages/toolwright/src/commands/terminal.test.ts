import { expect, test } from 'vitest';
import { asLine, durationText } from './terminal.ts';

test('text of others stays in one line', () => {
  expect(asLine('a\n\tb\r\nc\u2028d\u0085e\u200f\u001b[2J ü😀')).toBe(
    'a\\n\\tb\\r\\nc\\u2028d\\u0085e\\u200f\\u001b[2J ü😀',
  );
});

test.each([
  [0.4, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [125_400, '2 min 5 s'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
