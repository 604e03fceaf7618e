import { expect, it, test } from 'vitest';
import { random } from '../../../../bench/pii/random.mjs';
import { atOnce } from '../slices.ts';
import { createShownValues, encodedNameSteps } from './shown-values.ts';

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

const VALUES = [
  '7',
  'Al',
  'Ada',
  'Ada Lovelace',
  'ada@x.com',
  'ada@x.com.au',
  '4155550123',
  '😀 Ada',
  'naïve 1',
  '2024-01-02',
];

/** Conceals as one expression of all values does, in a single step. */
function concealedByExpression(text: string): string {
  const longestFirst = [...VALUES].sort((a, b) => b.length - a.length);
  const words = longestFirst.map((value) => value.replaceAll(/[.*+?()[\]{}|\\^$]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'gu');
  return text.replace(pattern, (found) => `[VA_${VALUES.indexOf(found) + 1}]`);
}

/** Replaces placeholders as one expression does, in a single step. */
function revealedByExpression(text: string): string {
  const pattern = /(\\{0,9}")\[(VA_\d{1,9})\]\1|\[(VA_\d{1,9})\]/gi;
  return text.replace(pattern, (whole, quote?: string, quoted?: string, plain?: string) => {
    const value = VALUES[Number((quoted ?? plain ?? '').slice(3)) - 1];
    if (value === undefined) return whole;
    const isNumber = /^\d+$/.test(value);
    return quote === undefined || isNumber ? value : quote + value + quote;
  });
}

function shownValues() {
  const shown = createShownValues();
  for (const [index, text] of VALUES.entries()) shown.add(`VA_${index + 1}`, { text, isNumber: /^\d+$/.test(text) });
  return shown;
}

function texts(words: readonly string[], length: number, count: number): string[] {
  const { pick } = random(5);
  return Array.from({ length: count }, () => {
    let text = '';
    while (text.length < length) text += pick(words);
    return text;
  });
}

it('conceals values of a text in parts as in one step', async () => {
  const shown = shownValues();
  const words = [...VALUES, ' ', '.', 'x', '😀', 'é', '1', '@', 'ada@x.co'];
  for (const text of [...texts(words, 60, 500), ...texts(words, 40_000, 5)]) {
    expect(await shown.conceal(text)).toBe(concealedByExpression(text));
  }
  for (let before = 16_370; before <= 16_390; before++) {
    const text = `${'.'.repeat(before)}Ada Lovelace${'.'.repeat(20_000)}`;
    expect(await shown.conceal(text)).toBe(concealedByExpression(text));
  }
});

it('reveals values of a text in parts as in one step', async () => {
  const shown = shownValues();
  const words = ['[VA_1]', '[va_7]', '[VA_5]', '[VA_99]', '"', '\\"', '\\\\"', '\\', ' ', '[', 'plain words', ','];
  for (const text of [...texts(words, 60, 500), ...texts(words, 40_000, 5)]) {
    expect(await shown.reveal(text)).toBe(revealedByExpression(text));
  }
  for (let before = 8_180; before <= 8_200; before++) {
    const text = `${'.'.repeat(before)}\\"[VA_7]\\"${'.'.repeat(9_000)}`;
    expect(await shown.reveal(text)).toBe(revealedByExpression(text));
  }
});

it('reveals in time in proportion to the text, also after many backslashes', async () => {
  const shown = shownValues();
  // An expression that begins at each backslash would take hours.
  const text = `${'\\'.repeat(2_000_000)}"[VA_7]`;
  expect(await shown.reveal(text)).toBe(text.replace('[VA_7]', '4155550123'));
});
