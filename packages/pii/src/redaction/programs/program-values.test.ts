import { describe, expect, it } from 'vitest';
import { newVault } from '../../../../../test/fixtures/vaults.ts';
import { createDetection } from '../../detection/detection.ts';
import type { AuditRecord } from '../../policy/audit.ts';
import { openRedactor } from '../redactor.ts';

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
  values.addLiterals(() => literals);
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
    const barred = await right.values.barredPlaceholders();
    expect(barred.names).toContain('SSN_1');
    expect(await wrong.values.barredPlaceholders()).toEqual(barred);
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

  it('invents stand-ins with the shape of the values, and parts that programs may derive', async () => {
    const { values, text } = await programWith([]);
    const { received } = await values.standIns();
    const [first, second] = JSON.parse(await received(text));
    expect(first.email).toMatch(/^a[b-z]{2}@x\.com$/);
    expect(first.full_name).toMatch(/^A[b-z]{2} S[b-z]{4}$/);
    expect(String(first.phone)).toMatch(/^[1-9]{6}0123$/);
    expect(typeof first.phone).toBe('number');
    expect([first.ssn, second.ssn].join()).toMatch(/^(536-90-\d{4}|53690\d{4}),(?!\1)(536-90-\d{4}|53690\d{4})$/);
    expect(JSON.stringify([first, second])).not.toMatch(/ann@|smith|jones|4155550|4399|4398/i);
  });

  it('writes the same stand-in for a placeholder in encoded texts, and in another case', async () => {
    const { values } = await programWith([]);
    const { sent } = await values.standIns();
    const email = await sent('[EMAIL_1]');
    expect(await sent('[email_1]')).toBe(email);
    expect(atob(await sent(btoa('To: [EMAIL_1]')))).toBe(`To: ${email}`);
    expect(decodeURIComponent(await sent('?to=%5BEMAIL_1%5D'))).toBe(`?to=${email}`);
    expect(await sent('[~EMAIL_1] [OTHER_1] row[0]')).toBe('[EMAIL_1] [OTHER_1] row[0]');
  });

  it('writes values for a check, in the spelling of the server, but no restricted ones', async () => {
    const { values, redactor, text } = await programWith([]);
    const people = [{ email: 'ann@X.com' }, { email: 'ann@X.COM' }];
    await redactor.redactResult(people, { server: 'mail' });
    const check = await values.openCheck('');
    const [first] = JSON.parse((await check?.received(text, 'crm')) ?? '');
    expect(first).toMatchObject({ full_name: 'Ann Smith', email: 'ann@x.com', phone: 4_155_550_123 });
    expect(first.ssn).not.toContain('4399');
    expect(await check?.sent('[EMAIL_1]', 'mail')).toBe('ann@X.com');
    expect(await check?.received('[EMAIL_1] [EMAIL_1]', 'mail')).toBe('ann@X.com ann@X.COM');
  });

  it('checks no program whose values have answered 20 checks with a difference', async () => {
    const { values } = await programWith([]);
    for (let check = 0; check < 20; check++) await (await values.openCheck(`program ${check}`))?.end(true);
    expect(await values.openCheck('program')).toBeUndefined();
  });

  it.each([false, true])('checks a program 800 times, each time with the difference: %s', async (isDifferent) => {
    const { values } = await programWith([]);
    for (let hour = 0; hour < 800; hour++)
      expect(await (await values.openCheck('program'))?.end(isDifferent)).toBe(true);
  });

  it('shows no value after 10,000 literals of a session', async () => {
    const { redactor } = await programWith(Array.from({ length: 2_000 }, (_, index) => `Guess${index}`));
    for (let program = 0; program < 5; program++) {
      const values = redactor.programValues();
      values.addLiterals(() => Array.from({ length: 1_999 }, (_, index) => `Guess${program}.${index}`));
      values.addLiterals(() => ['ann@x.com']);
      expect(await values.reveal('"[EMAIL_1]"')).toBe(program < 4 ? '"ann@x.com"' : '"[EMAIL_1]"');
    }
  });

  it('shows the same values to programs any number of times in a session, and 1,000 values in all', async () => {
    const { redactor } = await programWith([]);
    const people = Array.from({ length: 1_010 }, (_, index) => ({ email: `p${index}@x.com` }));
    await redactor.redactResult(people, { server: 'crm' });
    /** Runs a program with 40 of the values from `first` on. */
    const areShown = async (first: number) => {
      const values = redactor.programValues();
      const emails = people.slice(first, first + 40).map(({ email }) => email);
      values.addLiterals(() => emails);
      const text = await values.reveal(JSON.stringify(emails.map((_, index) => `[EMAIL_${first + index + 3}]`)));
      return emails.map((email, index) => JSON.parse(text)[index] === email);
    };
    for (let hour = 0; hour < 30; hour++) expect(await areShown(0)).not.toContain(false);
    const shown: boolean[] = [];
    for (let first = 0; first < people.length; first += 40) shown.push(...(await areShown(first)));
    expect(shown).toEqual(people.map((_, index) => index < 1_000));
    expect([await areShown(0), await areShown(1_005)]).toEqual([Array(40).fill(true), Array(5).fill(false)]);
  });

  it.each([
    ['e-mail addresses', (index: number) => `guess${index}@x.com`, 'ann@x.com'],
    ['numbers', (index: number) => `41555${String(index).padStart(5, '0')}`, '4155550123'],
    [
      'names',
      (index: number) => `Ann ${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[index % 26]}x${'abcde'[index % 5]} Smit`,
      'Ann Smith',
    ],
  ])('compares no %s if a program has more than 48 of them', async (shape, guess, value) => {
    const few = await programWith([...Array.from({ length: 40 }, (_, index) => guess(index)), value]);
    expect(JSON.stringify(few.people)).toContain(value);
    expect(few.values.refusedLiterals()).toEqual([]);
    const many = await programWith([...Array.from({ length: 60 }, (_, index) => guess(index)), value]);
    expect(JSON.stringify(many.people)).not.toContain(value);
    expect(many.values.refusedLiterals()).toEqual([shape]);
  });

  it('reads texts with millions of letters in one run', async () => {
    const { values } = await programWith([]);
    for (const text of ['x'.repeat(10_000_000), `${'A'.repeat(76)}\n`.repeat(100_000)]) {
      expect(await values.reveal(JSON.stringify(text))).toHaveLength(JSON.stringify(text).length);
    }
  });

  it('counts values that a tool returns because the program wrote them, right or wrong', async () => {
    const { redactor, values } = await programWith([]);
    const echo = async (emails: readonly string[]) => {
      const args = { emails };
      const { guestValue } = await redactor.redactResult(args, { server: 'echo' });
      const text = JSON.stringify(guestValue);
      await values.reveal(text);
      await values.countEchoes(args, text);
    };
    const guesses = Array.from({ length: 1_100 }, (_, index) => `guess${index}@x.com`);
    await echo(guesses.slice(0, 900));
    await expect(echo(guesses.slice(900))).rejects.toMatchObject({ code: 'PII_DENIED' });
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
