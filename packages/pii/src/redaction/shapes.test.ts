import { describe, expect, test } from 'vitest';
import { CUSTOMER_PATTERN, leaksIn, type Person, personOf } from '../../../../test/fixtures/people.ts';
import { ENCODINGS, TABLES } from '../../../../test/fixtures/shapes.ts';
import { newVault } from '../../../../test/fixtures/vaults.ts';
import { createDetection } from '../detection/detection.ts';
import { createRedactor } from './create-redactor.ts';
import { openRedactor } from './redactor.ts';

const patterns = { customer_id: CUSTOMER_PATTERN };
const newRedactor = () =>
  openRedactor({
    vault: newVault(),
    detection: createDetection({ patterns }),
    policy: { tools: { crm: { '*': 'allow', SSN: 'allow', CREDIT_CARD: 'allow', IBAN: 'allow' } } },
    audit: () => undefined,
    ignored: new Set(),
    clear: new Set(),
  });

test.each(Object.entries(TABLES))('a person in %s is redacted, and restored exactly', async (shape, write) => {
  const person = personOf(shape);
  const { redact, restore } = createRedactor({ patterns });
  const redacted = await redact({ answer: write(person) });
  expect(leaksIn(JSON.stringify({ answer: write(person) }), [person])).not.toEqual([]);
  expect(leaksIn(JSON.stringify(redacted), [person])).toEqual([]);
  // Another spelling is the same value, which is restored in its first spelling.
  if (shape !== 'other spellings') expect(await restore(redacted)).toEqual({ answer: write(person) });
});

test('a time that has the digits of a customer by chance is no leak', () => {
  const now = Date.now();
  const person = { ...personOf('time'), customer: `KND-${String(now).slice(5, 12)}` };
  expect(leaksIn(JSON.stringify({ at: now, seconds: Math.floor(now / 1_000) }), [person])).toEqual([]);
  expect(leaksIn(JSON.stringify({ number: `${String(now).slice(5, 12)} ${now}` }), [person])).toEqual([
    person.customer,
  ]);
});

const TEXTS: Readonly<Record<string, (person: Person) => string>> = {
  'all values': ({ email, phone, card, iban, customer }) =>
    `Write to ${email}, call ${phone}, pay ${card} from ${iban} for ${customer}.`,
  'an address': ({ email }) => `Write to ${email} today.`,
  'a value of a pattern': ({ customer }) => `The order of ${customer} was sent.`,
};

describe.each(Object.entries(TEXTS))('%s', (_what, write) => {
  test.each(Object.entries(ENCODINGS))('in %s: redacted, and restored exactly', async (encoding, encode) => {
    const person = personOf(encoding);
    const answer = { text: encode(write(person)) };
    const redactor = newRedactor();
    const { guestValue, journalValue } = await redactor.redactResult(answer, { server: 'crm' });
    expect(leaksIn(JSON.stringify(answer), [person])).not.toEqual([]);
    expect(leaksIn(JSON.stringify([guestValue, journalValue]), [person])).toEqual([]);
    expect((await redactor.restoreArguments({ guestValue }, { tool: 'crm__set', server: 'crm' })).args).toEqual({
      guestValue: answer,
    });
    expect(leaksIn(JSON.stringify(await redactor.redact(answer)), [person])).toEqual([]);
  });
});
