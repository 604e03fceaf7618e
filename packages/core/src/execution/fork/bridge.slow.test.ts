import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../toolwright.ts';

let opened: Toolwright[] = [];
afterEach(async () => {
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  opened = [];
});

/** Opens a Toolwright whose tools count their effects. */
async function open(dataDir = temporaryFolder(), options: object = {}) {
  const effects: string[] = [];
  const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
  const tool = (name: string) => ({
    description: name,
    inputSchema,
    run: async ({ n = 0 }: { n?: number }) => {
      effects.push(`${name} ${n}`);
      if (n < 0) throw new Error(`no ${n}`);
      return { [name]: n, effect: effects.length };
    },
  });
  const toolwright = await createToolwright({
    dataDir,
    sandbox: 'quickjs',
    store: 'memory',
    check: false,
    pii: { mode: 'off' },
    waits: { graceMs: 0 },
    tools: { t: { tools: { pay: tool('pay'), look: tool('look') } }, u: { tools: { send: tool('send') } } },
    ...options,
  } as unknown as ToolwrightOptions);
  opened.push(toolwright);
  return { toolwright, effects, dataDir };
}

const SOURCE = `const values = [];
for (let n = 1; n <= 4; n++) {
  console.log('call', n, Math.random(), Date.now());
  values.push(await callMCPTool('t__pay', { n }));
}
return { values, end: Math.random() };`;

test('a fork repeats the first calls without sending them, and goes on with the same program', async () => {
  const { toolwright, effects } = await open();
  const { executions } = toolwright;
  const first = await toolwright.execute(SOURCE);
  const { executionId: id } = first;
  effects.length = 0;
  const forked = await executions.fork(id, { at: 2 });
  expect(effects).toEqual(['pay 3', 'pay 4']);
  const recorded = Object(first).value;
  expect(forked).toMatchObject({ status: 'completed', value: { end: recorded.end } });
  expect(Object(forked).value.values.slice(0, 2)).toEqual(recorded.values.slice(0, 2));
  expect(forked.logs.slice(0, 2)).toEqual(first.logs.slice(0, 2));
  expect(forked.calls.map(({ number, status }) => [number, status])).toEqual(
    [1, 2, 3, 4].map((number) => [number, 'answered']),
  );
  expect(forked.executionId).not.toBe(id);
  expect(await executions.get(forked.executionId)).toMatchObject({ forkedFrom: { id, at: 2 }, source: SOURCE });
  expect((await executions.list()).executions[0]).toMatchObject({ forkedFrom: { id, at: 2 } });
  expect((await executions.calls(forked.executionId)).map(({ number, arguments: args }) => [number, args])).toEqual(
    [1, 2, 3, 4].map((n) => [n, { n }]),
  );
  expect(await executions.replay(forked.executionId)).toMatchObject({ status: 'identical' });
  // A fork of a fork, with none and with all of its calls.
  effects.length = 0;
  expect(await executions.fork(forked.executionId, { at: 4 })).toMatchObject({ value: Object(forked).value });
  expect(effects).toEqual([]);
  await executions.fork(forked.executionId, { at: 0 });
  expect(effects).toEqual(['pay 1', 'pay 2', 'pay 3', 'pay 4']);
});

test('a fork goes on with another program, and with another answer', async () => {
  const { toolwright, effects } = await open();
  const { executionId: id } = await toolwright.execute(SOURCE);
  effects.length = 0;
  const code = `import * as u from './servers/u';
await search_tools('look');
console.log('another program');
const a = await callMCPTool('t__pay', { n: 1 });
await fs.writeFile('note', String(a.pay));
const b = await callMCPTool('t__pay', { n: 2 });
return [a.pay, b, await u.send({ n: 9 }), await fs.readFile('note')];`;
  const forked = await toolwright.executions.fork(id, { at: 2, code, answer: { pay: 'invented', at: null } });
  const value = [1, { pay: 'invented', at: null }, { send: 9, effect: 1 }, '1'];
  expect(forked).toMatchObject({ status: 'completed', value });
  expect(effects).toEqual(['send 9']);
  expect(await toolwright.executions.replay(forked.executionId)).toMatchObject({ status: 'identical' });
});

