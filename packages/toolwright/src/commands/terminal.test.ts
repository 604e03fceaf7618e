import { expect, test } from 'vitest';
import { asLine } from './terminal.ts';

test('text of others stays in one line', () => {
  expect(asLine('a\n\tb\r\nc\u2028d\u0085e\u200f\u001b[2J ü😀')).toBe(
    'a\\n\\tb\\r\\nc\\u2028d\\u0085e\\u200f\\u001b[2J ü😀',
  );
});
