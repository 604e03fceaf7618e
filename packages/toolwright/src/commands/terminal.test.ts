import { expect, test } from 'vitest';
import { forTerminal } from './terminal.ts';

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
