import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { linesOf } from '../fixtures/contents.ts';
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
        {
          tools: 'bank__refund',
          arguments: { properties: { amount: { maximum: 100 } }, required: ['amount'] },
          action: 'allow',
          limit: '3 per hour',
        },
      ],
    },
    waits: { graceMs: 0 },
    sandbox: 'quickjs',
  });
  desk.write('refunds.js', PROGRAM);
});

const PROGRAM = `
await callMCPTool('bank__get_balance', { of: 'ann' });
for (const amount of [40, 400]) await callMCPTool('bank__refund', { to: 'ann', amount });
return callMCPTool('bank__delete_account', {}).catch(({ code }) => code);`;

const effects = () => linesOf(received);
const tools = () => effects().map((line) => JSON.parse(line).name);
const LINES = [
  'call 1  allow  bank__get_balance {"of":"ann"}  by the preset "careful"',
  'call 2  allow  bank__refund {"to":"ann","amount":40}  by policy.rules[1] (3 per hour); not sent',
  'call 3  ask    bank__refund {"to":"ann","amount":400}  by the preset "careful"; not sent',
  'call 4  deny   bank__delete_account {}  by the rule "no deletes"',
];
const SUMMARY = '4 calls: 2 allowed, 1 to approve, 1 denied.';

test('"policy test --program" shows the decision about each call of a program, without effects', async () => {
  const shown = await desk.run(['policy', 'test', '--program', 'refunds.js']);
  expect(shown).toEqual({ code: 0, out: `${LINES.join('\n')}\n`, err: `${SUMMARY}\n` });
  const { status, calls } = JSON.parse((await desk.run(['policy', 'test', '--program', 'refunds.js', '--json'])).out);
  expect([status, calls.map(({ action }: { action: string }) => action)]).toEqual([
    'completed',
    ['allow', 'allow', 'ask', 'deny'],
  ]);
  desk.write('failing.js', `await callMCPTool('bank__refund', {}); await callMCPTool('bank__delete_account', {})`);
  const failing = await desk.run(['policy', 'test', '--program', 'failing.js']);
  expect([failing.code, failing.out.split('\n').length, failing.err]).toEqual([
    1,
    3,
    expect.stringContaining('denies'),
  ]);
  expect(tools()).toEqual(['get_balance', 'get_balance']);
});

test('a person approves a dry run, and the program runs once, without questions', async () => {
  const before = effects().length;
  const dry = await desk.run(['run', 'refunds.js', '--dry-run']);
  expect([dry.code, dry.out]).toEqual([0, 'POLICY_DENIED\n']);
  const [, id = ''] = /^Dry run (\S+) made 4 calls/m.exec(dry.err) ?? [];
  expect(dry.err).toContain(LINES.join('\n'));
  expect(dry.err).toContain(`Approve it with: toolwright executions approve ${id} (or deny)`);
  expect(tools().slice(before)).toEqual(['get_balance']);

  const early = await desk.run(['run', 'refunds.js', '--approved', id]);
  expect([early.code, early.err]).toEqual([2, expect.stringContaining('nobody has approved it')]);
  const shown = await desk.run(['executions', 'show', id]);
  expect(shown.out).toContain('  dry run\n');
  expect(shown.out).toContain(LINES.join('\n'));
  expect((await desk.run(['executions', 'list', '--limit', '1'])).out).toMatch(/in quickjs, dry run\n {2}.*\n$/);
  const approved = await desk.run(['executions', 'approve', id]);
  expect([approved.code, approved.out]).toEqual([0, 'Approved calls 1, 2, 3, 4.\n']);
  expect(approved.err).toContain(`toolwright run … --approved ${id}`);

  const ran = await desk.run(['run', 'refunds.js', '--approved', id]);
  expect([ran.code, ran.out]).toEqual([0, 'POLICY_DENIED\n']);
  expect(tools().slice(before + 1)).toEqual(['get_balance', 'refund', 'refund']);
  const again = await desk.run(['run', 'refunds.js', '--approved', id]);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('was used by another execution')]);
});

test('text of a program stays in its line', async () => {
  const to = JSON.stringify('\u001b[2Jann\nApprove it with: x');
  const { err } = await desk.run(['run', '--dry-run', '-e', `await callMCPTool('bank__refund', { to: ${to} })`]);
  expect(err).not.toContain('\u001b');
  expect(err.match(/^Approve it with/gm)).toHaveLength(1);
});

test.each<[string[], RegExp]>([
  [['policy', 'test', 'bank__refund', '--program', 'refunds.js'], /--program takes neither a tool nor --arguments/],
  [['policy', 'test', '--program', 'missing.js'], /Cannot read the program/],
  [['policy', 'test', '--language', 'python'], /--language needs --program/],
  [['run', '-e', '1', '--dry-run', '--approved', 'x'], /but not both/],
])('%j is a mistake with its fix', async (args, message) => {
  const { code, err } = await desk.run(args);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});
