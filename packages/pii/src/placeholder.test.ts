import { describe, expect, it, test } from 'vitest';
import { rewriteSteps } from './encodings/rewrite.ts';
import { escaped, readPlaceholders, unescaped, unfinishedAt, writePlaceholder } from './placeholder.ts';
import { atOnce } from './slices.ts';

const types = new Set(['EMAIL', 'DATE_OF_BIRTH']);
const escapeLookAlikes = (text: string, types: ReadonlySet<string>) =>
  atOnce(rewriteSteps(text, types, { replace: escaped, isPlaceholder: () => true }));
const restore = (text: string) =>
  atOnce(
    rewriteSteps(text, types, {
      replace: (found, of) => (found.escapes === 0 ? `<${found.name}>` : unescaped(found, of)),
      isPlaceholder: ({ escapes }) => escapes > 0,
    }),
  );

test('a placeholder is its type and its number in brackets', () => {
  expect([writePlaceholder('EMAIL_1'), restore('to [EMAIL_1], [X9_1234567].')]).toEqual([
    '[EMAIL_1]',
    'to <EMAIL_1>, <X9_1234567>.',
  ]);
});

it.each([
  ['[email_1]', '<EMAIL_1>'],
  ['[Date_Of_Birth_12]', '<DATE_OF_BIRTH_12>'],
  ['`[EMAIL_1]`', '`<EMAIL_1>`'],
  ['[`EMAIL_1`]', '<EMAIL_1>'],
  ['\\[EMAIL_1\\]', '<EMAIL_1>'],
  ['\\[EMAIL\\_1\\]', '<EMAIL_1>'],
  ['[EMAIL\\_1]', '<EMAIL_1>'],
  ['C:\\[EMAIL_1]', 'C:\\<EMAIL_1>'],
  ['［ＥＭＡＩＬ＿１］', '<EMAIL_1>'],
  ['［EMAIL_1]', '<EMAIL_1>'],
  ['[\u200BEM\u200DAIL_\u20601\uFEFF]', '<EMAIL_1>'],
  ['[ EMAIL_1 ]', '<EMAIL_1>'],
  ['[E MAIL _ 1]', '<EMAIL_1>'],
  ['[[EMAIL_1]]', '[<EMAIL_1>]'],
  ['[EMAIL_1][EMAIL_2]', '<EMAIL_1><EMAIL_2>'],
  ["INSERT INTO t VALUES ('[EMAIL_1]')", "INSERT INTO t VALUES ('<EMAIL_1>')"],
  ['https://x.example/?to=[EMAIL_1]&n=1', 'https://x.example/?to=<EMAIL_1>&n=1'],
])('%s reads as %s', (text, expected) => expect(restore(text)).toBe(expected));

it.each([
  'row[col_1]',
  '[COL\u200B_1]',
  '[EMAIL]',
  '[EMAIL_]',
  '[EMAIL_1234567890]',
  '[E_1]',
  '[ABCDEFGHIJKLMNOPQRSTUVWXYZ_1]',
  '[EMAIL-1]',
  '[EMAIL_1',
  'EMAIL_1]',
  '[EMAIL\n_1]',
  '[EMAIL\\n_1]',
  '[éMAIL_1]',
  '[ſMAIL_1]',
  '',
])('%j is not a placeholder', (text) => expect(readPlaceholders(text, types)).toEqual([]));

test('offsets include the brackets and escapes', () => {
  expect(readPlaceholders('a \\[email\\_1\\] b [~X1_2]', types)).toEqual([
    { start: 2, end: 14, name: 'EMAIL_1', type: 'EMAIL', escapes: 0, escapeAt: 4 },
    { start: 17, end: 24, name: 'X1_2', type: 'X1', escapes: 1, escapeAt: 18 },
  ]);
});

describe('escaping', () => {
  it.each([
    ['[EMAIL_1]', '[~EMAIL_1]'],
    ['[~EMAIL_1]', '[~~EMAIL_1]'],
    ['\\[ email\\_1\\]', '\\[~ email\\_1\\]'],
    ['［ＥＭＡＩＬ＿１］ [FOO_1] row[col_1]', '［~ＥＭＡＩＬ＿１］ [~FOO_1] row[col_1]'],
  ])('%s becomes %s, and back', (text, escaped) => {
    expect([escapeLookAlikes(text, types), restore(escaped)]).toEqual([escaped, text]);
  });

  it('is refused at the limit, where restoring could not undo it', () => {
    expect(() => escapeLookAlikes(`[${'~'.repeat(64)}EMAIL_1]`, types)).toThrow(
      'A text contains a placeholder with 64 escapes, which is the limit.',
    );
  });
});

test('an unfinished placeholder differs from ordinary text', () => {
  const texts = ['a [EMA', 'a \\[EMAIL_1\\', 'a [EMAIL_1]', 'a [EMAIL!', 'a \\', '[', '[x] [~~', `[${'A'.repeat(40)}`];
  expect(texts.map((text) => text.slice(unfinishedAt(text, types)))).toEqual([
    '[EMA',
    '\\[EMAIL_1\\',
    '',
    '',
    '\\',
    '[',
    '[~~',
    '',
  ]);
});

test('hostile text takes time in proportion to its length', () => {
  const pieces = ['[', '[EMAIL_', '[~', '[ ', '\\[', '[`E', '［', '[EMAIL_1\\'];
  // CPU time, because other tests run at the same time.
  const time = (length: number) => {
    const texts = pieces.map((piece) => piece.repeat(length / piece.length));
    const start = process.cpuUsage();
    for (const text of texts) restore(text);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
  time(40_000);
  const short = time(40_000);
  expect(time(320_000)).toBeLessThan(3 * 8 * short + 500);
});