test('a call that differs ends the fork before any effect, with the number of the call and its line', async () => {
  const { toolwright, effects } = await open();
  const { executionId: id } = await toolwright.execute(SOURCE);
  effects.length = 0;
  const fork = (code: string, at = 2) => toolwright.executions.fork(id, { at, code });
  const changed = await fork(`await callMCPTool('t__pay', { n: 1 });
try { await callMCPTool('t__look', { n: 2 }); } catch {}
return callMCPTool('t__pay', { n: 3 });`);
  const message = `Call 2 at line 2 differs from execution ${id}. Recorded: t__pay {"n":2}. Now: t__look {"n":2}.`;
  expect(changed).toMatchObject({ status: 'failed', error: { code: 'REPLAY_MISMATCH', line: 2 } });
  expect(Object(changed).error.message).toContain(message);
  const ended = await fork(`return callMCPTool('t__pay', { n: 1 });`);
  expect(ended).toMatchObject({ status: 'failed', error: { code: 'REPLAY_MISMATCH' } });
  expect(Object(ended).error.message).toContain('Recorded: t__pay {"n":2}. Now: the end of the program.');
  expect(effects).toEqual([]);
});

test('parallel calls, refused calls and errors are repeated as they were recorded', async () => {
  const { toolwright, effects } = await open();
  const program = `const order = [];
const one = (tool, n) => callMCPTool(tool, { n }).catch(({ code, message }) => ({ code, message })).then((value) => order.push([n, value]));
await Promise.all([one('t__pay', 1), one('t__none', 2), one('t__pay', -3), one('t__pay', 4)]);
await one('t__pay', 5);
return order;`;
  const first = await toolwright.execute(program);
  effects.length = 0;
  for (const at of [4, 3, 2, 1]) {
    const forked = await toolwright.executions.fork(first.executionId, { at });
    expect(forked.status).toBe('completed');
    expect(effects.splice(0)).toEqual([-3, 4, 5].slice(Math.max(0, at - 2)).map((n) => `pay ${n}`));
    const of = (result: object) => Object(result).value.map(([n, value]: [number, object]) => [n, Object(value).pay]);
    expect(of(forked).sort()).toEqual(of(first).sort());
  }
});

test('files of a fork are its own: the repeated changes are made in them', async () => {
  const { toolwright, effects } = await open();
  const program = `await fs.writeFile('log', 'a');
const { pay } = await callMCPTool('t__pay', { n: 1 });
await fs.appendFile('log', 'b' + pay);
await callMCPTool('t__pay', { n: 2 });
await fs.appendFile('log', 'c');
return fs.readFile('log');`;
  const { executionId: id } = await toolwright.execute(program);
  expect(await toolwright.executions.fork(id, { at: 2 })).toMatchObject({ value: 'ab1c' });
  expect(effects).toEqual(['pay 1', 'pay 2']);
  // The files of a session are as they are now.
  const { id: sessionId } = await toolwright.sessions.create();
  const inSession = await toolwright.execute(program, { sessionId });
  expect(await toolwright.executions.fork(inSession.executionId, { at: 2 })).toMatchObject({ value: 'ab1cc' });
});

test('a fork is under the policy of now, and asks again: approvals of the recorded execution do not cover it', async () => {
  const dataDir = temporaryFolder();
  const policy = { preset: 'careful' };
  const { toolwright, effects } = await open(dataDir, { policy });
  const { executions } = toolwright;
  const waiting = await toolwright.execute(SOURCE);
  const { executionId: id } = waiting;
  // A suspended execution can be forked before its open question, and at it with an answer.
  expect((await failureOf(executions.fork(id, { at: 1 }))).message).toContain('Call 1 of execution');
  expect(await executions.fork(id, { at: 1, answer: { pay: 0 } })).toMatchObject({ waitingFor: ['approval'] });
  await executions.decide(id, { action: 'approve', covers: { next: 10 } });
  expect(await executions.resume(id)).toMatchObject({ status: 'completed' });
  effects.length = 0;
  const forked = await executions.fork(id, { at: 2 });
  expect(forked).toMatchObject({ status: 'suspended', pending: [{ call: 3, tool: 't__pay', arguments: { n: 3 } }] });
  expect(effects).toEqual([]);
  await executions.decide(forked.executionId, { action: 'approve', covers: { next: 1 } });
  expect(await executions.resume(forked.executionId)).toMatchObject({ status: 'completed' });
  expect(effects).toEqual(['pay 3', 'pay 4']);
  const strict = await open(dataDir, { policy: { preset: 'read-only' } });
  expect(await strict.toolwright.executions.fork(id, { at: 3 })).toMatchObject({ error: { code: 'POLICY_DENIED' } });
});

