import { expect, test } from 'vitest';
import { atOnce } from '../../slices.ts';
import { encodedNameSteps } from './written-placeholders.ts';

function encodedNamesIn(text: string): Set<string> {
  const names = new Set<string>();
  atOnce(encodedNameSteps(text, names));
  return names;
}

const encoded = Buffer.from('mail to [EMAIL_1] and [PHONE_23], please').toString('base64');
const lines = (lineBreak: string) => (encoded.match(/.{1,20}/g) ?? []).join(lineBreak);

test.each([
  ['alone', encoded],
  ['in a text', `The attachment is ${encoded}.`],
  ['in lines', `Lines:\r\n\r\n${lines('\r\n')}\n--`],
  ['in lines of JSON text', JSON.stringify({ a: lines('\n'), b: 'x' })],
  ['in Windows lines of JSON text', JSON.stringify([lines('\r\n')])],
  ['after other runs', `${'short words, and-a-longer_one '.repeat(10)}\n ${encoded}`],
  ['in base64url', Buffer.from('??>>[EMAIL_1]~~[PHONE_23]').toString('base64url')],
])('finds the names in base64, %s', (_name, text) => {
  expect([...encodedNamesIn(text)]).toEqual(['EMAIL_1', 'PHONE_23']);
});

test('finds nothing in other texts, however long they are', () => {
  for (const text of [
    '',
    'short',
    '[EMAIL_1]',
    'word '.repeat(1_000_000),
    'x'.repeat(5_000_000),
    'abcdefghijkl\n\n\\n',
  ])
    expect([...encodedNamesIn(text)]).toEqual([]);
});
