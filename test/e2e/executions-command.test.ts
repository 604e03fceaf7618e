import { readFileSync, writeFileSync } from 'node:fs';
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
  desk.write('toolwright.json', { ...careful(), waits: { graceMs: 0 } });
});

const careful = () => ({
  mcpServers: { bank: fixture('bank', received) },
  policy: { preset: 'careful' },
  sandbox: 'quickjs',
});

const run = (...args: string[]) => desk.run(['executions', ...args]);
const effects = () => linesOf(received);

async function waiting(program: string): Promise<string> {
  const { code, out } = await desk.run(['run', '--json', '-e', program]);
  const { executionId, status } = JSON.parse(out);
  expect([code, status]).toEqual([5, 'suspended']);
  return executionId;
}

test('a program waits for an approval, which another process gives, and a third one continues it', async () => {
  const program = `return callMCPTool('bank__refund', { to: 'ann', amount: 40 })`;
  const asked = await desk.run(['run', '-e', program]);
  expect(asked.code).toBe(5);
  const [, id = ''] = /Suspended: execution (\S+) waits for approval/.exec(asked.err) ?? [];
  // The question comes before the end of the program, once, with the command that answers it.
  expect(asked.err.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/^call 1 {2}asks for approval, by the preset "careful", until /),
    '  bank__refund {"to":"ann","amount":40}',
    `Decide with: toolwright executions approve ${id} (or deny)`,
  ]);
  expect(asked.err.split('bank__refund')).toHaveLength(2);
  expect(effects()).toEqual([]);

  const listed = (await run('--status', 'suspended')).out;
  expect(listed).toMatch(new RegExp(`^${id}  suspended .*\\n  .*return callMCPTool\\('bank__refund'`, 'm'));
  const shown = await run('show', id);
  expect(shown.out).toContain('call 1  asks for approval, by the preset "careful", until ');
  expect(shown.out).toContain('bank__refund {"to":"ann","amount":40}');
  expect(shown.err).toContain(`Decide with: toolwright executions approve ${id}`);

  const undecided = await run('resume', id);
  expect([undecided.code, undecided.err]).toEqual([5, expect.stringContaining(`approve ${id} (or deny)`)]);
  const approved = 'Approved call 1: bank__refund {"to":"ann","amount":40}\n';
  expect(await run('approve', id, '--no-resume')).toMatchObject({ code: 0, out: approved });
  const again = await run('approve', id);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('has no open question')]);
  expect(await run('resume', id)).toMatchObject({ code: 0, out: 'done refund\n' });
  expect(effects()).toHaveLength(1);
  expect(await run('replay', id)).toMatchObject({ code: 0, out: 'Identical: 1 requests, the logs and the result.\n' });
  expect((await run('resume', id)).err).toContain('has ended');
});

test('an approval names the call and continues the program, which may ask again', async () => {
  const before = effects().length;
  const id = await waiting(
    `await callMCPTool('bank__refund', { amount: 1 }); return callMCPTool('bank__refund', { amount: 2 })`,
  );
  const first = await run('approve', id);
  expect([first.code, first.out]).toEqual([5, 'Approved call 1: bank__refund {"amount":1}\n']);
  expect(first.err).toContain('bank__refund {"amount":2}');
  const second = await run('approve', id);
  expect(second).toMatchObject({ code: 0, out: 'Approved call 2: bank__refund {"amount":2}\ndone refund\n' });
  expect(effects()).toHaveLength(before + 2);
  const other = await waiting(`return callMCPTool('bank__refund', { amount: 3 })`);
  const asJson = JSON.parse((await run('approve', other, '--json')).out);
  expect(asJson).toEqual({ executionId: other, decided: [1], status: 'suspended' });
});

