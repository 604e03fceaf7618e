import { describe, expect, it, test } from 'vitest';
import { seeded } from '../../../../test/fixtures/random-values.ts';
import { IS_SHORT } from '../../../../test/fixtures/short-form.ts';
import { newVault } from '../../../../test/fixtures/vaults.ts';
import { createDetection } from '../detection/detection.ts';
import type { AuditRecord } from '../policy/audit.ts';
import type { PiiPolicy } from '../policy/policy.ts';
import { openRedactor, type RedactorOptions } from '../redaction/redactor.ts';
import { encodedNameSteps } from '../redaction/shown-values.ts';
import { PART_CHARACTERS } from '../slices.ts';
import { fromBase32 as decodeBase32, toBase32 } from './bytes/base32.ts';
import { blockSteps } from './bytes/blocks.ts';

const CRM = { server: 'crm' };
const SEND = { tool: 'mail__send', server: 'mail' };
const BACK = { tool: 'crm__put', server: 'crm' };

function session(options: Partial<RedactorOptions> = {}) {
  const records: AuditRecord[] = [];
  const redactor = openRedactor({
    vault: newVault(),
    detection: createDetection(),
    policy: {},
    audit: (record) => void records.push(record),
    ignored: new Set(),
    clear: new Set(),
    ...options,
  });
  const redact = async <T>(value: T) => (await redactor.redactResult(value, CRM)).guestValue as T;
  const restore = async (text: unknown, to = SEND) => (await redactor.restoreArguments({ text }, to)).args.text;
  return { redactor, records, redact, restore };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const fromBase64 = (encoded: string) => Buffer.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), 'latin1');
const textOf = (encoded: string) => fromBase64(encoded).toString();
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const hex = (text: string) => Buffer.from(text).toString('hex');
const fromHex = (encoded: string) => Buffer.from(encoded, 'hex').toString();
const utf16 = (text: string) => Buffer.from(text, 'utf16le').toString('base64');
const fromUtf16 = (encoded: string) => fromBase64(encoded).toString('utf16le');
const wrapped = (width: number, gap: string) => (text: string) =>
  base64(text).replaceAll(new RegExp(`.{${width}}(?=.)`, 'g'), `$&${gap}`);
