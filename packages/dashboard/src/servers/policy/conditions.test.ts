import { expect, test } from 'vitest';
import { conditionsOf, declarationText, presetText } from './conditions.ts';

test('lists the conditions of a rule, which all must hold', () => {
  const rule = {
    tools: ['crm__delete_*', 'crm__drop'],
    servers: ['crm'],
    users: ['ann'],
    annotations: { readOnlyHint: false },
    argumentGlobs: { to: ['*@example.com'] },
  };
  expect(conditionsOf(rule)).toEqual([
    ['servers', 'crm'],
    ['tools', 'crm__delete_* or crm__drop'],
    ['users', 'ann'],
    ['readOnlyHint', 'false'],
    ['argument to', '*@example.com'],
  ]);
  expect(conditionsOf({})).toEqual([]);
});

test('describes presets and declared tools', () => {
  expect(presetText('careful')).toBe(
    'The preset "careful" allows other calls of read-only tools, and asks about the rest.',
  );
  expect(declarationText({ tools: ['crm__get_*'], readOnly: true })).toBe('crm__get_*: read-only');
  expect(declarationText({ servers: ['web'], readOnly: false, idempotent: false })).toBe(
    'server web: not read-only, not idempotent',
  );
  expect(declarationText({ idempotent: true })).toBe('all tools: idempotent');
});
