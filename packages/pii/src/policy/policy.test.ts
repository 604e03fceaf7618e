import { describe, expect, it, test } from 'vitest';
import type { Known } from '../vault/records/record.ts';
import { checkPolicy, decide, type PiiPolicy } from './policy.ts';

const known = (type: string, ...sources: string[]) => {
  return { name: `${type}_1`, type, numeric: false, canonical: 'x', spellings: [{ text: 'x', sources }] as const };
};
const treatment = (policy: PiiPolicy, type: string, tool: string, ...sources: string[]) =>
  decide(policy, { ...known(type, ...sources), spellings: [{ text: 'x', sources }] }, tool, tool.split('__')[0] ?? '')
    .treatment;

const tools: PiiPolicy['tools'] = {
  '*': { '*': 'placeholder' },
  'mail__*': { EMAIL: 'allow', '*': 'mask' },
  mail__delete: { '*': 'deny' },
  '*__pay': { CREDIT_CARD: 'allow' },
  'm*l__d*e': { PHONE: 'allow' },
};

it.each([
  ['EMAIL', 'mail__send', 'allow'],
  ['NAME', 'mail__send', 'mask'],
  ['NAME', 'crm__send', 'placeholder'],
  ['EMAIL', 'mail__delete', 'deny'],
  ['SSN', 'mail__send', 'deny'],
  ['SSN', 'crm__send', 'deny'],
  ['CREDIT_CARD', 'shop__pay', 'allow'],
  ['CREDIT_CARD', 'shop__payout', 'deny'],
  ['EMAIL', 'shop__pay', 'placeholder'],
  ['__proto__', 'mail__send', 'mask'],
  ['constructor', 'x', 'placeholder'],
])('%s for %s: %s', (type, tool, expected) => expect(treatment({ tools }, type, tool)).toBe(expected));

test('without rules all types but the restricted ones are allowed', () => {
  const types = ['EMAIL', 'PHONE', 'IBAN', 'CUSTOM', 'SSN', 'CREDIT_CARD', 'SECRET', 'NATIONAL_ID', 'PASSPORT'];
  expect(types.filter((type) => treatment({}, type, 'a__b') === 'allow')).toEqual(['EMAIL', 'PHONE', 'IBAN', 'CUSTOM']);
});

test('a value may be sent only where the rules of all of its sources allow it', () => {
  const flows = { crm: ['mail'], hr: [], open: ['*'] };
  const to = (server: string, ...sources: string[]) => treatment({ flows }, 'EMAIL', `${server}__x`, ...sources);
  expect([to('crm', 'crm'), to('mail', 'crm'), to('chat', 'crm'), to('chat', 'open', 'free'), to('chat')]).toEqual([
    'allow',
    'allow',
    'deny',
    'allow',
    'allow',
  ]);
  expect([to('mail', 'crm', 'hr'), to('hr', 'hr'), to('mail', 'crm', 'free')]).toEqual(['deny', 'allow', 'allow']);
});

test('an unknown treatment or derivation is refused', () => {
  const misspelt = JSON.parse('{"tools":{"*":{"*":"alow"}}}');
  expect(() => checkPolicy(misspelt)).toThrow(
    'pii.policy contains "alow". Use one of: allow, placeholder, mask, deny.',
  );
  expect(() => checkPolicy(JSON.parse('{"derivations":{"EMAIL":["all"]}}'))).toThrow(
    'contains "all". Use one of: domain, last4',
  );
});

describe('a restricted value of a server', () => {
  const secret = { ...known('SECRET', 'shop'), spellings: [{ text: 'x', sources: ['shop'] }] } as Known;

  it('may go back to it without a rule, and to no other', () => {
    expect(decide({}, secret, 'shop__pay', 'shop')).toEqual({ treatment: 'allow', reason: 'shop returned the value' });
    expect(decide({}, secret, 'mail__send', 'mail').treatment).toBe('deny');
    expect(decide({}, { ...secret, spellings: [{ text: 'x', sources: [] }] }, 'shop__pay', 'shop').treatment).toBe(
      'deny',
    );
  });

  it('follows a rule that names its type', () => {
    expect(decide({ tools: { 'shop__*': { SECRET: 'deny' } } }, secret, 'shop__pay', 'shop').treatment).toBe('deny');
    expect(decide({ tools: { '*': { '*': 'deny' } } }, secret, 'shop__pay', 'shop').treatment).toBe('deny');
    expect(decide({ tools: { '*': { '*': 'mask' } } }, secret, 'shop__pay', 'shop').treatment).toBe('allow');
  });
});
