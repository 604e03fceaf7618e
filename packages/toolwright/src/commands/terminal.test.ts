import { expect, test } from 'vitest';
import { asLine, forTerminal } from './terminal.ts';

test.each([
  ['plain\n\ttext: ünïcödé 😀', 'plain\n\ttext: ünïcödé 😀'],
  ['a\r\nb', 'a\nb'],
  ['overwritten\rby this', 'overwritten\\u000dby this'],
  ['\u001b]52;c;ZXZpbA==\u0007', '\\u001b]52;c;ZXZpbA==\\u0007'],
  ['\u009b2J\u007f\0', '\\u009b2J\\u007f\\u0000'],
  ['\u202egpj.exe\u2066', '\\u202egpj.exe\\u2066'],
])('%j is shown as %j', (text, shown) => {
  expect(forTerminal(text)).toBe(shown);
});

test('text of others stays in one line', () => {
  expect(asLine('a\n\tb\r\nc\u2028d\u0085e\u200f\u001b[2J ü😀')).toBe(
    'a\\n\\tb\\u000d\\nc\\u2028d\\u0085e\\u200f\\u001b[2J ü😀',
  );
});
