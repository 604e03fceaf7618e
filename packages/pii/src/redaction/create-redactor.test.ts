import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../policy/audit.ts';
import { memoryStore } from '../vault/memory-store.ts';
import { createRedactor } from './create-redactor.ts';

const KEY = randomBytes(32).toString('base64');

describe('a redactor', () => {
  it('redacts and restores a text', async () => {
    const redactor = createRedactor();
    const redacted = await redactor.redact('Mail ada@example.com');
    expect(redacted).toBe('Mail [EMAIL_1]');
    expect(await redactor.restore(redacted)).toBe('Mail ada@example.com');
  });

  it('redacts and restores a JSON value, with equal placeholders for equal values', async () => {
    const redactor = createRedactor();
    const rows = [
      { phone: 4155550123, note: 'SSN 536-22-1234' },
      { phone: 4155550123, email: 'ada@example.com', total: 3 },
    ];
    const redacted = await redactor.redact(rows);
    expect(redacted).toEqual([
      { phone: '[PHONE_1]', note: 'SSN [SSN_1]' },
      { phone: '[PHONE_1]', email: '[EMAIL_1]', total: 3 },
    ]);
    expect(await redactor.redact(redacted)).toEqual(redacted);
    expect(await redactor.restore(redacted)).toEqual(rows);
  });

  it('redacts and restores streams', async () => {
    const redactor = createRedactor();
    const [redacting, restoring] = [redactor.redactStream(), redactor.restoreStream()];
    let redacted = '';
    for (const piece of ['Mail ada@exa', 'mple.c', 'om now']) redacted += await redacting.push(piece);
    redacted += await redacting.end();
    expect(redacted).toBe('Mail [EMAIL_1] now');
    let restored = '';
    for (const piece of ['Mail [EM', 'AIL_1', '] now']) restored += await restoring.push(piece);
    expect(restored + (await restoring.end())).toBe('Mail ada@example.com now');
  });

  it('ignores types, and adds patterns and detectors', async () => {
    const redactor = createRedactor({
      ignore: ['EMAIL'],
      patterns: { customer_id: 'KND-\\d{4}' },
      detectors: [
        {
          name: 'codenames',
          detect: (text) =>
            [...text.matchAll(/Falcon/g)].map(({ index }) => {
              return { start: index, end: index + 6, type: 'CODENAME', evidence: 'shape' };
            }),
        },
      ],
    });
    expect(await redactor.redact('ada@example.com, KND-1234, Falcon')).toBe(
      'ada@example.com, [CUSTOMER_ID_1], [CODENAME_1]',
    );
  });

  it('follows a policy by reader, and audits', async () => {
    const records: AuditRecord[] = [];
    const redactor = createRedactor({
      policy: { tools: { support: { EMAIL: 'mask' } } },
      audit: (record) => void records.push(record),
    });
    const redacted = await redactor.redact('ada@example.com');
    expect(await redactor.restore(redacted, { reader: 'support' })).toBe('a***@example.com');
    expect(await redactor.restore(redacted)).toBe('ada@example.com');
    const secret = await redactor.redact('SSN 536-22-1234');
    await expect(redactor.restore(secret)).rejects.toMatchObject({ code: 'PII_DENIED' });
    expect(records.map(({ event, tool }) => `${event} ${tool}`)).toEqual([
      'mask support',
      'restore user',
      'denial user',
    ]);
  });

  it('forgets a value, in any spelling', async () => {
    const redactor = createRedactor();
    const redacted = await redactor.redact('Call +1 415 555 2671');
    expect(redacted).toBe('Call [PHONE_1]');
    expect(await redactor.forget('+1 (415) 555-2671')).toBe(1);
    await expect(redactor.restore(redacted)).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
    expect(await redactor.forget('+1 (415) 555-2671')).toBe(0);
  });

  it('has its own values', async () => {
    const redacted = await createRedactor().redact('ada@example.com');
    await expect(createRedactor().restore(redacted)).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
  });

  it('raises CLOSED after it is disposed', async () => {
    const redactor = createRedactor();
    await redactor.redact('ada@example.com');
    await redactor[Symbol.asyncDispose]();
    await expect(redactor.redact('Mail bob@example.com')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(redactor.restore('[EMAIL_1]')).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('a redactor with a store', () => {
  it('continues a session, after a rotation of the key too', async () => {
    const store = memoryStore();
    const first = createRedactor({ store, keys: KEY, user: 'ada' });
    const redacted = await first.redact('Mail ada@example.com');
    expect(redacted).toBe('Mail [EMAIL_1]');
    await first[Symbol.asyncDispose]();
    const newKey = randomBytes(32).toString('hex');
    const { session } = first;
    const second = createRedactor({ store, keys: [newKey, KEY], user: 'ada', session });
    expect(await second.restore(redacted)).toBe('Mail ada@example.com');
    expect(await second.redact('ada@example.com, bob@example.com')).toBe('[EMAIL_1], [EMAIL_2]');
  });

  it('keeps users, sessions and keys apart', async () => {
    const store = memoryStore();
    const redactor = createRedactor({ store, keys: KEY, user: 'ada', session: 's1' });
    const redacted = await redactor.redact('ada@example.com');
    // The store may have lost older values of a named session: its numbers start high.
    expect(redacted).toMatch(/^\[EMAIL_\d{7}\]$/);
    for (const other of [
      { user: 'bob', session: 's1' },
      { user: 'ada', session: 's2' },
    ]) {
      const stranger = createRedactor({ store, keys: KEY, ...other });
      await expect(stranger.restore(redacted)).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
    }
    const locked = createRedactor({ store, keys: randomBytes(32).toString('hex'), user: 'ada', session: 's1' });
    await expect(locked.restore(redacted)).rejects.toMatchObject({ code: 'VAULT_LOCKED' });
  });

  it('forgets values at the end of their lifetime', async () => {
    const redactor = createRedactor({ store: memoryStore(), keys: KEY, lifetime: { maxMs: 1 } });
    const redacted = await redactor.redact('ada@example.com');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(redactor.restore(redacted)).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
  });

  it.each([
    ['a store without keys', { store: memoryStore() }, 'CONFIG_INVALID', 'openssl rand'],
    ['a short key', { store: memoryStore(), keys: 'abc' }, 'CONFIG_INVALID', 'The option "keys"'],
    ['an unknown treatment', { policy: { tools: { '*': { EMAIL: 'hide' as never } } } }, 'CONFIG_INVALID', '"hide"'],
    ['a pattern that is not linear', { patterns: { pair: '(a)\\1' } }, 'PATTERN_INVALID', '"pair"'],
  ])('refuses %s', (_, options, code, message) => {
    expect(() => createRedactor(options)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});
