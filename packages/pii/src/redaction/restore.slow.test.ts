import { describe, expect, it, test } from 'vitest';
import { randomValues } from '../../../../test/fixtures/random-values.ts';
import { IS_SHORT } from '../../../../test/fixtures/short-form.ts';
import { newVault } from '../../../../test/fixtures/vaults.ts';
import { visitSteps } from '../json-walk.ts';
import type { AuditRecord } from '../policy/audit.ts';
import type { PiiPolicy } from '../policy/policy.ts';
import { atOnce } from '../slices.ts';
import type { Vault } from '../vault/vault.ts';
import { type Found, type FoundAt, redactFindings } from './redact.ts';
import { restore } from './restore.ts';

const types = new Set(['EMAIL', 'PHONE', 'NAME', 'SSN']);

/** Returns a vault with some values, and the options of a tool call with it. */
async function filled(policy: PiiPolicy = {}) {
  const vault = newVault();
  await vault.allocate(
    [
      { type: 'EMAIL', text: 'ada@example.com' },
      { type: 'EMAIL', text: 'bob@example.com' },
    ],
    'crm',
  );
  await vault.allocate([{ type: 'EMAIL', text: 'ada@EXAMPLE.com' }], 'mail');
  await vault.allocate(
    [
      { type: 'PHONE', text: '5551234567', numeric: true },
      { type: 'SSN', text: '536-22-1234' },
    ],
    'hr',
  );
  await vault.allocate([{ type: 'NAME', text: '[EMAIL_2] $& [~EMAIL_2]' }]);
  const records: AuditRecord[] = [];
  const audit = (record: AuditRecord) => void records.push(record);
  const call = (value: unknown, tool = 'crm__add') =>
    restore(value, { vault, types, policy, audit, tool, server: tool.split('__')[0] ?? '' });
  return { vault, call, records };
}

describe('restoring', () => {
  it('restores inside texts and keys at any depth: in code, SQL, URLs, and in variants that models write', async () => {
    const { call } = await filled();
    expect(
      await call({
        to: '[EMAIL_1]',
        list: ['x [email_1], [EMAIL_2]!', { deep: [["SELECT * FROM t WHERE mail = '[EMAIL_1]'"]] }],
        url: 'https://x.example/?to=[EMAIL_1]&n=[PHONE_1]',
        code: 'send(\\[EMAIL\\_2\\])',
        numbers: [1, true, null],
        '[EMAIL_1]': 'key',
      }),
    ).toEqual({
      to: 'ada@example.com',
      list: ['x ada@example.com, bob@example.com!', { deep: [["SELECT * FROM t WHERE mail = 'ada@example.com'"]] }],
      url: 'https://x.example/?to=ada@example.com&n=5551234567',
      code: 'send(bob@example.com)',
      numbers: [1, true, null],
      'ada@example.com': 'key',
    });
  });

  it('restores numbers as numbers, and does not read restored values again', async () => {
    const { call } = await filled();
    expect(await call({ a: '[PHONE_1]', b: ' [PHONE_1]', c: '[~PHONE_1]', d: '[NAME_1]' })).toEqual({
      a: 5551234567,
      b: ' 5551234567',
      c: '[PHONE_1]',
      d: '[EMAIL_2] $& [~EMAIL_2]',
    });
    expect(await call({ '[EMAIL_1]': { '[EMAIL_2]': 1 } })).toEqual({
      'ada@example.com': { 'bob@example.com': 1 },
    });
  });

  it('uses the spelling of the receiving server', async () => {
    const { call } = await filled();
    const texts = await Promise.all(['crm__add', 'mail__send', 'other__x'].map((tool) => call('[EMAIL_1]', tool)));
    expect(texts).toEqual(['ada@example.com', 'ada@EXAMPLE.com', 'ada@example.com']);
  });

  it('rejects as a whole for a placeholder of no or another session, with the fix', async () => {
    const { vault, call, records } = await filled();
    await vault.forget('bob@example.com');
    await expect(call({ a: '[EMAIL_1]', b: 'x [EMAIL_9] [FOO_1] [email_2]' })).rejects.toMatchObject({
      code: 'UNKNOWN_PLACEHOLDER',
      message:
        'This session has no values for [EMAIL_9], [FOO_1], [EMAIL_2], so nothing was restored or sent. Use placeholders ' +
        'exactly as a tool of this session returned them, or get the data again. For the literal text, write [~EMAIL_9].',
    });
    expect(records.map(({ event, placeholder }) => `${event} ${placeholder}`)).toEqual([
      'denial EMAIL_9',
      'denial FOO_1',
      'denial EMAIL_2',
    ]);
    const other = newVault({ session: 's2' });
    const options = { vault: other, types, policy: {}, audit: () => undefined, tool: 'a__b', server: 'a' };
    await expect(restore('[EMAIL_1]', options)).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
  });

  it('follows the policy, and audits without values', async () => {
    const policy: PiiPolicy = {
      tools: { '*': { '*': 'allow' }, 'crm__*': { SSN: 'allow' }, log__write: { '*': 'placeholder', EMAIL: 'mask' } },
      flows: { mail: ['crm'] },
    };
    const { call, records } = await filled(policy);
    expect(await call('[SSN_1] [EMAIL_1]')).toBe('536-22-1234 ada@example.com');
    expect(await call('[SSN_1] [email_1] [PHONE_1]', 'log__write').catch(String)).toContain(
      'does not allow values from mail to be sent to log',
    );
    expect(await call('[EMAIL_2] [phone_1]', 'log__write')).toBe('b***@example.com [PHONE_1]');
    await expect(call('[SSN_1] [EMAIL_2]', 'mail__send')).rejects.toMatchObject({
      code: 'PII_DENIED',
      message:
        '[SSN_1] cannot be restored for mail__send: the policy denies SSN to mail__send. Remove the placeholder, use another ' +
        'tool, or ask the operator to allow it in pii.policy.',
    });
    expect(
      records.map(({ event, placeholder, tool, reason = '' }) => `${event} ${placeholder} ${tool} ${reason}`),
    ).toEqual([
      'restore SSN_1 crm__add ',
      'restore EMAIL_1 crm__add ',
      'denial SSN_1 log__write the policy denies SSN to log__write',
      'denial EMAIL_1 log__write the policy does not allow values from mail to be sent to log',
      'mask EMAIL_2 log__write ',
      'denial SSN_1 mail__send the policy denies SSN to mail__send',
    ]);
    expect(JSON.stringify(records)).not.toMatch(/@|536/);
  });

  it('restores nothing if the audit fails', async () => {
    const { vault } = await filled();
    const audit = () => {
      throw new Error('disk full');
    };
    const options = { vault, types, policy: {}, audit, tool: 'a__b', server: 'a' };
    await expect(restore('[EMAIL_1]', options)).rejects.toThrow('disk full');
  });
});