test('a fork in a session restores the placeholders of the recorded answers for its tools', async () => {
  const sent: unknown[] = [];
  const tools = {
    crm: {
      tools: {
        find: { description: 'Finds', run: async () => ({ email: 'ann@example.com' }) },
        mail: { description: 'Mails', run: async (args: unknown) => sent.push(args) },
      },
    },
  };
  const { toolwright, dataDir } = await open(undefined, { tools, pii: { mode: 'redact' } });
  const { id: sessionId } = await toolwright.sessions.create();
  const program = `const { email } = await callMCPTool('crm__find');
await callMCPTool('crm__mail', { to: email });
return email`;
  const { executionId } = await toolwright.execute(program, { sessionId });
  const { executionId: id } = await toolwright.executions.fork(executionId, { at: 1 });
  const answer = { email: 'bob@example.com' };
  const other = await toolwright.executions.fork(executionId, { at: 1, answer });
  expect(sent).toEqual([{ to: 'ann@example.com' }, { to: 'ann@example.com' }, { to: 'bob@example.com' }]);
  for (const each of [id, other.executionId]) {
    expect(readFileSync(join(dataDir, 'executions', `${each}.jsonl`), 'utf8')).not.toContain('@example.com');
  }
});

test('repeated calls count for the limits of the execution', async () => {
  const { toolwright } = await open(undefined, { limits: { toolCalls: 4 } });
  const { executionId: id } = await toolwright.execute(SOURCE);
  const code = SOURCE.replace('n <= 4', 'n <= 5');
  expect(await toolwright.executions.fork(id, { at: 3, code })).toMatchObject({
    status: 'stopped',
    limit: 'toolCalls',
  });
});

test('a fork that cannot work is refused with the reason', async () => {
  const { toolwright, effects, dataDir } = await open(undefined, { waits: { graceMs: 60_000 } });
  const { executions } = toolwright;
  const { executionId: id } = await toolwright.execute(SOURCE, { userId: 'ann' });
  const refusal = async (options: object, of = id) =>
    failureOf(executions.fork(of, { userId: 'ann', ...options } as never));
  for (const at of [5, -1, 1.5, '2', undefined]) {
    const { code, message } = await refusal({ at });
    expect([code, message]).toEqual(['CONFIG_INVALID', expect.stringContaining(`has 4 tool calls: "at" must be`)]);
  }
  expect((await refusal({ at: 0, answer: 1 })).code).toBe('CONFIG_INVALID');
  expect((await refusal({ at: 1, code: 7 })).code).toBe('CONFIG_INVALID');
  expect((await refusal({ at: 1, userId: 'bob' })).code).toBe('UNKNOWN_EXECUTION');
  expect((await refusal({ at: 1, anwser: 1 })).message).toContain('Did you mean "answer"?');
  let running = '';
  const abort = new AbortController();
  const work = toolwright.execute('await callMCPTool("t__pay", { n: 1 }); await sleep(10_000)', {
    userId: 'ann',
    signal: abort.signal,
    onStart: (started) => {
      running = started;
    },
  });
  while (running === '') await sleep(5);
  expect((await refusal({ at: 1 }, running)).code).toBe('EXECUTION_RUNNING');
  abort.abort();
  await work;
  effects.length = 0;
  const path = join(dataDir, 'executions', `${id}.jsonl`);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('"n":2', '"n":3'));
  expect((await refusal({ at: 1 })).code).toBe('JOURNAL_DAMAGED');
  // A torn journal is an interrupted execution: it can be forked as far as it goes.
  writeFileSync(path, text.slice(0, text.indexOf('\n', text.indexOf('"entry":"answer"')) + 20));
  expect((await refusal({ at: 2 })).message).toContain('has 1 tool call:');
  expect(await executions.fork(id, { userId: 'ann', at: 1 })).toMatchObject({ status: 'completed' });
  expect(effects).toEqual(['pay 2', 'pay 3', 'pay 4']);
});

test('a Python program is forked like any other', async () => {
  const { toolwright, effects } = await open(undefined, { sandbox: 'pyodide', limits: { timeoutMs: 20_000 } });
  const source = `import asyncio
from servers.t import pay
values = await asyncio.gather(pay(n=1), pay(n=2))
with open('log', 'w') as file:
    file.write(str(values))
last = await pay(n=3)
return [values, last, open('log').read()]`;
  const { executionId: id } = await toolwright.execute(source, { language: 'python' });
  effects.length = 0;
  const code = source
    .replace('from servers.t import pay', 'from servers.t import pay\nfrom servers.u import send')
    .replace('pay(n=3)', 'send(n=8)');
  const forked = await toolwright.executions.fork(id, { at: 2, code });
  expect(forked).toMatchObject({ status: 'completed' });
  expect(Object(forked).value[1]).toEqual({ send: 8, effect: 1 });
  expect(effects).toEqual(['send 8']);
  const differs = await toolwright.executions.fork(id, { at: 2, code: source.replace('pay(n=2)', 'pay(n=7)') });
  expect(differs).toMatchObject({ status: 'failed', error: { code: 'REPLAY_MISMATCH', line: 3 } });
  expect(effects).toEqual(['send 8']);
}, 60_000);