const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const fromHtml = (encoded: string) =>
  encoded
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (one) => Object.keys(SPECIAL).find((key) => SPECIAL[key] === one) ?? one)
    .replaceAll(/&#(\d+);/g, (_, point) => String.fromCodePoint(Number(point)));
const json = (levels: number) => (text: string) => {
  let written = text;
  for (let level = 0; level < levels; level++) written = JSON.stringify({ text: written, n: level });
  return written;
};
const fromJson = (levels: number) => (encoded: string) => {
  let text = encoded;
  for (let level = 0; level < levels; level++) text = (JSON.parse(text) as { text: string }).text;
  return text;
};
const qEncoded = (text: string) =>
  Array.from(Buffer.from(text), (byte) => {
    const one = String.fromCharCode(byte);
    if (one === ' ') return '_';
    return /[A-Za-z0-9!*+/-]/.test(one) ? one : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
const fromSequences = (encoded: string, sign: string) =>
  Buffer.from(
    encoded.replaceAll(new RegExp(`${sign}([0-9A-F]{2})`, 'g'), (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    ),
    'latin1',
  ).toString();
const fromBase32 = (encoded: string) => decodeBase32(encoded.replace(/[=\f]+$/, '')).toString();

type Pair = readonly [encode: (text: string) => string, decode: (encoded: string) => string];

/** Encoders of programs and servers with their decoders, by name. */
const ENCODINGS: Readonly<Record<string, Pair>> = {
  base64: [base64, textOf],
  'base64 without padding': [(text) => base64(text).replace(/=+$/, ''), textOf],
  base64url: [base64url, textOf],
  'base64url with padding': [(text) => base64(text).replaceAll('+', '-').replaceAll('/', '_'), textOf],
  'base64 of 60 columns': [wrapped(60, '\n'), textOf],
  'base64 of 64 columns': [wrapped(64, '\n'), textOf],
  'base64 of 60 columns without padding': [(text) => wrapped(60, '\n')(text).replace(/=+$/, ''), textOf],
  'base64 of 76 columns': [wrapped(76, '\r\n'), textOf],
  'base64 of 76 columns, indented': [wrapped(76, '\n    '), textOf],
  'UTF-16 in base64': [utf16, fromUtf16],
  'UTF-16 with a mark in base64': [(text) => utf16(`\ufeff${text}`), (encoded) => fromUtf16(encoded).slice(1)],
  'big-endian UTF-16 in base64': [
    (text) => Buffer.from(text, 'utf16le').swap16().toString('base64'),
    (encoded) => fromBase64(encoded).swap16().toString('utf16le'),
  ],
  hex: [hex, fromHex],
  'upper-case hex': [(text) => hex(text).toUpperCase(), fromHex],
  base32: [(text) => toBase32(Buffer.from(text), true), fromBase32],
  'base32 without padding': [(text) => toBase32(Buffer.from(text), false), fromBase32],
  'percent-encoding': [encodeURIComponent, decodeURIComponent],
  'percent-encoding in lower case': [
    (text) => encodeURIComponent(text).replaceAll(/%../g, (sequence) => sequence.toLowerCase()),
    decodeURIComponent,
  ],
  'a form': [
    (text) => `https://x.example.org/?${new URLSearchParams({ q: text, b: '2' })}`,
    (encoded) => new URL(encoded).searchParams.get('q') ?? '',
  ],
  'percent-encoding, twice': [
    (text) => encodeURIComponent(encodeURIComponent(text)),
    (encoded) => decodeURIComponent(decodeURIComponent(encoded)),
  ],
  'an encoded-word in base64': [(text) => `=?utf-8?B?${base64(text)}?=`, (encoded) => textOf(encoded.slice(10, -2))],
  'an encoded-word': [
    (text) => `=?UTF-8?Q?${qEncoded(text)}?=`,
    (encoded) => fromSequences(encoded.slice(10, -2).replaceAll('_', ' '), '='),
  ],
  'HTML as numbers': [(text) => [...text].map((one) => `&#${one.codePointAt(0)};`).join(''), fromHtml],
  JSON: [json(1), fromJson(1)],
  'JSON in JSON in JSON': [json(3), fromJson(3)],
  'JSON of ten levels': [json(10), fromJson(10)],
  'JSON of ASCII': [
    (text) => json(1)(text).replaceAll(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    fromJson(1),
  ],
  'JSON with slashes': [(text) => json(1)(text).replaceAll('/', '\\/'), fromJson(1)],
  'base64 in JSON in base64': [
    (text) => base64(json(1)(base64(text))),
    (encoded) => textOf(fromJson(1)(textOf(encoded))),
  ],
  'base64 in base64': [(text) => base64(base64(text)), (encoded) => textOf(textOf(encoded))],
  'JSON in base64url in JSON': [
    (text) => json(1)(base64url(json(1)(text))),
    (encoded) => fromJson(1)(textOf(fromJson(1)(encoded))),
  ],
  'base64 in the path of a URL': [
    (text) => `https://api.example.org/v1/items/${base64url(text)}/raw`,
    (encoded) => textOf(new URL(encoded).pathname.split('/')[3] ?? ''),
  ],
  'a basic credential': [(text) => `Basic ${base64(text)}`, (encoded) => textOf(encoded.slice(6))],
};

describe('a placeholder that a program encodes is restored inside', () => {
  const email = 'ada.lovelace+news@analytical.example.org';
  const name = `José "Pépé" O'Brien/Müller & Co`;

  it.each(Object.entries(ENCODINGS))('%s', async (_, [encode, decode]) => {
    const vault = newVault();
    await vault.allocate([
      { type: 'EMAIL', text: email },
      { type: 'NAME', text: name },
    ]);
    const { restore, records } = session({ vault });
    expect(decode((await restore(encode('To: [NAME_1] <[EMAIL_1]>?'))) as string)).toBe(`To: ${name} <${email}>?`);
    expect(decode((await restore(encode('[EMAIL_1]'))) as string)).toBe(email);
    expect(decode((await restore(encode('~~[~EMAIL_1]~~'))) as string)).toBe('~~[EMAIL_1]~~');
    expect(records.map(({ event, placeholder }) => `${event} ${placeholder}`).sort()).toEqual([
      'restore EMAIL_1',
      'restore EMAIL_1',
      'restore NAME_1',
    ]);
    await expect(restore(encode('To: [EMAIL_77]'))).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
  });
});

describe('a value in an encoded text of a tool is replaced inside', () => {
  const letter = 'Dear Ada, write to ada.lovelace@analytical.example.org or call +44 20 7946 0958. Regards ~ Bob?';

  it.each(Object.entries(ENCODINGS))('%s', async (name, [encode, decode]) => {
    const { redact, restore } = session();
    const given = encode(letter);
    const redacted = await redact(given);
    // Text in which all characters are numbers, and doubly encoded words, have no whole values to replace inside.
    if (!/HTML|encoded-word$|path/.test(name)) expect(decode(redacted)).toContain('[EMAIL_1]');
    if (!/path/.test(name)) expect(redacted).not.toBe(given);
    expect(redacted).not.toContain('lovelace');
    expect(await restore(redacted, BACK)).toBe(given);
  });

  it('a file of GitHub, a mail of Gmail and the text of a JSON file stay decodable', async () => {
    const { redact, restore } = session();
    const file = 'name: ada\nemail: ada.lovelace@analytical.example.org\n';
    const github = { encoding: 'base64', content: `${wrapped(60, '\n')(file)}\n` };
    const redacted = await redact(github);
    expect(atob(redacted.content)).toBe('name: ada\nemail: [EMAIL_1]\n');
    expect(await restore(redacted.content, BACK)).toBe(github.content);
    const gmail = { payload: { body: { data: base64url('Salut, écris à ada.lovelace@analytical.example.org >>>') } } };
    const { data } = (await redact(gmail)).payload.body;
    expect(Buffer.from(data, 'base64url').toString()).toBe('Salut, écris à [EMAIL_1] >>>');
    const text = JSON.stringify({ phone: 4155550132, tel: '4155550133', status: 'x' });
    const parsed = JSON.parse(await redact(text));
    expect(parsed).toEqual({ phone: '[PHONE_1]', tel: '[PHONE_2]', status: 'x' });
    expect(await restore(JSON.stringify(parsed))).toBe(text);
    expect(await restore(base64(JSON.stringify({ deep: JSON.stringify(parsed) })))).toBe(
      base64(JSON.stringify({ deep: text })),
    );
  });

  it('except in binary data, in a secret under its key, and in a text that only looks like a placeholder', async () => {
    const { redact, restore } = session({ policy: ALL });
    const token = base64('user:ada.lovelace@analytical.example.org');
    expect(await redact({ api_key: token })).toEqual({ api_key: '[SECRET_1]' });
    for (const [encode] of Object.values(ENCODINGS)) {
      const given = encode('see [EMAIL_1] or [~SECRET_1]');
      const redacted = await redact(given);
      expect(redacted).not.toBe(given);
      expect(await restore(redacted)).toBe(given);
    }
  });
});

describe('an encoded part of a placeholder', () => {
  it.each(['[EMAIL_', '[EMAIL_1', 'To: [EMA', 'MAIL_1]', 'EMAIL_1], hello'])('%s is refused', async (cut) => {
    const { redact, restore, records } = session();
    await redact('ada.lovelace@analytical.example.org');
    for (const encoded of [base64(cut), `x ${base64url(cut)}`, base64(JSON.stringify({ b: base64(cut) }))]) {
      await expect(restore(encoded)).rejects.toMatchObject({ code: 'PII_DENIED', message: /whole placeholder/ });
    }
    expect(records.map(({ reason }) => reason)).toEqual(Array(3).fill('cut placeholder'));
  });

  it.each(['array[i]', 'row[NAMES]', 'use [EMAIL_1] here', 'x[0]', 'see [E'])('%s is none', async (text) => {
    const { redact, restore } = session();
    await redact('ada.lovelace@analytical.example.org');
    await expect(restore(base64(text))).resolves.toBeTypeOf('string');
  });
});

test('the policy decides about values in encodings as about others', async () => {
  const policy = { tools: { mail__send: { EMAIL: 'mask', PHONE: 'deny' } } } as const;
  const { redact, restore, records } = session({ policy });
  await redact({ email: 'ada@analytical.example.org', phone: '+44 20 7946 0958' });
  expect(textOf((await restore(base64('to [EMAIL_1]'))) as string)).toBe('to a***@analytical.example.org');
  await expect(restore(base64('to [PHONE_1]'))).rejects.toMatchObject({ code: 'PII_DENIED' });
  expect(records.map(({ event }) => event)).toEqual(['mask', 'denial']);
});

const RESTRICTED = ['SECRET', 'SSN', 'CREDIT_CARD', 'IBAN', 'NATIONAL_ID', 'PASSPORT'];
const ALL: PiiPolicy = { tools: { '*': Object.fromEntries(RESTRICTED.map((type) => [type, 'allow'])) } };
const CASES = IS_SHORT ? 50 : 100_000;
const CASES_AT_ONCE = 50;

test(`${CASES} random texts in random encodings return exactly`, { timeout: 600_000 }, async () => {
  const random = seeded(15);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const words = [
    'Dear',
    'ü',
    '日本',
    '>>>',
    '?',
    '~',
    '"',
    '\\',
    '\n',
    ' ',
    '&',
    '<b>',
    '%',
    '+',
    '=',
    '[EMAIL_1]',
    '{',
    '/',
  ];
  const word = () => (below(4) === 0 ? `user${below(60)}@mail${below(9)}.example.org` : `${pick(words)} `);
  const encoders = Object.values(ENCODINGS).map(([encode]) => encode);
  const { redact, restore } = session({ policy: ALL });
  const encoded = () => {
    const text = Array.from({ length: 1 + below(9) }, word).join('');
    const once = pick(encoders)(text);
    return below(4) === 0 ? pick(encoders)(once) : below(3) === 0 ? `${text} ${once}` : once;
  };
  for (let done = 0; done < CASES; done += CASES_AT_ONCE) {
    const values = Array.from({ length: CASES_AT_ONCE }, encoded);
    const redacted = await redact(values);
    const back = (await restore(redacted, BACK)) as string[];
    const wrong = values.findIndex((value, index) => value !== back[index]);
    expect(wrong < 0 ? [] : [values[wrong], back[wrong], redacted[wrong]]).toEqual([]);
  }
});

const RUN_CHARACTERS = 10_000_000;
const UNITS = ['a', '7', 'A', '=', '%41', '\\', '[', ' ', '\n', '\f', '\\u0041', '=41', '&#97;'];

test.each(IS_SHORT ? UNITS.slice(0, 2) : UNITS)(
  'millions of the same characters return exactly: %j',
  { timeout: 120_000 },
  async (unit) => {
    const { redact, restore } = session();
    // The engine compiles an expression when it is used often, and only then does it fail on a long run.
    const short = Array.from({ length: 200 }, (_, index) => `${unit.repeat(20 + (index % 20))} ada@example.org`);
    await redact(short);
    const long = unit.repeat(RUN_CHARACTERS / unit.length);
    const redacted = await redact({ long });
    expect(((await restore(redacted, BACK)) as { long: string }).long === long).toBe(true);
  },
);

test.each([
  ['base64', Buffer.alloc(1_500_000, 'a text of some length, ').toString('base64')],
  ['base64 of bytes', Buffer.alloc(1_500_000, Buffer.from([1, 200, 3])).toString('base64')],
  ['hexadecimal', Buffer.alloc(1_000_000, 'a text of some length, ').toString('hex')],
])('a long run of %s is read in many steps', (_kind, text) => {
  const names = new Set<string>();
  for (const steps of [blockSteps(text), encodedNameSteps(text, names)]) {
    let count = 0;
    for (let step = steps.next(); !step.done; step = steps.next()) count++;
    expect(count).toBeGreaterThan(text.length / (2 * PART_CHARACTERS));
  }
});
