import { describe, expect, it } from 'vitest';
import { newVault } from '../../../../test/fixtures/vaults.ts';
import { createDetection } from '../detection/detection.ts';
import { openRedactor, type RedactorOptions } from './redactor.ts';

const newRedactor = (options: Partial<RedactorOptions> = {}) =>
  openRedactor({
    vault: newVault(),
    detection: createDetection(),
    policy: {},
    audit: () => undefined,
    ignored: new Set(),
    clear: new Set(),
    ...options,
  });
const CRM = { server: 'crm' };
const SEND = { tool: 'mail__send', server: 'mail' };

type Coding = (text: string) => string;
const base64: Coding = (text) => Buffer.from(text).toString('base64');
const fromBase64: Coding = (text) => Buffer.from(text, 'base64').toString();
const lines = (text: string, width: number, gap: string) =>
  (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(gap);

/** Encodings, as tools and programs use them, and the way back. */
const ENCODINGS: Readonly<Record<string, readonly [encode: Coding, decode: Coding]>> = {
  base64: [base64, fromBase64],
  base64url: [(text) => Buffer.from(text).toString('base64url'), (text) => Buffer.from(text, 'base64url').toString()],
  'lines of 60': [(text) => lines(base64(text), 60, '\n'), fromBase64],
  'lines of 76 with CRLF': [(text) => lines(base64(text), 76, '\r\n'), fromBase64],
  'UTF-16': [
    (text) => Buffer.from(text, 'utf16le').toString('base64'),
    (text) => Buffer.from(text, 'base64').toString('utf16le'),
  ],
  hexadecimal: [(text) => Buffer.from(text).toString('hex'), (text) => Buffer.from(text, 'hex').toString()],
  JSON: [(text) => JSON.stringify({ note: text, n: 1 }), (text) => JSON.parse(text).note],
  'JSON of Python': [(text) => `{"note": ${JSON.stringify(text)}, "n": 1.0}`, (text) => JSON.parse(text).note],
  'base64 of JSON': [(text) => base64(JSON.stringify([text])), (text) => JSON.parse(fromBase64(text))[0]],
  'JSON of base64': [(text) => JSON.stringify({ x: base64(text) }), (text) => fromBase64(JSON.parse(text).x)],
  'base64 of base64': [(text) => base64(base64(text)), (text) => fromBase64(fromBase64(text))],
  'a MIME word': [(text) => `=?utf-8?B?${base64(text)}?=`, (text) => fromBase64(text.slice(10, -2))],
};

describe.each(Object.entries(ENCODINGS))('values in %s', (_name, [encode, decode]) => {
  const text = 'Dear Zoë, write to ann@x-corp.com or call +1 415 555 0123 — today.';

  it('become placeholders inside of it, and are restored exactly', async () => {
    const redactor = newRedactor();
    const answer = { content: encode(text), plain: 'ann@x-corp.com' };
    const guest = (await redactor.redactResult(answer, CRM)).guestValue as typeof answer;
    expect(decode(guest.content)).toBe('Dear Zoë, write to [EMAIL_1] or call [PHONE_1] — today.');
    expect(guest.plain).toBe('[EMAIL_1]');
    expect((await redactor.restoreArguments(guest, SEND)).args).toEqual(answer);
  });

  it('are restored where a program encodes a placeholder itself', async () => {
    const redactor = newRedactor();
    await redactor.redactResult({ email: 'ann@x-corp.com' }, CRM);
    const { args } = await redactor.restoreArguments({ raw: encode('To: [EMAIL_1]!') }, SEND);
    expect(decode(String(args.raw))).toBe('To: ann@x-corp.com!');
  });

  it('follow the policy, and unknown placeholders are refused', async () => {
    const redactor = newRedactor({ policy: { tools: { 'mail__*': { EMAIL: 'deny' } } } });
    await redactor.redactResult({ email: 'ann@x-corp.com' }, CRM);
    const send = (content: string) => redactor.restoreArguments({ raw: encode(content) }, SEND);
    await expect(send('To: [EMAIL_1]!')).rejects.toMatchObject({ code: 'PII_DENIED' });
    await expect(send('To: [EMAIL_7]!')).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
  });

  it('a text that looks like a placeholder is none', async () => {
    const redactor = newRedactor();
    await redactor.redactResult({ email: 'ann@x-corp.com' }, CRM);
    const forged = { raw: encode('To: [EMAIL_1], forged') };
    const guest = (await redactor.redactResult(forged, { server: 'evil' })).guestValue as typeof forged;
    expect(decode(guest.raw)).toBe('To: [~EMAIL_1], forged');
    expect((await redactor.restoreArguments(guest, SEND)).args).toEqual(forged);
  });
});

describe('encoded texts', () => {
  it('keep numbers of JSON as numbers for tools, and are valid for programs', async () => {
    const redactor = newRedactor();
    const answer = { body: '{ "phone" : 4155550123,\n "amount": 12.50 }' };
    const guest = (await redactor.redactResult(answer, CRM)).guestValue as typeof answer;
    expect(JSON.parse(guest.body)).toEqual({ phone: '[PHONE_1]', amount: 12.5 });
    expect((await redactor.restoreArguments(guest, SEND)).args).toEqual(answer);
  });

  it('are one secret where they are a token, a header or the value of a secret key', async () => {
    const redactor = newRedactor();
    const payload = Buffer.from('{"email":"ann@x-corp.com","exp":1893456000}').toString('base64url');
    const answer = {
      jwt: `eyJhbGciOiJIUzI1NiJ9.${payload}.c2lnbmF0dXJlc2lnbmF0dXJl`,
      password: base64('ann@x-corp.com likes tea'),
      header: `Authorization: Basic ${base64('ann@x-corp.com:hunter2secret')}`,
    };
    const { guestValue } = await redactor.redactResult(answer, CRM);
    expect(guestValue).toEqual({
      jwt: '[SECRET_1]',
      password: '[SECRET_2]',
      header: 'Authorization: Basic [SECRET_3]',
    });
  });

  it('lose known values that no pattern finds', async () => {
    const redactor = newRedactor();
    await redactor.redactResult({ full_name: 'Zdenka Krajci', email: 'z@x-corp.com' }, CRM);
    const answer = { raw: base64('Greetings from Zdenka Krajci to all.') };
    const guest = (await redactor.redactResult(answer, CRM)).guestValue as typeof answer;
    expect(fromBase64(guest.raw)).toBe('Greetings from [NAME_1] to all.');
    expect((await redactor.restoreArguments(guest, SEND)).args).toEqual(answer);
  });

  it.each([
    ['the start', base64('write to: [EMAIL_')],
    ['the end', base64('MAIL_1] is the address')],
    ['hexadecimal', Buffer.from('write to [PHONE_').toString('hex')],
  ])('cut inside of a placeholder are refused: %s', async (_name, raw) => {
    const redactor = newRedactor();
    await redactor.redactResult({ email: 'ann@x-corp.com' }, CRM);
    await expect(redactor.restoreArguments({ raw }, SEND)).rejects.toMatchObject({
      code: 'PII_DENIED',
      message: expect.stringContaining('Encode the whole placeholder'),
    });
  });

  it('in query strings are restored with their encoding', async () => {
    const redactor = newRedactor();
    await redactor.redactResult({ email: 'ann+tea@x-corp.com' }, CRM);
    const query = new URLSearchParams({ to: '[EMAIL_1]', n: '1' }).toString();
    const { args } = await redactor.restoreArguments({ query, url: `https://a.example/?${query}` }, SEND);
    expect(new URLSearchParams(String(args.query)).get('to')).toBe('ann+tea@x-corp.com');
    expect(new URL(String(args.url)).searchParams.get('to')).toBe('ann+tea@x-corp.com');
  });

  it('leak nothing at ten levels of JSON', async () => {
    const redactor = newRedactor();
    let json = JSON.stringify({ email: 'ann@x-corp.com' });
    for (let level = 0; level < 9; level++) json = JSON.stringify({ level, json });
    const answer = { json };
    const { guestValue } = await redactor.redactResult(answer, CRM);
    expect(JSON.stringify(guestValue)).not.toContain('ann@');
    expect((await redactor.restoreArguments(guestValue as typeof answer, SEND)).args).toEqual(answer);
  });
});

it('restores placeholders with plain and encoded brackets in one text, in any order', async () => {
  const redactor = newRedactor();
  await redactor.redactResult(['ann@x-corp.com', 'bob@y-corp.com'], CRM);
  const restored = async (text: string) => (await redactor.restoreArguments({ text }, SEND)).args.text;
  for (const [encoded, value] of [
    ['%5BEMAIL_1%5D', 'ann%40x-corp.com'],
    ['&#91;EMAIL_1&#93;', 'ann@x-corp.com'],
  ]) {
    expect(await restored(`<a href="/?to=${encoded}&b=1">[EMAIL_2]</a> ${encoded}`)).toBe(
      `<a href="/?to=${value}&b=1">bob@y-corp.com</a> ${value}`,
    );
    expect(await restored(`[EMAIL_2] ${encoded} [EMAIL_2]`)).toBe(`bob@y-corp.com ${value} bob@y-corp.com`);
  }
});
