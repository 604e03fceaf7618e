import type { Tool, ToolAnnotations } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { policyOf, toolOf } from '../../../../../test/fixtures/policies.ts';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import type { PolicySettings } from '../../config/policy/schema.ts';

interface Call {
  readonly tool?: Tool;
  readonly args?: Record<string, unknown>;
  readonly user?: string;
  readonly session?: string;
}

function decide(settings: PolicySettings, { tool = toolOf('crm__find'), args = {}, user = 'ada', session }: Call = {}) {
  const { action, rule } = policyOf(settings).decide({ tool, arguments: args, userId: user, sessionId: session });
  return `${action}: ${rule}`;
}

const READ_ONLY = toolOf('crm__find', { readOnlyHint: true });
const LYING = toolOf('crm__find', { readOnlyHint: 'true' } as never);

describe('a preset decides when no rule matches', () => {
  it.each([
    [undefined, toolOf('crm__find'), 'allow: the preset "open"'],
    ['open', toolOf('crm__find'), 'allow: the preset "open"'],
    ['careful', toolOf('crm__find'), 'ask: the preset "careful"'],
    ['careful', READ_ONLY, 'allow: the preset "careful"'],
    ['careful', LYING, 'ask: the preset "careful"'],
    ['read-only', toolOf('crm__find'), 'deny: the preset "read-only"'],
    ['read-only', READ_ONLY, 'allow: the preset "read-only"'],
    ['read-only', toolOf('crm__find', { idempotentHint: true }), 'deny: the preset "read-only"'],
  ] as const)('%s', (preset, tool, expected) => {
    expect(decide(preset === undefined ? {} : { preset }, { tool })).toBe(expected);
  });
});

describe('a tool in quarantine counts as one that writes', () => {
  const quarantined = { ...toolOf('crm__find', { readOnlyHint: true, destructiveHint: false }), isQuarantined: true };
  it.each<[string, PolicySettings, string]>([
    ['for presets', { preset: 'careful' }, 'ask: the preset "careful"'],
    [
      'whatever the policy declares',
      { preset: 'read-only', tools: [{ readOnly: true }] },
      'deny: the preset "read-only"',
    ],
    [
      'for rules about reading',
      { preset: 'read-only', rules: [{ annotations: { readOnlyHint: true }, action: 'allow' }] },
      'deny: the preset "read-only"',
    ],
    [
      'for rules about destroying',
      { rules: [{ annotations: { destructiveHint: true }, action: 'deny' }] },
      'deny: policy.rules[0]',
    ],
  ])('%s', (_name, settings, expected) => {
    expect(decide(settings, { tool: quarantined })).toBe(expected);
  });

  it('for dry runs, and for calls that a crash interrupted', () => {
    const policy = policyOf({ tools: [{ idempotent: true }] });
    const idempotent = { ...toolOf('crm__find', { idempotentHint: true }), isQuarantined: true };
    expect([policy.isReadOnly(quarantined), policy.isSafeToResend(quarantined)]).toEqual([false, false]);
    expect(policy.isSafeToResend(idempotent)).toBe(false);
    expect(policy.isReadOnly(READ_ONLY)).toBe(true);
  });
});

describe('the first rule that matches decides', () => {
  const deny = (rule: object): PolicySettings => ({ rules: [{ action: 'deny', ...rule }] });
  const denied = 'deny: policy.rules[0]';
  const open = 'allow: the preset "open"';
  const pay = (annotations?: ToolAnnotations) => ({ tool: toolOf('pay__refund', annotations) });
  it.each<[string, PolicySettings, Call, string]>([
    ['a rule without conditions', deny({}), {}, denied],
    ['its name', deny({ name: 'no tools' }), {}, 'deny: the rule "no tools"'],
    ['a tool', deny({ tools: 'crm__*' }), {}, denied],
    ['another tool', deny({ tools: 'pay__*' }), {}, open],
    ['a list of tools', deny({ tools: ['pay__*', '*__find'] }), {}, denied],
    ['a server', deny({ servers: 'cr?' }), {}, denied],
    ['another server', deny({ servers: ['pay', 'crm__find'] }), {}, open],
    ['a user', deny({ users: 'a*' }), {}, denied],
    ['another user', deny({ users: 'a*' }), { user: 'bea' }, open],
    ['a session', deny({ sessions: 's-*' }), { session: 's-1' }, denied],
    ['no session', deny({ sessions: '*' }), {}, open],
    ['destructive by default', deny({ annotations: { destructiveHint: true } }), pay(), denied],
    [
      'declared not destructive',
      deny({ annotations: { destructiveHint: true } }),
      pay({ destructiveHint: false }),
      open,
    ],
    [
      'read-only is not destructive',
      deny({ annotations: { destructiveHint: true } }),
      pay({ readOnlyHint: true }),
      open,
    ],
    ['open world by default', deny({ annotations: { openWorldHint: true } }), pay(), denied],
    ['not idempotent by default', deny({ annotations: { idempotentHint: false } }), pay(), denied],
    [
      'two annotations',
      deny({ annotations: { readOnlyHint: false, idempotentHint: true } }),
      pay({ idempotentHint: true }),
      denied,
    ],
    ['all conditions', deny({ tools: 'crm__*', users: 'bea' }), {}, open],
    ['a missing argument, when denying', deny({ arguments: { properties: { to: { pattern: 'x' } } } }), {}, denied],
    ['an argument glob', deny({ argumentGlobs: { to: '*@evil.com' } }), { args: { to: 'a@evil.com' } }, denied],
    ['another argument', deny({ argumentGlobs: { to: '*@evil.com' } }), { args: { to: 'a@b.com' } }, open],
    [
      'one of a list of arguments',
      deny({ argumentGlobs: { to: '*@evil.com' } }),
      { args: { to: ['a@b.com', 'a@evil.com'] } },
      denied,
    ],
    ['none of a list of arguments', deny({ argumentGlobs: { to: '*@evil.com' } }), { args: { to: ['a@b.com'] } }, open],
  ])('%s', (_title, settings, call, expected) => {
    expect(decide(settings, call)).toBe(expected);
  });

  const MAIL: PolicySettings = {
    preset: 'careful',
    rules: [
      { tools: 'crm__delete_*', action: 'deny' },
      { tools: ['mail__send'], arguments: { properties: { to: { pattern: '@example\\.com$' } } }, action: 'allow' },
      { tools: 'mail__*', action: 'ask' },
    ],
  };
  it.each([
    ['crm__delete_all', {}, 'deny: policy.rules[0]'],
    ['mail__send', { to: 'ada@example.com' }, 'allow: policy.rules[1]'],
    ['mail__send', { to: 'eve@evil.com' }, 'ask: policy.rules[2]'],
    ['mail__send', {}, 'ask: policy.rules[2]'],
    ['mail__send', { to: ['eve@evil.com'] }, 'ask: policy.rules[2]'],
    ['mail__draft', {}, 'ask: policy.rules[2]'],
    ['crm__update', {}, 'ask: the preset "careful"'],
  ])('%s with %j: %s', (id, args, expected) => {
    expect(decide(MAIL, { tool: toolOf(id), args })).toBe(expected);
  });
});

