import { expect, test } from 'vitest';
import { cutText, visibleParts, visibleText } from './visible.ts';

test.each([
  ['plain text\n\twith lines', 'plain text\n\twith lines'],
  ['a\u001b[31mred\u001b[0m', 'a\\x1b[31mred\\x1b[0m'],
  ['\u001b]8;;https://evil.example\u0007link', '\\x1b]8;;https://evil.example\\x07link'],
  ['invoice\u202egpj.exe', 'invoice\\u202egpj.exe'],
  ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
  ['tag \u{e0041}', 'tag \\u{e0041}'],
  ['null\u0000 return\r', 'null\\x00 return\\x0d'],
])('shows what %j hides', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('marks the escapes, so that a text cannot imitate them', () => {
  expect(visibleParts('\\x1b \u001b[1m')).toEqual([
    { text: '\\x1b ', isEscape: false },
    { text: '\\x1b[1m', isEscape: true },
  ]);
});

test('cuts long text between characters', () => {
  expect(cutText('aaa😀b', 4)).toEqual({ shown: 'aaa', rest: 3 });
  expect(visibleText('x'.repeat(10_000_000), 5)).toBe('xxxxx…');
});