const ROUND_TRIPS = IS_SHORT ? 20_000 : 100_000;
const BATCH = 500;

test(`redacting and restoring ${ROUND_TRIPS} random values returns the same values`, {
  timeout: 600_000,
}, async () => {
  const vault: Vault = newVault();
  const { value, spans } = randomValues(20_261_122);
  const options = { vault, types, policy: {}, audit: () => undefined, tool: 'a__b', server: 'a' };
  let placeholders = 0;
  for (let done = 0; done < ROUND_TRIPS; done += BATCH) {
    const values = Array.from({ length: BATCH }, value);
    const redacted = await redactFindings(values, findingsIn(values, spans), options);
    const text = JSON.stringify(redacted);
    placeholders += text.match(/\[(EMAIL|PHONE|NAME)_\d+\]/g)?.length ?? 0;
    expect(text).not.toMatch(/user\d+@(example|mail)/);
    // As text, which distinguishes lone surrogates, the order of keys, and keys such as `__proto__`.
    expect(JSON.stringify(await restore(JSON.parse(text), options)) === JSON.stringify(values)).toBe(true);
  }
  expect(placeholders).toBeGreaterThan(ROUND_TRIPS / 2);
});

test('1,000 placeholders in 120 kB are restored at once', async () => {
  const vault = newVault();
  const found = Array.from({ length: 1_000 }, (_, index) => ({ type: 'EMAIL', text: `user${index}@example.com` }));
  const names = await vault.allocate(found);
  const text = names.map((name) => `${'x'.repeat(108)} [${name}]`).join('\n');
  const options = { vault, types, policy: {}, audit: () => undefined, tool: 'a__b', server: 'a' };
  expect(await restore(text, options)).toBe(found.map((item) => `${'x'.repeat(108)} ${item.text}`).join('\n'));
});

/** Returns the findings of a detector, by a rule for single texts. */
function findingsIn(value: unknown, spansOf: (text: string, numeric: boolean) => Found[]): FoundAt[] {
  const findings: FoundAt[] = [];
  let number = 0;
  const leaf = (text: string | number | bigint) => {
    const spans = spansOf(String(text), typeof text === 'number');
    if (spans.length > 0) findings.push({ leaf: number, value: text, spans });
    number++;
  };
  atOnce(visitSteps(value, { leaf }));
  return findings;
}
