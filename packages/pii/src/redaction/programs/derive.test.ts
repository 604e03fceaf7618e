import { expect, it, test } from 'vitest';
import { newVault } from '../../../../../test/fixtures/vaults.ts';
import type { AuditRecord } from '../../policy/audit.ts';
import type { Derivation, PiiPolicy } from '../../policy/policy.ts';
import { maskOf } from '../mask.ts';
import { NO_REDACTION } from '../redactor.ts';
import { derive } from './derive.ts';

const VALUES = [
  ['EMAIL', 'Zoë@Mail.Example.COM'],
  ['EMAIL', 'ada@example.com'],
  ['PHONE', '+49 (0)30 123456'],
  ['PHONE', '(555) 123-4567'],
  ['IBAN', 'de89 3704 0044 0532 0130 00'],
  ['CREDIT_CARD', '4111 1111 1111 4242'],
  ['SSN', '536-22-1234'],
  ['DATE_OF_BIRTH', '12/31/1984'],
  ['NAME', 'Ada Lovelace'],
  ['SECRET', 'sk_live_abcdefgh'],
] as const;

async function filled(policy: PiiPolicy = {}, max?: number) {
  const vault = newVault();
  await vault.allocate(VALUES.map(([type, text]) => ({ type, text })));
  const records: AuditRecord[] = [];
  const audit = (record: AuditRecord) => void records.push(record);
  const options = { vault, policy, audit, ...(max === undefined ? {} : { max }) };
  return { records, deriveAs: (derivation: Derivation, ...names: string[]) => derive(names, derivation, options) };
}

it.each<[Derivation, string[], (string | number | null)[]]>([
  ['domain', ['EMAIL_1', 'EMAIL_2'], ['mail.example.com', 'example.com']],
  ['length', ['EMAIL_2', 'NAME_1'], [15, 12]],
  ['country', ['PHONE_1', 'PHONE_2', 'IBAN_1'], ['DE', null, 'DE']],
  ['last4', ['CREDIT_CARD_1', 'PHONE_2', 'IBAN_1'], ['4242', '4567', '3000']],
  ['year', ['DATE_OF_BIRTH_1'], [1984]],
  [
    'mask',
    ['EMAIL_1', 'SSN_1', 'CREDIT_CARD_1', 'NAME_1'],
    ['Z***@Mail.Example.COM', '********', '********4242', 'A*** L***'],
  ],
])('%s of %j is %j', async (derivation, names, expected) => {
  const { deriveAs, records } = await filled();
  expect(await deriveAs(derivation, ...names)).toEqual(expected);
  expect(records.map(({ event, placeholder }) => [event, placeholder])).toEqual(
    names.map((name) => ['derivation', name]),
  );
});

it.each([
  ['+1 416 555 0123', 'CA'],
  ['001 415 555 2671', 'US'],
  ['+44 1481 960 194', 'GG'],
  ['+7 (701) 123-45-67', 'KZ'],
  ['+1_279_576_1083', 'US'],
  ['+800 1234 5678', null],
  ['(416) 555-0123', null],
])('the country of %s is %j', async (text, country) => {
  const vault = newVault();
  await vault.allocate([{ type: 'PHONE', text }]);
  expect(await derive(['PHONE_1'], 'country', { vault, policy: {}, audit: () => undefined })).toEqual([country]);
});

it.each<[Derivation, string]>([
  ['mask', 'SECRET_1'],
  ['last4', 'SSN_1'],
  ['length', 'CREDIT_CARD_1'],
  ['domain', 'NAME_1'],
])('%s of %s is denied, with all other derivations of the call', async (derivation, name) => {
  const { deriveAs, records } = await filled({ derivations: { '*': ['mask', 'last4', 'length'] } });
  await expect(deriveAs(derivation, name)).rejects.toMatchObject({
    code: 'PII_DENIED',
    message: expect.stringContaining(`${derivation} is denied: the policy does not allow it for`),
  });
  expect(records).toMatchObject([{ event: 'denial', placeholder: name, derivation }]);
});

test('a policy allows more by naming the type', async () => {
  const { deriveAs } = await filled({ derivations: { SSN: ['last4'] } });
  expect(await deriveAs('last4', 'SSN_1')).toEqual(['1234']);
});

test('a session has a limit of derivations, and a call beyond it returns nothing', async () => {
  const { deriveAs } = await filled({}, 3);
  await deriveAs('domain', 'EMAIL_1', 'EMAIL_2');
  await expect(deriveAs('domain', 'EMAIL_1', 'EMAIL_2')).rejects.toMatchObject({
    code: 'PII_DENIED',
    message:
      'domain is denied: this call would be derivation 4 of this session, and the limit is 3. Start a new session.',
  });
});

test('an unknown placeholder has no derivations', async () => {
  const { deriveAs, records } = await filled();
  await expect(deriveAs('domain', 'EMAIL_1', 'EMAIL_9')).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
  expect(records).toMatchObject([{ event: 'denial', placeholder: 'EMAIL_9' }]);
});

it.each([
  ['PHONE', '12345', '********'],
  ['IP', '192.168.1.7', '192.***.***.***'],
  ['IP', '2001:db8::1', '2001:***'],
  ['EMAIL', 'nothing', '***'],
  ['CUSTOM_ID', '𝄞abc', '𝄞***'],
])('the mask of %s %s is %s', (type, text, expected) => expect(maskOf(type, text)).toBe(expected));

it('a value in an unknown form has an empty derivation, not the whole value', async () => {
  const vault = newVault();
  const encoded = Buffer.from('write to ada@example.com').toString('base64');
  const names = await vault.allocate([
    { type: 'EMAIL', text: encoded },
    { type: 'EMAIL', text: 'ada (at) example (dot) com' },
    { type: 'IP', text: encoded },
    { type: 'IP', text: '192%2E0%2E2%2E17' },
    { type: 'IP', text: '192.0.2.17' },
    { type: 'IP', text: '2001:db8::17' },
  ]);
  const options = { vault, policy: {}, audit: () => undefined };
  expect(await derive(names.slice(0, 2), 'domain', options)).toEqual([null, null]);
  const masks = await derive(names, 'mask', options);
  expect(masks).toEqual(['***', '***', '***', '***', '192.***.***.***', '2001:***']);
});

it('sortKey is denied by default, and is the rank among the values of the call', async () => {
  const barred = await filled();
  await expect(barred.deriveAs('sortKey', 'EMAIL_1', 'EMAIL_2')).rejects.toMatchObject({ code: 'PII_DENIED' });
  const { deriveAs } = await filled({ derivations: { EMAIL: ['sortKey'] } });
  expect(await deriveAs('sortKey', 'EMAIL_1', 'EMAIL_2', 'EMAIL_1')).toEqual([2, 1, 2]);
  expect(await deriveAs('sortKey', 'EMAIL_1')).toEqual([1]);
});

it('returns the same properties of values without placeholders', async () => {
  const deriveOff = (derivation: Derivation, ...values: string[]) => NO_REDACTION.derive(values, derivation);
  expect(await deriveOff('domain', 'Zoë@Mail.Example.COM', 'no address')).toEqual(['mail.example.com', null]);
  expect(await deriveOff('country', '+49 (0)30 123456', 'de89 3704 0044 0532 0130 00')).toEqual(['DE', 'DE']);
  expect(await deriveOff('last4', '4111 1111 1111 1111')).toEqual(['1111']);
  expect(await deriveOff('sortKey', 'b', 'a', 'b')).toEqual([2, 1, 2]);
  await expect(NO_REDACTION.derive([{}], 'length')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  await expect(NO_REDACTION.derive(['a'], 'size')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
});