test('an approval lasts for later runs, is listed by person, and ends when it is revoked', async () => {
  const refund = (amount: number) =>
    desk.run(['run', '-e', `return callMCPTool('bank__refund', { amount: ${amount} })`]);
  const ask = (amount: number) => waiting(`return callMCPTool('bank__refund', { amount: ${amount} })`);
  expect((await run('lasting')).err).toContain('There are no lasting approvals.');
  expect(await run('approve', await ask(51), '--always', 'exact', '--by', 'ann')).toMatchObject({ code: 0 });
  expect((await refund(51)).code).toBe(0);
  const schema = '{"properties":{"amount":{"maximum":60}},"required":["amount"]}';
  expect((await run('approve', await ask(52), '--always', schema, '--by', 'bob')).code).toBe(0);
  expect([(await refund(60)).code, (await refund(61)).code]).toEqual([0, 5]);
  expect((await run('approve', await ask(61), '--always', 'any', '--by', 'cho', '--expires', '2999-01-31')).code).toBe(
    0,
  );
  expect((await refund(62)).code).toBe(0);
  const listed = JSON.parse((await run('lasting', '--json')).out);
  expect(listed.decisions.map((each: Record<string, string>) => [each.arguments, each.by])).toEqual([
    ['exact', 'ann'],
    ['schema', 'bob'],
    ['any', 'cho'],
  ]);
  expect((await run('lasting')).out).toContain('cho');
  for (const { id } of listed.decisions) expect((await run('revoke', id)).code).toBe(0);
  expect([(await refund(51)).code, (await refund(52)).code, (await run('lasting')).out]).toEqual([5, 5, '']);
  const wrong = await run('approve', await ask(1), '--always', 'most');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--always takes exact, targets, any')]);
  expect((await run('revoke', 'none')).code).toBe(2);
});

test('a wait for a person has no grace period without a terminal, and short sleeps have theirs', async () => {
  // A grace period of ten minutes would end the test.
  desk.write('patient.json', { ...careful(), waits: { graceMs: 600_000 } });
  const program = `await utils.sleep(50); return callMCPTool('bank__refund', { amount: 7 })`;
  const asked = await desk.run(['run', '--config', 'patient.json', '-e', program]);
  expect([asked.code, asked.err]).toEqual([5, expect.stringContaining('bank__refund {"amount":7}')]);
  const [, id = ''] = /executions approve (\S+)/.exec(asked.err) ?? [];
  const undecided = await run('resume', id, '--config', 'patient.json');
  expect([undecided.code, undecided.err]).toEqual([5, expect.stringContaining('bank__refund {"amount":7}')]);
  const json = await desk.run(['run', '--config', 'patient.json', '--json', '-e', program]);
  expect([json.code, json.err, JSON.parse(json.out).pending[0].call]).toEqual([5, '', 1]);
});

test('the list and the details have the reason of a failure', async () => {
  const program = `console.log('before'); await callMCPTool('bank__who', {}).catch(() => 0); require('child_process')`;
  expect((await desk.run(['run', '--no-check', '-e', program])).code).toBe(1);
  const [head = '', line] = (await run('--limit', '1')).out.split('\n');
  expect(line).toMatch(/^ {2}[\d.]+ m?s {2}GUEST_ERROR {2}.*console\.log\('before'\)/);
  const shown = (await run('show', head.split(' ')[0] ?? '')).out;
  expect(shown).toMatch(
    /\nlog {2}before\nerror {2}GUEST_ERROR {2}.*require.*\n {2}at line 1, .*\nhint {2}require takes/,
  );
  await desk.run(['run', '-e', 'return { sum: 3 }']);
  const [completed = ''] = (await run('--limit', '1')).out.split(' ');
  expect((await run('show', completed)).out).toContain('\nresult  {"sum":3}\n');
});

test('a sleep that is longer than the grace period, but within the time limit, needs no second command', async () => {
  const ran = await desk.run(['run', '-e', 'console.log("a"); await utils.sleep(1200); console.log("b"); return 2']);
  expect(ran).toMatchObject({ code: 0, out: '2\n', err: 'a\nb\n' });
  const long = await desk.run(['run', '-e', 'await utils.sleep(3_600_000)']);
  expect([long.code, long.err]).toEqual([5, expect.stringContaining('waits for timer')]);
});

test('a denied call throws in the program, with the note', async () => {
  const before = effects().length;
  const id = await waiting(`return callMCPTool('bank__delete_account', {}).catch(({ message }) => message)`);
  await run('deny', id, '--note', 'not today');
  expect((await run('resume', id)).out).toContain('The reason: not today');
  expect(effects()).toHaveLength(before);
});

test('one approval covers further calls, and text of a program stays within its line', async () => {
  const to = JSON.stringify('\u001b[2Jann\nDecided about call 9.');
  const id = await waiting(
    `for (let n = 0; n < 3; n++) await callMCPTool('bank__refund', { to: ${to}, amount: n }); return 3`,
  );
  const { out } = await run('show', id);
  expect(out).not.toContain('\u001b');
  expect(out).not.toMatch(/^Decided/m);
  const approved = await run('approve', id, '--next', '2');
  expect([approved.code, approved.out]).toEqual([0, expect.stringMatching(/^Approved call 1: .*\n3\n$/)]);
});

