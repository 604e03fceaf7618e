import { describe, expect, it } from 'vitest';
import { newVault } from '../../../../test/fixtures/vaults.ts';
import { createDetection } from '../detection/detection.ts';
import type { AuditRecord } from '../policy/audit.ts';
import { openRedactor } from './redactor.ts';

const PEOPLE = [
  { id: 1, full_name: 'Ann Smith', email: 'ann@x.com', phone: 4_155_550_123, ssn: '536-90-4399' },
  { id: 2, full_name: 'Bob Jones', email: 'bob@y.org', phone: 4_155_550_188, ssn: '536-90-4398' },
];

/** Returns the values of a program with literals, after it received the people as JSON text. */
async function programWith(literals: readonly string[]) {
  const records: AuditRecord[] = [];
  const redactor = openRedactor({
    vault: newVault(),
    detection: createDetection(),
    policy: {},
    audit: (record) => void records.push(record),
    ignored: new Set(),
    clear: new Set(),
  });
  const { guestValue } = await redactor.redactResult(PEOPLE, { server: 'crm' });
  const values = redactor.programValues();
  values.addLiterals(literals);
  const text = await values.reveal(JSON.stringify(guestValue));
  return { values, redactor, records, text, people: JSON.parse(text) };
}

describe('the values of a program', () => {
  it('shows only values that the program has as literals', async () => {
    const { people, records, values } = await programWith(['ann@x.com', '4155550188', 'Smith']);
    expect(people).toEqual([
      { id: 1, full_name: '[NAME_1]', email: 'ann@x.com', phone: '[PHONE_1]', ssn: '[SSN_1]' },
      { id: 2, full_name: '[NAME_2]', email: '[EMAIL_2]', phone: 4_155_550_188, ssn: '[SSN_2]' },
    ]);
    expect(records.map(({ placeholder }) => placeholder)).toEqual(['EMAIL_1', 'PHONE_2']);
    expect(values.hasPlaceholders()).toBe(true);
  });

  it('never shows values of types that the policy protects, and reports such literals without a comparison', async () => {
    const right = await programWith(['536-90-4399']);
    const wrong = await programWith(['536-90-4397']);
    expect(right.people[0].ssn).toBe('[SSN_1]');
    expect((await right.values.unmatched()).map(({ reason }) => reason)).toEqual(['restricted']);
    expect((await wrong.values.unmatched()).map(({ reason }) => reason)).toEqual(['restricted']);
  });

  it('writes placeholders again in texts and values of the program', async () => {
    const { values } = await programWith(['ann@x.com', 'Ann Smith', '4155550123']);
    expect(values.conceal('Ann Smith <ann@x.com>, not joann@x.community')).toBe(
      '[NAME_1] <[EMAIL_1]>, not joann@x.community',
    );
    expect(await values.concealValue({ to: ['ann@x.com'], call: 4_155_550_123, n: 7 })).toEqual({
      to: ['[EMAIL_1]'],
      call: '[PHONE_1]',
      n: 7,
    });
  });

  it.each([
    ['@x.com', 'EMAIL_1'],
    ['Smith', 'NAME_1'],
    ['Jon', 'NAME_2'],
    ['415555', 'PHONE_1'],
  ])('reports the literal %j, which is a part of a value', async (literal, placeholder) => {
    const { values } = await programWith([literal]);
    expect(await values.unmatched()).toEqual([{ literal, placeholder, reason: 'part' }]);
  });

  it('reports no key of the data, no argument of a tool, and no short or unrelated text', async () => {
    const { values } = await programWith(['email', 'Smith', 'nn', 'other', ', ']);
    await values.noteUse({ query: 'Smith' });
    expect(await values.unmatched()).toEqual([]);
  });

  it('invents stand-ins with the shape of the values, and parts that programs may derive', async () => {
    const { values, text } = await programWith([]);
    const [first, second] = JSON.parse(values.standIns()(text));
    expect(first.email).toMatch(/^a[b-z]{2}@x\.com$/);
    expect(first.full_name).toMatch(/^A[b-z]{2} S[b-z]{4}$/);
    expect(String(first.phone)).toMatch(/^[1-9]{6}0123$/);
    expect(typeof first.phone).toBe('number');
    expect(first.ssn).toBe(second.ssn);
    expect(JSON.stringify([first, second])).not.toMatch(/ann@|smith|jones|4155550|53690|536-90/i);
  });

  it('writes the same stand-in for a placeholder in base64, in URLs, and in another case', async () => {
    const { values } = await programWith([]);
    const write = values.standIns();
    const email = write('[EMAIL_1]');
    expect(write('[email_1]')).toBe(email);
    expect(atob(write(btoa('To: [EMAIL_1]')))).toBe(`To: ${email}`);
    expect(decodeURIComponent(write('?to=%5BEMAIL_1%5D'))).toBe(`?to=${email}`);
    expect(write('[~EMAIL_1] [OTHER_1] row[0]')).toBe('[~EMAIL_1] [OTHER_1] row[0]');
  });

  it('counts guessed values of tools, not those that the program received or that no tool returned', async () => {
    const { redactor, values, records } = await programWith([]);
    await redactor.redactResult(
      Array.from({ length: 1_001 }, (_, index) => ({ email: `guess${index}@y.org` })),
      { server: 'hr' },
    );
    const guess = async (from: number, to: number) => {
      const written = Array.from({ length: to - from }, (_, index) => `guess${from + index}@y.org`);
      await values.countGuesses(await redactor.redact(written));
    };
    await values.countGuesses(await redactor.redact(['ann@x.com', 'nobody@y.org', 'text']));
    expect(records).toEqual([]);
    await guess(0, 1_000);
    expect(records).toHaveLength(1_000);
    await expect(guess(1_000, 1_001)).rejects.toMatchObject({ code: 'PII_DENIED' });
    expect(records.at(-1)).toMatchObject({ event: 'denial', derivation: 'match' });
  });

  it('remembers which placeholders came together', async () => {
    const { values } = await programWith([]);
    await values.reveal('{"email":"[EMAIL_9]"}');
    expect(values.cameTogether(['[EMAIL_1]', '[EMAIL_2]', '[NAME_1]'])).toBe(true);
    expect(values.cameTogether(['[EMAIL_1]', '[EMAIL_9]'])).toBe(false);
    expect(values.cameTogether(['[EMAIL_1]', '[EMAIL_7]'])).toBe(false);
    await values.reveal('["[EMAIL_1]","[EMAIL_9]"]');
    expect(values.cameTogether(['[EMAIL_1]', '[EMAIL_9]'])).toBe(true);
    expect(values.cameTogether(['[EMAIL_1]', '[EMAIL_2]'])).toBe(false);
  });
});
