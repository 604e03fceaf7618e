import { describe, expect, it } from 'vitest';
import type { Tool, ToolAnnotations } from '../../catalog/tool.ts';
import { createPolicy } from './create-policy.ts';
import { createExecutionCounts, createHourCounts, limitOf } from './limits.ts';
import { type PolicySettings, policySchema } from './schema.ts';
import { checkPolicyServers } from './servers.ts';

const HOUR_MS = 3_600_000;

function toolOf(id: string, annotations?: ToolAnnotations): Tool {
  const [server = '', name = ''] = id.split('__');
  return { id, server, definition: { name, inputSchema: true, ...(annotations ? { annotations } : {}) } };
}

const policyOf = (settings: PolicySettings) => createPolicy(policySchema.parse(settings));

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
  const started = performance.now();
  for (const args of [{ list }, { list: list.map(() => 1) }, { text: 'a'.repeat(4_000_000) }, keys]) {
    expect(policy.decide({ tool: toolOf('crm__add'), arguments: args, userId: 'ada' }).action).toBe('deny');
  }
  expect(performance.now() - started).toBeLessThan(3_000);
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

describe('limits', () => {
  const settings: PolicySettings = { preset: 'read-only', rules: [{ action: 'allow', limit: '2 per execution' }] };
  const actions = (policy: ReturnType<ReturnType<typeof policyOf>['forExecution']>, count: number) =>
    Array.from({ length: count }, () => policy.decide(toolOf('crm__add'), {}).action);

  it('a rule that is used up no longer matches, in each execution for itself', () => {
    const policy = policyOf(settings);
    expect(actions(policy.forExecution({ userId: 'ada' }), 3)).toEqual(['allow', 'allow', 'deny']);
    expect(actions(policy.forExecution({ userId: 'ada' }), 1)).toEqual(['allow']);
  });

  it('a resumed execution continues its counts', () => {
    const policy = policyOf(settings);
    const key = policy.forExecution({ userId: 'ada' }).decide(toolOf('crm__add'), {}).limit?.key ?? '';
    expect(actions(policy.forExecution({ userId: 'ada', usedLimits: [key, 'other'] }), 2)).toEqual(['allow', 'deny']);
  });

  it('a rule per hour is counted for each user, in all executions', () => {
    const policy = policyOf({ preset: 'read-only', rules: [{ action: 'allow', limit: '2 per hour' }] });
    expect(actions(policy.forExecution({ userId: 'ada' }), 1)).toEqual(['allow']);
    expect(actions(policy.forExecution({ userId: 'ada' }), 2)).toEqual(['allow', 'deny']);
    expect(actions(policy.forExecution({ userId: 'bea' }), 1)).toEqual(['allow']);
  });

  it('an hour starts with the first call after the last hour ended', () => {
    let now = 0;
    const [rule] = policySchema.parse({ rules: [{ action: 'allow', limit: '1 per hour' }] }).rules;
    const limit = rule && limitOf(rule);
    if (!limit) throw new Error('no limit');
    const counts = createExecutionCounts(createHourCounts(() => now).of('ada'));
    counts.use(limit);
    now = HOUR_MS - 1;
    expect(counts.isUsedUp(limit)).toBe(true);
    now = HOUR_MS;
    expect(counts.isUsedUp(limit)).toBe(false);
    counts.use(limit);
    now = 2 * HOUR_MS - 1;
    expect(counts.isUsedUp(limit)).toBe(true);
  });

  it('counts a bounded number of users, and allows a new one nothing beyond it', () => {
    let now = 0;
    const hours = createHourCounts(() => now);
    const limit = { key: 'k', count: 5, per: 'hour' } as const;
    for (let user = 0; user < 100_000; user++) hours.of(`user ${user}`).use(limit);
    expect(hours.of('new').isUsedUp(limit)).toBe(true);
    expect(hours.of('user 7').isUsedUp(limit)).toBe(false);
    now = HOUR_MS;
    expect(hours.of('new').isUsedUp(limit)).toBe(false);
  });
});

describe('a server that does not exist', () => {
  const check = (settings: PolicySettings) => checkPolicyServers(policySchema.parse(settings), ['crm', 'my__mail']);

  it.each<[PolicySettings, RegExp]>([
    [
      { rules: [{ servers: ['crm', 'crn'], action: 'deny' }] },
      /^policy\.rules\[0\]\.servers: "crn" matches no server\. Did you mean the server "crm"\?$/,
    ],
    [
      { rules: [{ tools: 'crn__delete_*', action: 'deny' }] },
      /^policy\.rules\[0\]\.tools: "crn__delete_\*" matches no server\. Did you mean/,
    ],
    [
      { rules: [{ tools: 'crm_delete', action: 'deny' }] },
      /^policy\.rules\[0\]\.tools: "crm_delete" matches no server/,
    ],
    [{ rules: [{ servers: 'bank-*', action: 'deny' }] }, /Servers: crm, my__mail\.$/],
    [{ tools: [{ tools: 'bank__get', readOnly: true }] }, /^policy\.tools\[0\]\.tools: "bank__get" matches no server/],
  ])('%j is an error', (settings, message) => {
    expect(() => check(settings)).toThrow(message);
  });

  it.each(['crm__*', 'c*', '*__delete', 'c?m__x', 'my__mail__send', 'my__*', '*'])(
    'the tools %j may exist',
    (tools) => {
      expect(() => check({ rules: [{ tools, action: 'deny' }] })).not.toThrow();
    },
  );
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
