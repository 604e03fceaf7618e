import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { fixture } from '../fixtures/server.ts';

let desk: Desk;
let received = '';

beforeAll(() => {
  desk = openDesk();
  received = join(desk.folder, 'received.jsonl');
  desk.write('toolwright.json', {
    mcpServers: { bank: fixture('bank', received) },
    policy: {
      preset: 'careful',
      rules: [
        { name: 'no deletes', tools: '*__delete_*', action: 'deny' },
        { users: 'ada', sessions: 'open-*', tools: 'bank__*', action: 'allow' },
        {
          tools: 'bank__refund',
          arguments: { properties: { amount: { maximum: 100 } } },
          action: 'allow',
          limit: '3 per hour',
        },
      ],
      tools: [{ tools: 'bank__set_name', readOnly: true }],
    },
  });
});

const run = (...args: string[]) => desk.run(['policy', 'test', ...args]);

test('lists the action of every tool, and calls none', async () => {
  expect(await run()).toEqual({
    code: 0,
    err: '',
    out: [
      'deny                  bank__delete_account  the rule "no deletes"',
      'allow                 bank__get_balance     the preset "careful"',
      'depends on arguments  bank__refund          the preset "careful"',
      'allow                 bank__set_name        the preset "careful"',
      '',
    ].join('\n'),
  });
  const { tools } = JSON.parse((await run('--json')).out);
  expect(tools.map(({ action }: { action: string }) => action)).toEqual(['deny', 'allow', 'depends', 'allow']);
  expect(existsSync(received)).toBe(false);
});

test('shows why each earlier rule does not match a call', async () => {
  const { code, out } = await run('bank__refund', '--arguments', '{"amount":500}');
  expect([code, out.trimEnd().split('\n')]).toEqual([
    0,
    [
      'bank__refund: ask',
      '  the tool is not read-only, destructive, not idempotent, open world',
      '  the rule "no deletes" (deny) does not match: tools',
      '  policy.rules[1] (allow) does not match: users',
      '  policy.rules[2] (allow) does not match: arguments, properties.amount.maximum',
      '  the preset "careful" decides',
    ],
  ]);
  const allowed = await run('bank__refund', '--arguments', '{"amount":5}', '--json');
  expect(JSON.parse(allowed.out)).toMatchObject({ action: 'allow', rule: 'policy.rules[2]', limit: '3 per hour' });
});

test('warns of a rule that matches no tool, because a typo would disable it', async () => {
  const rules = [{ tools: 'bank__delet_*', action: 'deny' }];
  const file = desk.write('typo.json', { mcpServers: { bank: fixture('bank', received) }, policy: { rules } });
  expect(await run('--config', file)).toMatchObject({
    code: 0,
    err: 'warning: policy.rules[0] matches no tool that the servers have listed\n',
  });
  expect(JSON.parse((await run('--config', file, '--json')).out).unused).toEqual(['policy.rules[0]']);
});

test('decides for a user and a session', async () => {
  const actionOf = async (...args: string[]) => JSON.parse((await run('bank__refund', '--json', ...args)).out).action;
  expect(await actionOf('--user', 'ada', '--session', 'open-1')).toBe('allow');
  expect(await actionOf('--user', 'ada')).toBe('depends');
});

test('reports an unknown tool with similar names, and a server that does not list its tools', async () => {
  expect(await run('bank__refnd')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean bank__refund?'),
  });
  const broken = desk.write('broken.json', { mcpServers: { gone: { command: 'no-such-program' } } });
  expect(await run('--config', broken)).toMatchObject({ code: 4, err: expect.stringMatching(/^gone: /) });
});
