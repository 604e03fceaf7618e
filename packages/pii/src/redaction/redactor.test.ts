import { describe, expect, it } from 'vitest';
import { newVault } from '../../../../test/fixtures/vaults.ts';
import type { Store } from '../../../storage/src/store.ts';
import { createDetection } from '../detection/detection.ts';
import type { AuditRecord } from '../policy/audit.ts';
import { newKeyring } from '../vault/keys/master-key.ts';
import { memoryStore } from '../vault/memory-store.ts';
import { openVault } from '../vault/vault.ts';
import { NO_REDACTION, openRedactor, type RedactorOptions } from './redactor.ts';

function redactorOf(options: Partial<RedactorOptions> = {}) {
  const records: AuditRecord[] = [];
  const redactor = openRedactor({
    vault: newVault(),
    detection: createDetection({ patterns: { customer_id: '\\bKND-\\d{7}\\b', place: 'BOX [^;]+' } }),
    policy: {},
    audit: (record) => void records.push(record),
    ignored: new Set(),
    clear: new Set(),
    ...options,
  });
  return { redactor, records };
}

const CRM = { server: 'crm' };
const SEND = { tool: 'mail__send', server: 'mail' };
const PERSON = { id: 7, name: 'Ada Lovelace', email: 'ada@example.com', note: 'KND-1234567, not [EMAIL_1]' };