it('takes a bounded time for the largest arguments, with any rules', () => {
  const rules = Array.from({ length: 100 }, (_, index) => [
    { argumentGlobs: { list: `*x${index}`, text: '*a*a*a*b' }, action: 'allow' as const },
    { arguments: { additionalProperties: false }, action: 'allow' as const },
    { arguments: { properties: { list: { items: { const: index } } } }, action: 'allow' as const },
    { arguments: { properties: { text: { pattern: '(a|aa)+$', maxLength: 9 } } }, action: 'allow' as const },
  ]).flat();
  const policy = policyOf({ preset: 'read-only', rules });
  const list = Array.from({ length: 250_000 }, () => 'x');
  const keys = Object.fromEntries(list.map((text, index) => [`${text}${index}`, index]));
  const used = processorTime();
  for (const args of [{ list }, { list: list.map(() => 1) }, { text: 'a'.repeat(4_000_000) }, keys]) {
    expect(policy.decide({ tool: toolOf('crm__add'), arguments: args, userId: 'ada' }).action).toBe('deny');
  }
  expect(used()).toBeLessThan(20_000);
});

it('the marks of the policy override the hints of servers, and the first mark decides', () => {
  const policy = policyOf({
    preset: 'read-only',
    tools: [
      { tools: 'crm__get_secret', readOnly: false },
      { tools: 'crm__get_*', readOnly: true },
      { servers: 'evil', readOnly: false, idempotent: false },
      { tools: 'pay__refund', idempotent: true },
    ],
  });
  const actionOf = (tool: Tool) => policy.decide({ tool, arguments: {}, userId: 'ada' }).action;
  expect(actionOf(toolOf('crm__get_contact'))).toBe('allow');
  expect(actionOf(toolOf('crm__get_secret', { readOnlyHint: true }))).toBe('deny');
  expect(actionOf(toolOf('evil__read', { readOnlyHint: true }))).toBe('deny');
  expect(policy.isSafeToResend(toolOf('crm__get_contact'))).toBe(true);
  expect(policy.isSafeToResend(toolOf('pay__refund'))).toBe(true);
  expect(policy.isSafeToResend(toolOf('pay__charge'))).toBe(false);
  expect(policy.isSafeToResend(toolOf('pay__list', { readOnlyHint: true }))).toBe(true);
  expect(policy.isSafeToResend(toolOf('evil__put', { idempotentHint: true }))).toBe(false);
});

it('a new definition of a tool has its own decision', () => {
  const policy = policyOf({ preset: 'read-only' });
  const actionOf = (tool: Tool) => policy.decide({ tool, arguments: {}, userId: 'ada' }).action;
  expect([actionOf(READ_ONLY), actionOf(toolOf('crm__find'))]).toEqual(['allow', 'deny']);
});

it('names the rules that match none of the tools', () => {
  const policy = policyOf({
    rules: [
      { tools: '*__delet_*', action: 'deny' },
      { name: 'writes', annotations: { readOnlyHint: true }, action: 'deny' },
      { action: 'allow' },
    ],
  });
  expect(policy.unusedRules([toolOf('crm__delete_all')])).toEqual(['policy.rules[0]', 'the rule "writes"']);
});
