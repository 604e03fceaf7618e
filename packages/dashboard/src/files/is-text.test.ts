import { expect, test } from 'vitest';
import { isText } from './is-text.ts';

const decoded = (...bytes: readonly number[]) => new TextDecoder().decode(new Uint8Array(bytes));

test.each([
  ['a text in UTF-8', 'Grüße ☃', true],
  [
    'a text in Latin-1',
    decoded(...Array.from('Stra\xdfe nach K\xf6ln und zur\xfcck, mit dem Zug', (each) => each.charCodeAt(0))),
    true,
  ],
  ['bytes with NUL', 'PK\u0003\0', false],
  ['bytes without NUL', decoded(0x1f, 0x8b, 0xff, 0xfe, 0x80, 0x81, 0x41), false],
])('%s: %j is a text: %j', (_name, text, expected) => {
  expect(isText(text)).toBe(expected);
});