describe('a redactor of a session', () => {
  it('returns placeholders to programs and values to tools', async () => {
    const { redactor, records } = redactorOf();
    const { guestValue, journalValue: kept } = await redactor.redactResult(PERSON, CRM);
    expect(guestValue).toEqual({
      id: 7,
      name: '[NAME_1]',
      email: '[EMAIL_1]',
      note: '[CUSTOMER_ID_1], not [~EMAIL_1]',
    });
    expect(kept).toBe(guestValue);
    expect((await redactor.restoreArguments(guestValue as typeof PERSON, SEND)).args).toEqual(PERSON);
    expect(records.map(({ event, placeholder, tool }) => `${event} ${placeholder} ${tool}`).sort()).toEqual([
      'restore CUSTOMER_ID_1 mail__send',
      'restore EMAIL_1 mail__send',
      'restore NAME_1 mail__send',
    ]);
  });

  it('keeps redacted keys distinct, and restores them', async () => {
    const { redactor } = redactorOf();
    const votes = { 'ada@example.com': 1, 'ada@EXAMPLE.com': 2, total: 3, '[EMAIL_9]': 4, __proto__x: 5 };
    const { guestValue } = await redactor.redactResult(votes, CRM);
    expect(guestValue).toEqual({ '[EMAIL_1]': 1, '[EMAIL_1] (2)': 2, total: 3, '[~EMAIL_9]': 4, __proto__x: 5 });
    const { args: restored } = await redactor.restoreArguments({ '[EMAIL_1]': 1, '[~EMAIL_9]': 4 }, SEND);
    expect(Object.keys(restored).map((key) => key.toLowerCase())).toEqual(['ada@example.com', '[email_9]']);
  });

  it('finds values of all types in keys, and known values', async () => {
    const { redactor } = redactorOf();
    await redactor.redactResult({ name: 'Ada Lovelace', phone: '4155550123' }, CRM);
    const rows = {
      '+420 601 234 567': 1,
      '536-22-1234': 2,
      'KND-1234567': 3,
      GB33BUKB20201555555555: 4,
      'Ada Lovelace': 5,
      phones: { '612 34 567': 6 },
      line2: 7,
      '2024-01-15': 8,
    };
    const { guestValue } = await redactor.redactResult({ rows: [rows, rows], total: 4155550123, small: 41 }, CRM);
    const expectedRow = {
      '[PHONE_2]': 1,
      '[SSN_1]': 2,
      '[CUSTOMER_ID_1]': 3,
      '[IBAN_1]': 4,
      '[NAME_1]': 5,
      phones: { '[PHONE_3]': 6 },
      line2: 7,
      '2024-01-15': 8,
    };
    expect(guestValue).toEqual({ rows: [expectedRow, expectedRow], total: '[PHONE_4]', small: 41 });
    const text = JSON.stringify({ rows }, null, 1);
    expect((await redactor.redactResult({ text }, CRM)).guestValue).toEqual({
      text: JSON.stringify({ rows: expectedRow }, null, 1),
    });
    const args = { total: '[PHONE_4]' };
    expect((await redactor.restoreArguments(args, SEND)).args).toEqual({ total: 4155550123 });
  });

  it('applies flow rules to a value that a tool returns longer, in another case or encoded', async () => {
    const { redactor } = redactorOf({ policy: { flows: { crm: ['mail'] } } });
    await redactor.redactResult({ name: 'Ada Lovelace', email: 'ada@example.com' }, CRM);
    const echoed = {
      a: 'xada@example.com',
      b: 'ada@example.commune',
      c: 'ADA LOVELACE',
      d: Buffer.from('ada@example.com').toString('base64'),
    };
    const { guestValue } = await redactor.redactResult(echoed, { server: 'mail' });
    for (const text of Object.values(guestValue as typeof echoed)) {
      expect(text.startsWith('[') ? text : atob(text)).toMatch(/^\[[A-Z]+_\d+\]$/);
      const post = redactor.restoreArguments({ text }, { tool: 'web__post', server: 'web' });
      await expect(post).rejects.toMatchObject({ code: 'PII_DENIED' });
    }
    expect((await redactor.restoreArguments(guestValue as typeof echoed, SEND)).args).toEqual(echoed);
    const { guestValue: own } = await redactor.redactResult({ email: 'bob@example.com' }, { server: 'mail' });
    const { args } = await redactor.restoreArguments(own as { email: string }, { tool: 'web__post', server: 'web' });
    expect(args).toEqual({ email: 'bob@example.com' });
  });

  it('keeps placeholders in values for a model, and redacts the text next to them', async () => {
    const { redactor } = redactorOf();
    await redactor.redactResult(PERSON, CRM);
    expect(
      await redactor.redact({
        name: '[NAME_1]',
        place: 'at BOX [NAME_1], 12 north; [EMAIL_1]; thanks',
        text: '[EMAIL_1] wrote to bob@example.com',
        again: 'ADA%20LOVELACE',
      }),
    ).toEqual({
      name: '[NAME_1]',
      place: 'at [PLACE_1] [NAME_1], [PLACE_2]; [EMAIL_1]; thanks',
      text: '[EMAIL_1] wrote to [EMAIL_2]',
      again: '[NAME_1]',
    });
  });

  it('recognises a value in another spelling, and restores that spelling', async () => {
    const { redactor } = redactorOf();
    await redactor.redactResult(PERSON, CRM);
    const echoed = { text: 'Hello Ada Lovelace, or ADA LOVELACE!', hex: Buffer.from('Ada Lovelace').toString('hex') };
    const { guestValue } = await redactor.redactResult(echoed, { server: 'mail' });
    expect(guestValue).toEqual({ text: 'Hello [NAME_1], or [NAME_2]!', hex: Buffer.from('[NAME_1]').toString('hex') });
    expect((await redactor.restoreArguments(guestValue as typeof echoed, SEND)).args).toEqual(echoed);
  });

  it('rejects a placeholder that is forged, of another session, or denied', async () => {
    const { redactor, records } = redactorOf();
    await redactor.redactResult({ ssn: '536-22-1234' }, CRM);
    await expect(redactor.restoreArguments({ to: '[EMAIL_1]' }, SEND)).rejects.toMatchObject({
      code: 'UNKNOWN_PLACEHOLDER',
    });
    await expect(redactor.restoreArguments({ to: ['x', { y: '[SSN_1]' }] }, SEND)).rejects.toMatchObject({
      code: 'PII_DENIED',
    });
    expect(records.map(({ event }) => event)).toEqual(['denial', 'denial']);
  });

  it('shows the values of clear servers to programs only', async () => {
    const { redactor } = redactorOf({ clear: new Set(['crm']) });
    const { guestValue, journalValue: kept } = await redactor.redactResult(PERSON, CRM);
    expect(guestValue).toEqual(PERSON);
    expect(JSON.stringify(kept)).not.toContain('ada');
    expect(await redactor.redactForJournal({ to: 'Ada Lovelace' })).toEqual({ to: '[NAME_1]' });
    expect(await redactor.redact('Dear ada lovelace')).toBe('Dear [NAME_1]');
    expect((await redactor.redactResult(PERSON, { server: 'mail' })).guestValue).not.toEqual(PERSON);
  });

  it('does not redact ignored types', async () => {
    const { redactor } = redactorOf({ ignored: new Set(['NAME', 'CUSTOMER_ID']) });
    const { guestValue } = await redactor.redactResult(PERSON, CRM);
    expect(guestValue).toMatchObject({ name: 'Ada Lovelace', email: '[EMAIL_1]' });
  });

  it('derives from placeholders only', async () => {
    const { redactor, records } = redactorOf();
    await redactor.redactResult(PERSON, CRM);
    expect(await redactor.derive(['[EMAIL_1]', ' `[email_1]` '.replaceAll('`', '')], 'domain')).toEqual([
      'example.com',
      'example.com',
    ]);
    expect(records.map(({ event, derivation }) => [event, derivation])).toEqual([
      ['derivation', 'domain'],
      ['derivation', 'domain'],
    ]);
    for (const [what, derivation] of [
      ['ada@example.com', 'domain'],
      ['[EMAIL_1] and more', 'domain'],
      ['[~EMAIL_1]', 'domain'],
      [7, 'domain'],
      ['[EMAIL_1]', 'value'],
      ['[EMAIL_1]', '__proto__'],
    ]) {
      await expect(redactor.derive([what], derivation)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    }
    await expect(redactor.derive(['[EMAIL_9]'], 'domain')).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
  });

  it('rejects while the store or a detector fails, and works again afterwards', async () => {
    let isDown = false;
    const memory = memoryStore();
    const store = new Proxy(memory, {
      get: (target, name) =>
        name === 'name' || !isDown
          ? Reflect.get(target, name)
          : () => Promise.reject(Object.assign(new Error('down'), { code: 'STORE_UNAVAILABLE' })),
    }) as Store;
    const vault = openVault({ store, keys: newKeyring(), user: 'ada', session: 's1' });
    const detection = createDetection();
    const { redactor } = redactorOf({ vault, detection });
    await redactor.redactResult(PERSON, CRM);
    isDown = true;
    for (const attempt of [
      () => redactor.redactResult({ email: 'new@example.com' }, CRM),
      () => redactor.redact('new@example.com'),
      () => redactor.redactKnown('Ada Lovelace'),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    }
    isDown = false;
    expect(await redactor.redact('ada@example.com')).toBe('[EMAIL_1]');
    detection.addDetector({ name: 'broken', detect: () => Promise.reject(new Error('no model')) });
    await expect(redactor.redact('anything')).rejects.toThrow('no model');
  });

  it('redacts a stream with the same output for all cuts', async () => {
    const filler = 'All of this is plain prose without anything in it, again and again. ';
    const text = [
      filler.repeat(190),
      'Ada Lovelace\n',
      filler.repeat(20).replaceAll(' ', ''),
      'x'.repeat(17_000),
      ' bob@example.com ',
      filler.repeat(300),
      '𝄞'.repeat(9_000),
      ' Ada Lovelace, ada@example.com',
    ].join('');
    const outcomes = new Set<string>();
    for (const size of [text.length, 16_384, 5_000, 997]) {
      const { redactor } = redactorOf();
      await redactor.redactResult(PERSON, CRM);
      const stream = redactor.redactStream();
      let out = '';
      for (let at = 0; at < text.length; at += size) out += await stream.push(text.slice(at, at + size));
      outcomes.add(out + (await stream.end()));
    }
    expect(outcomes.size).toBe(1);
    const [out = ''] = outcomes;
    expect(out).toBe(
      text
        .replaceAll('Ada Lovelace', '[NAME_1]')
        .replace('ada@example.com', '[EMAIL_1]')
        .replace('bob@example.com', '[EMAIL_2]'),
    );
  });
});

it('NO_REDACTION returns everything unchanged', async () => {
  expect(await NO_REDACTION.redactResult(PERSON, CRM)).toEqual({ guestValue: PERSON, journalValue: PERSON });
  expect((await NO_REDACTION.restoreArguments(PERSON, SEND)).args).toBe(PERSON);
  expect(await NO_REDACTION.redact('ada@example.com')).toBe('ada@example.com');
});
