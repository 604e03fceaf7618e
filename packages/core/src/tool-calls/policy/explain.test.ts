import { describe, expect, it } from 'vitest';
import { policyOf, toolOf } from '../../../../../test/fixtures/policies.ts';

describe('explain', () => {
  const policy = policyOf({
    preset: 'read-only',
    rules: [
      { tools: 'pay__*', action: 'deny' },
      { users: 'bea', action: 'deny' },
      {
        argumentGlobs: { to: '*@example.com' },
        arguments: { properties: { n: { maximum: 5 } } },
        action: 'allow',
        limit: '3 per hour',
      },
      { name: 'mail', tools: 'mail__*', action: 'ask' },
    ],
  });
  const explain = (args?: Record<string, unknown>) =>
    policy.explain({ tool: toolOf('mail__send'), userId: 'ada', ...(args ? { arguments: args } : {}) });

  it('names the rule that decides, and the key of each earlier rule that does not match', () => {
    expect(explain({ to: 'a@example.com', n: 9 })).toMatchObject({
      action: 'ask',
      rule: 'the rule "mail"',
      earlier: [
        { rule: 'policy.rules[0]', key: 'tools', depends: false },
        { rule: 'policy.rules[1]', key: 'users', depends: false },
        { rule: 'policy.rules[2]', key: 'arguments', depends: false, condition: 'properties.n.maximum' },
      ],
    });
    expect(explain({ to: 'a@example.com', n: 1 })).toMatchObject({ action: 'allow', limit: '3 per hour' });
  });

  it('depends on arguments that are not given, unless all of them lead to the same action', () => {
    expect(explain()).toMatchObject({ action: 'depends', rule: 'the rule "mail"' });
    const open = policyOf({ rules: [{ argumentGlobs: { to: 'x' }, action: 'allow' }] });
    expect(open.explain({ tool: toolOf('mail__send'), userId: 'ada' })).toMatchObject({ action: 'allow' });
  });
});
