import { describe, expect, it } from 'vitest';
import { newVault } from '../../../../../test/fixtures/vaults.ts';
import { createDetection } from '../../detection/detection.ts';
import type { AuditRecord } from '../../policy/audit.ts';
import { NO_REDACTION, openRedactor, type RedactorOptions } from '../redactor.ts';

async function sessionOf(options: Partial<RedactorOptions> = {}) {
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
  const people = [
    { email: 'Ann@x.com', ssn: '536-90-4399' },
    { email: 'bob@y.org', ssn: '536-90-4398' },
  ];
  await redactor.redactResult(people, { server: 'crm' });
  return { redactor, records };
}

const BOTH = ['[EMAIL_1]', '[EMAIL_2]'];

describe('pii.match', () => {
  it.each([
    [{ equals: 'Ann@x.com' }, [true, false]],
    [{ equals: 'ann@x.com' }, [false, false]],
    [{ equals: 'ann@x.com', ignoreCase: true }, [true, false]],
    [{ startsWith: 'bob' }, [false, true]],
    [{ endsWith: '@x.com' }, [true, false]],
    [{ includes: '@' }, [true, true]],
    [{ includes: '@', endsWith: '.org' }, [false, true]],
    [{ pattern: '^[a-z]+@[a-z]+\\.org$' }, [false, true]],
    [{ pattern: '^ANN', ignoreCase: true }, [true, false]],
    // A literal that is also a value arrives as its placeholder.
    [{ equals: '[EMAIL_1]' }, [true, false]],
    [{ pattern: '^[EMAIL_2]$' }, [false, true]],
    [{ includes: '[~EMAIL_1]' }, [false, false]],
    [{ includes: '[SSN_1]' }, [false, false]],
  ])('%j is %j', async (condition, expected) => {
    const { redactor } = await sessionOf();
    expect(await redactor.match(BOTH, condition)).toEqual(expected);
  });

  it('reads texts around placeholders, plain texts, numbers and missing values', async () => {
    const { redactor } = await sessionOf();
    const texts = ['To: [EMAIL_1]', 'Ann@x.com', 4711, null, undefined, {}, '[~EMAIL_1]'];
    expect(await redactor.match(texts, { endsWith: '@x.com' })).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(await redactor.match([4711], { startsWith: '47' })).toEqual([true]);
  });

  it('audits each compared value, without the condition', async () => {
    const { redactor, records } = await sessionOf();
    await redactor.match(BOTH, { endsWith: '@x.com' });
    expect(records.map(({ event, placeholder, derivation }) => [event, placeholder, derivation])).toEqual([
      ['derivation', 'EMAIL_1', 'match'],
      ['derivation', 'EMAIL_2', 'match'],
    ]);
    expect(JSON.stringify(records)).not.toContain('x.com');
  });

  it('refuses types that the policy does not allow, unknown placeholders and other conditions', async () => {
    const { redactor, records } = await sessionOf();
    await expect(redactor.match(['[SSN_1]'], { endsWith: '4399' })).rejects.toMatchObject({
      code: 'PII_DENIED',
      message: expect.stringContaining('does not allow it for SSN'),
    });
    expect(records).toMatchObject([{ event: 'denial', placeholder: 'SSN_1', derivation: 'match' }]);
    await expect(redactor.match(['[EMAIL_9]'], { equals: 'a' })).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
    for (const condition of [undefined, {}, { like: 'a' }, { equals: 1 }, { pattern: '(' }, { pattern: '(?=a)' }]) {
      await expect(redactor.match(BOTH, condition)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    }
    const allowed = await sessionOf({ policy: { derivations: { SSN: ['match'] } } });
    expect(await allowed.redactor.match(['[SSN_1]'], { endsWith: '4399' })).toEqual([true]);
  });

  it('compares one value with at most 20 conditions, and the same condition any number of times', async () => {
    const { redactor } = await sessionOf();
    for (let guess = 0; guess < 20; guess++) await redactor.match(['[EMAIL_1]'], { startsWith: `guess ${guess}` });
    await redactor.match(['[EMAIL_1]'], { startsWith: 'guess 0' });
    await expect(redactor.match(['[EMAIL_1]'], { startsWith: 'a' })).rejects.toMatchObject({ code: 'PII_DENIED' });
    expect(await redactor.match(['[EMAIL_2]'], { startsWith: 'b' })).toEqual([true]);
  });

  it('compares plain values without redaction', async () => {
    expect(await NO_REDACTION.match(['ann@x.com', null], { endsWith: '@x.com' })).toEqual([true, false]);
  });
});
