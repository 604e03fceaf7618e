import { describe, expect, it, test } from 'vitest';
import { seeded } from '../../../../test/fixtures/random-values.ts';
import { newVault } from '../../../../test/fixtures/vaults.ts';
import { createKnownValueRedactor } from './known-value-redactor.ts';

const VALUES = [
  { type: 'EMAIL', text: 'ada.lovelace@example.com' },
  { type: 'PHONE', text: '+1 (555) 123-4567' },
  { type: 'NAME', text: 'José Müller' },
  { type: 'NAME', text: 'Ada' },
  { type: 'SSN', text: '536-22-1234' },
  { type: 'NAME', text: 'Bo' },
  { type: 'SECRET', text: '-----BEGIN KEY-----\nabc"\\def\n-----END KEY-----' },
] as const;

async function filled() {
  const vault = newVault();
  await vault.allocate(VALUES);
  return { vault, knownValueRedactor: createKnownValueRedactor(vault) };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const everyEscape = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');

describe('known values are found', () => {
  it.each([
    ['as they are', 'to ada.lovelace@example.com.', 'to [EMAIL_1].'],
    ['in any case', 'ADA.Lovelace@EXAMPLE.com', '[EMAIL_1]'],
    ['inside of words', 'xada.lovelace@example.comx', 'x[EMAIL_1]x'],
    ['with invisible characters', 'ada.love\u200Blace@exa\u00ADmple.com', '[EMAIL_1]'],
    ['without accents', 'jose muller', '[NAME_1]'],
    ['with accents in two parts', `${'José Müller'.normalize('NFD')}!`, '[NAME_1]!'],
    ['in full width', 'ａｄａ.lovelace＠example.com', '[EMAIL_1]'],
    [
      'by their digits',
      'tel 5551234567, 555.123.4567, 15551234567, 536 22 1234',
      'tel [PHONE_1], [PHONE_1], [PHONE_1], [SSN_1]',
    ],
    ['in a URL', '?q=ada.lovelace%40example.com&p=%2B1+%28555%29+123-4567', '?q=[EMAIL_1]&p=[PHONE_1]'],
    ['in a form', 'name=Jos%C3%A9+M%c3%bcller', 'name=[NAME_1]'],
    ['with every character escaped', `x${everyEscape('ada.lovelace@example.com')}x`, 'x[EMAIL_1]x'],
    ['in JSON', JSON.stringify({ key: VALUES[6].text }), '{"key":"[SECRET_1]"}'],
    ['in JSON of ASCII alone', '"Jos\\u00e9 M\\u00fcller"', '"[NAME_1]"'],
    ['in hex', `0x${hex('ada.lovelace@example.com')}`, `0x${hex('[EMAIL_1]')}`],
    ['in hex next to other bytes', `00${hex('ada.lovelace@example.com')}`, '00[EMAIL_1]'],
    [
      'in hex from an odd digit',
      `f${Buffer.from('ADA.lovelace@example.com').toString('hex').toUpperCase()}`,
      'f[EMAIL_1]',
    ],
    ['in hex of UTF-8', hex('to José Müller'), hex('to [NAME_1]')],
    ['in base32', 'MFSGCLTMN53GK3DBMNSUAZLYMFWXA3DFFZRW63I=', 'LNCU2QKJJRPTCXI='],
    ['in UTF-16', utf16('to José Müller').toString('base64'), utf16('to [NAME_1]').toString('base64')],
    ['in base64 of base64', base64(base64('to José Müller')), base64(base64('to [NAME_1]'))],
    ['in an encoded-word', '=?UTF-8?Q?Jos=C3=A9_M=C3=BCller?=', '=?UTF-8?Q?=5BNAME=5F1=5D?='],
    ['beside one another', 'ada.lovelace@example.com536-22-1234', '[EMAIL_1][SSN_1]'],
    ['when short, as a word of their own', 'Ada, ada, Adapter, "Ada"', '[NAME_2], ada, Adapter, "[NAME_2]"'],
  ])('%s', async (_, text, expected) => {
    const { knownValueRedactor } = await filled();
    expect(await knownValueRedactor.text(text)).toBe(expected);
  });

  it.each([0, 1, 2, 3, 4, 5])('in base64, %i bytes after its beginning', async (before) => {
    const { knownValueRedactor } = await filled();
    for (const value of ['ada.lovelace@example.com', 'José Müller', 'ADA.LOVELACE@example.com']) {
      for (const form of [base64, (text: string) => Buffer.from(text).toString('base64url')]) {
        const [, encoded = ''] = (await knownValueRedactor.text(`x=${form(`${'?'.repeat(before)}${value}~~~`)}`)).split(
          '=',
        );
        const name = value.startsWith('J') ? 'NAME_1' : 'EMAIL_1';
        expect(Buffer.from(encoded, 'base64').toString()).toBe(`${'?'.repeat(before)}[${name}]~~~`);
        // Next to other bytes, the text is not decodable as a whole.
        const mixed = Buffer.concat([Buffer.alloc(6 + before), Buffer.from(value), Buffer.alloc(3)]).toString('base64');
        const redacted = await knownValueRedactor.text(`x=${mixed}`);
        expect(redacted).toMatch(new RegExp(`^x=A{8,14}[\\w/+-]{0,4}\\[${name}\\][\\w/+=-]{0,6}$`));
      }
    }
    expect(await knownValueRedactor.text(`q${base64('ada.lovelace@example.com')}`)).toMatch(/^q{1,2}\[EMAIL_1\]/);
  });
});

test('other texts stay as they are', async () => {
  const { knownValueRedactor } = await filled();
  const texts = [
    '',
    'Bo Derek',
    '[EMAIL_1] and [NAME_2]',
    'x[Ada_1]',
    '5551234',
    '536221234567',
    'ada@example.com',
    '%zz \\u00 \\',
    '[5,551,234,567]',
  ];
  for (const text of texts) expect(await knownValueRedactor.text(text)).toBe(text);
});

test('no character of overlapping values stays', async () => {
  const vault = newVault();
  await vault.allocate(['abcdefgh', 'efghijkl', 'ijklmnop', 'abcdefghijk'].map((text) => ({ type: 'CODE', text })));
  expect(await createKnownValueRedactor(vault).text('-abcdefghijklmnop- -efghijkl-')).toBe('-[CODE_4]- -[CODE_2]-');
});

describe('names', () => {
  async function redact(text: string, ...names: readonly string[]) {
    const vault = newVault();
    await vault.allocate(names.map((name) => ({ type: 'NAME', text: name })));
    return createKnownValueRedactor(vault).text(text);
  }

  it.each(['api', 'Mark', 'Will', 'General'])('%s is too common to be replaced in other texts', async (word) => {
    expect(await redact(`The ${word} is here, ${word}.`, word)).toBe(`The ${word} is here, ${word}.`);
    expect(await redact(`Dear ${word} Lovelace!`, `${word} Lovelace`)).toBe('Dear [NAME_1]!');
  });

  it.each([
    'ivan_petrov_6635',
    'ivan-petrov-6635',
    'PETROV_TEAM',
    'ivan.petrov',
    'repos/ivan-petrov/api',
    'petrov.6635',
    'xpetrova',
  ])('the identifier %s stays whole', async (id) => {
    expect(await redact(`id: ${id}.`, 'Petrov', 'Ivan')).toBe(`id: ${id}.`);
  });

  it.each([
    ['Ask Petrov.', 'Ask [NAME_1].'],
    ['(petrov)', '([NAME_1])'],
    ['Petrov-Vodkin and "Petrov"', '[NAME_1]-Vodkin and "[NAME_1]"'],
    ['?q=Dr%20Petrov%20x', '?q=Dr%20[NAME_1]%20x'],
    ['?q=Dr+Petrov', '?q=Dr+[NAME_1]'],
    ['line\\nPetrov', 'line\\n[NAME_1]'],
  ])('a name is replaced in %s', async (text, expected) => {
    expect(await redact(text, 'Petrov')).toBe(expected);
  });
});

test('texts, numbers and keys of a JSON value are redacted, and it stays JSON', async () => {
  const { knownValueRedactor } = await filled();
  expect(
    await knownValueRedactor.json({ 'ada.lovelace@example.com': [5551234567, 1, null, { a: 'x Ada' }], __b: true }),
  ).toEqual({
    '[EMAIL_1]': ['[PHONE_1]', 1, null, { a: 'x [NAME_2]' }],
    __b: true,
  });
});

test('added values are found at once, and forgotten ones no longer', async () => {
  const { vault, knownValueRedactor } = await filled();
  expect(await knownValueRedactor.text('eve@example.com')).toBe('eve@example.com');
  await vault.allocate([{ type: 'EMAIL', text: 'eve@example.com' }]);
  expect(await knownValueRedactor.text('eve@example.com')).toBe('[EMAIL_2]');
  await vault.forget('eve@example.com');
  expect(await knownValueRedactor.text('eve@example.com Ada')).toBe('eve@example.com [NAME_2]');
});

test('a stream has the same output for all cuts', async () => {
  const { knownValueRedactor } = await filled();
  const random = seeded(5);
  const pieces = [
    'ada.lovelace@example.com',
    'JOSE MULLER',
    '555-123-4567',
    base64('x ada.lovelace@example.com'),
    '\\\\u0041da',
    '\\\\\\',
    'Ada',
    Buffer.from('José Müller').toString('hex'),
    everyEscape('536-22-1234'),
    JSON.stringify(VALUES[6].text),
    '[EMAIL_1]',
    ' ',
    'x',
    '\n',
  ]; // prettier-ignore
  const text = Array.from({ length: 60 }, () => pieces[Math.floor(random() * pieces.length)]).join('');
  const run = async (parts: readonly string[]) => {
    const stream = knownValueRedactor.stream();
    let redacted = '';
    for (const part of parts) redacted += await stream.push(part);
    return redacted + (await stream.end());
  };
  const whole = await run([text]);
  expect(whole).not.toMatch(/lovelace|muller|4567/i);
  for (let cut = 0; cut <= text.length; cut++) expect(await run([text.slice(0, cut), text.slice(cut)])).toBe(whole);
  expect(await run(text.split(''))).toBe(whole);
  expect(await run(text.match(/[\s\S]{1,37}/g) ?? [])).toBe(whole);
});

test('a stream rejects if the vault fails, and never returns held text', async () => {
  const { vault } = await filled();
  let down = false;
  const failing = { ...vault, known: () => (down ? Promise.reject(new Error('down')) : vault.known()) };
  const stream = createKnownValueRedactor(failing).stream();
  await stream.push('ada.love');
  down = true;
  await expect(stream.push('lace')).rejects.toThrow('down');
  down = false;
  await expect(stream.end()).rejects.toMatchObject({ code: 'CLOSED' });
});

test('many values with equal beginnings, and hostile texts, take no longer than others', {
  timeout: 300_000,
}, async () => {
  const vault = newVault();
  await vault.allocate(
    Array.from({ length: 3_000 }, (_, index) => ({ type: 'PHONE', text: `+1 555 000 ${10_000 + index}` })),
  );
  const knownValueRedactor = createKnownValueRedactor(vault);
  const time = async (text: string) => {
    const start = process.cpuUsage();
    await knownValueRedactor.text(text);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
  const length = 300_000;
  const plain = await time('lorem ipsum dolor sit amet, '.repeat(length / 28));
  for (const piece of ['+1 555 000 ', '1', 'a', '%41', '\\', 'QUFB', '[', '+1 555 000 1000x ', '1 ']) {
    expect(await time(piece.repeat(length / piece.length))).toBeLessThan(40 * plain + 2_000);
  }
});