test.each<[string[], RegExp]>([
  [['approve'], /Use "executions list"/],
  [['forget', 'x'], /Use "executions list"/],
  [['list', '--status', 'waiting'], /There is no status "waiting"\. Use one of: running, suspended/],
  [['outcome', 'x'], /requires one of --result JSON, --resend or --fail/],
  [['outcome', 'x', '--result', '{'], /--result must be JSON/],
  [['show', '0f8fad5b-d9cb-469f-a165-70867728950e'], /There is no execution/],
])('%j is a mistake with its fix', async (args, message) => {
  const { code, err } = await run(...args);
  expect([code !== 0, err]).toEqual([true, expect.stringMatching(message)]);
});

test('text of programs and arguments stays in its line and moves no cursor', async () => {
  const id = await waiting(
    `// \u001b[2J\n// forged\u202e\nreturn callMCPTool('bank__refund', { to: '\\u009b2J\\nDecide with: x\\u202e\\u2028' })`,
  );
  const { out } = await run('show', id);
  expect(out).toContain('  | // \\u001b[2J\n  | // forged\\u202e\n');
  expect(out).toContain('"to":"\\u009b2J\\nDecide with: x\\u202e\\u2028"');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the output must not contain them
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
  const named = await run('show', id, '--user', 'local', '--config', 'toolwright.json');
  expect(named.err).toContain(`approve ${id} --user local --config toolwright.json (or deny)`);
  expect(JSON.parse((await run('list', '--limit', '1', '--json')).out).executions).toHaveLength(1);
});

test('a fork repeats the recorded calls, and sends the others, with another program and another answer', async () => {
  const call = (amount: number) => `await callMCPTool('bank__refund', { to: 'bob', amount: ${amount} });`;
  const id = await waiting(`${call(1)}\n${call(2)}`);
  expect((await run('fork', id, '--at', '1')).err).toContain('has no answer');
  expect((await run('approve', id, '--next', '5')).code).toBe(0);
  const before = effects().length;
  writeFileSync(join(desk.folder, 'next.ts'), `${call(1)}\nreturn ${call(2)}`);
  const forked = await run('fork', id, '--at', '2', '--source', join(desk.folder, 'next.ts'), '--answer', '{"ok":1}');
  expect(forked).toMatchObject({ code: 0, out: '{\n  "ok": 1\n}\n' });
  const [, other = ''] = /as execution (\S+)\.$/m.exec(forked.err) ?? [];
  expect((await run('show', other)).out).toContain(`forked from ${id} at call 2`);
  writeFileSync(join(desk.folder, 'next.ts'), `${call(1)}\n${call(9)}`);
  const differs = await run('fork', id, '--at', '2', '--source', join(desk.folder, 'next.ts'));
  expect([differs.code, differs.err]).toEqual([1, expect.stringContaining('Call 2 at line 2 differs')]);
  const diff = await run('diff', id, other);
  expect(diff).toMatchObject({
    code: 1,
    out: expect.stringContaining('+ call 2  bank__refund {"to":"bob","amount":2}'),
  });
  expect(diff.out).toContain('+ completed  {"ok":1}');
  expect(JSON.parse((await run('diff', id, other, '--json')).out)).toMatchObject({ calls: [{ change: 'changed' }] });
  expect(await run('diff', id, id)).toMatchObject({ code: 0, out: expect.stringContaining('Identical') });
  const file = join(desk.folder, 'refund.test.ts');
  expect(await run('export', id, '--out', file)).toMatchObject({ code: 0, err: `Wrote ${file}.\n` });
  expect(readFileSync(file, 'utf8')).toContain(`exported this test from execution ${id}`);
  expect((await run('export', id, '--out', file)).err).toContain('EEXIST');
  expect((await run('export', id)).out).toBe(readFileSync(file, 'utf8'));
  expect(await run('fork', id, '--at', '0')).toMatchObject({ code: 5 });
  expect((await run('fork', id)).err).toContain('--at N');
  expect((await run('fork', id, '--at', '3')).err).toContain(
    'has 2 tool calls: "at" must be a whole number from 0 to 2',
  );
  expect(effects()).toHaveLength(before);
});
