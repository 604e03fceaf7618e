import { expect, test } from 'vitest';
import { visibleText } from './visible-text.ts';

test.each([
  'plain\n\ttext: ünïcödé 😀',
  'a\r\nb',
  'family 👨\u200d👩\u200d👧, woman 👩🏽\u200d🚀, heart ❤\ufe0f\u200d🔥',
  'می\u200cخواهم, क्\u200dष',
])('%j stays as it is', (text) => {
  expect(visibleText(text)).toBe(text);
});

test.each([
  ['overwritten\rby this\r\r\n', 'overwritten\\u000dby this\\u000d\r\n'],
  ['\u001b]52;c;ZXZpbA==\u0007', '\\u001b]52;c;ZXZpbA==\\u0007'],
  ['\u009b2J\u007f\0', '\\u009b2J\\u007f\\u0000'],
  ['\u202egpj.exe\u2066\u200f\u061c', '\\u202egpj.exe\\u2066\\u200f\\u061c'],
  ['pay\u200bpal\u200d\ufeff', 'pay\\u200bpal\\u200d\\ufeff'],
  ['tag \u{e0041}', 'tag \\udb40\\udc41'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('JSON keeps its meaning with any text', () => {
  const characters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code + 1)).join('');
  const value = { [`\\${characters}`]: [characters, '\\\u202e', '\u{e0041}'] };
  const line = visibleText(JSON.stringify(value));
  expect(JSON.parse(line)).toEqual(value);
  expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200b\ufeff]/u);
});
