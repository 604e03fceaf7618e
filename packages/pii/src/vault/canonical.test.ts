import { expect, it } from 'vitest';
import { canonicalOf } from './canonical.ts';

it.each([
  ['EMAIL', ['Ada@Example.COM', 'Ada@example.com'], ['ada@example.com', 'Ada@example.com ', 'Ada@example.co m']],
  [
    'PHONE',
    ['+1 (555) 123-4567', '15551234567', '001 555.123.4567'],
    ['555 123 4567', '+1 555 123 4567 x9', '1555123456'],
  ],
  ['PHONE', ['555-1234 x12', '5551234 ext. 12', '5551234#12'], ['555123412', '5551234 x1']],
  ['SSN', ['536-22-1234', '536 22 1234', '536221234'], ['536-22-1235', 'x536221234']],
  ['CREDIT_CARD', ['4111 1111 1111 1111', '4111-1111-1111-1111'], ['4111 1111 1111 1112']],
  ['IBAN', ['DE89 3704 0044 0532 0130 00', 'de89370400440532013000'], ['DE89 3704 0044 0532 0130 01']],
  ['IP', ['2001:DB8:0:0::1', '2001:db8::1'], ['2001:db8::2', 'fe80::1%eth0']],
  ['IP', ['192.168.1.1'], ['192.168.1.10', '192.168.11']],
  ['MAC', ['00:1A:2B:3C:4D:5E', '00-1a-2b-3c-4d-5e'], ['00:1A:2B:3C:4D:5F']],
  ['NAME', ['Ada Lovelace'], ['ada lovelace', 'Ada  Lovelace', 'Ada Lovelace ']],
  ['constructor', ['a'], ['b']],
])('%s: %j are one value, and different from each of %j', (type, same, different) => {
  const [first = '', ...others] = same.map((text) => canonicalOf(type, text));
  expect(others).toEqual(others.map(() => first));
  expect(different.map((text) => canonicalOf(type, text))).not.toContain(first);
});
