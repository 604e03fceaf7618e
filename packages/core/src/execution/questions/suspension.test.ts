import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { bankTools, readingTool } from '../../../../../test/fixtures/bank-tools.ts';
import { failureOf, until } from '../../../../../test/fixtures/server.ts';
import { quickjsSandbox } from '../../../../sandbox/src/sandboxes/quickjs.ts';
import type { ExecutionResult } from '../../history/result.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../toolwright.ts';

/** The effects of the tools, counted at the tools. */
let effects: string[] = [];
let folders: string[] = [];
let opened: Toolwright[] = [];

afterEach(async () => {
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  [effects, folders, opened] = [[], [], []];
});

const EMAILS = ['ann@example.com', 'bob@example.com'];
const TOOLS = {
  bank: {
    tools: {
      ...bankTools((payment) => effects.push(payment)),
      customers: readingTool('Lists customers', async () => ({ emails: EMAILS })),
    },
  },
};

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-suspension-'));
  folders.push(folder);
  return folder;
}

/** Opens a Toolwright, which shares nothing but the data folder with others. */
async function open(dataDir: string, options: ToolwrightOptions = {}): Promise<Toolwright> {
  const toolwright = await createToolwright({
    dataDir,
    sandbox: 'quickjs',
    tools: TOOLS,
    policy: { preset: 'careful' },
    waits: { graceMs: 0 },
    check: false,
    store: 'memory',
    ...options,
  } as ToolwrightOptions);
  opened.push(toolwright);
  return toolwright;
}

function suspended(result: ExecutionResult): Extract<ExecutionResult, { status: 'suspended' }> {
  expect(result).toMatchObject({ status: 'suspended' });
  return result as Extract<ExecutionResult, { status: 'suspended' }>;
}

const PAY = `
const { amount } = await callMCPTool('bank__balance', {});
console.log('pays', amount);
const paid = await callMCPTool('bank__pay', { to: 'ann', amount });
return { amount, paid, started: Date.now() > 0 };`;

test('a call that needs an approval waits without a sandbox, and goes on in another process after the decision', async () => {
  const dataDir = newFolder();
  const first = await open(dataDir);
  const waiting = suspended(await first.execute(PAY));
  expect(waiting).toMatchObject({
    waitingFor: ['approval'],
    pending: [{ call: 2, kind: 'approval', tool: 'bank__pay', arguments: { to: 'ann', amount: 7 } }],
    logs: [{ text: 'pays 7' }],
  });
  expect(effects).toEqual([]);
  const { executionId } = waiting;
  expect((await first.executions.get(executionId)).status).toBe('suspended');
  await first.close();

  const second = await open(dataDir);
  expect(await second.executions.questions(executionId)).toEqual(
    waiting.pending.map((question) => ({ ...question, askedAt: expect.any(String) })),
  );
  expect(await second.executions.decide(executionId, { action: 'approve', by: 'bob' })).toEqual([2]);
  const result = await second.executions.resume(executionId);
  expect(result).toMatchObject({
    status: 'completed',
    value: { amount: 7, paid: { paid: 7 }, started: true },
    logs: [{ text: 'pays 7' }],
    calls: [
      { number: 1, tool: 'bank__balance', status: 'answered' },
      { number: 2, tool: 'bank__pay', status: 'answered' },
    ],
  });
  expect(effects).toEqual(['ann 7']);
  expect(await second.executions.replay(executionId)).toMatchObject({ status: 'identical', requests: 2 });
  expect((await second.executions.get(executionId)).status).toBe('completed');
  expect((await failureOf(second.executions.resume(executionId))).code).toBe('EXECUTION_ENDED');
});

test('a decision in the grace period needs no suspension', async () => {
  const toolwright = await open(newFolder(), { waits: { graceMs: 20_000 } });
  let decided = 0;
  const result = await toolwright.execute(PAY, {
    onApproval: ({ call, executionId }) => {
      decided = call;
      void toolwright.executions.decide(executionId, { action: 'approve' });
    },
  });
  expect([result.status, decided, effects]).toEqual(['completed', 2, ['ann 7']]);
});

test('a program that waits gives its sandbox to one that waits for a sandbox', async () => {
  const toolwright = await open(newFolder(), {
    sandbox: quickjsSandbox({ maxProcesses: 1 }),
    waits: { graceMs: 60_000 },
  });
  let isAsked = false;
  const onApproval = () => {
    isAsked = true;
    return undefined;
  };
  const first = toolwright.execute(PAY, { onApproval });
  await until(() => isAsked, 60_000);
  const second = await toolwright.execute('return 2');
  expect([second.status, (await first).status]).toEqual(['completed', 'suspended']);
  const late = toolwright.execute(PAY);
  const others = Array.from({ length: 3 }, (_, number) => toolwright.execute(`return ${number}`));
  expect((await Promise.all([late, ...others])).map(({ status }) => status)).toEqual([
    'suspended',
    ...['completed', 'completed', 'completed'],
  ]);
}, 30_000);

test('the embedder decides with the real arguments, which the journal does not have', async () => {
  const dataDir = newFolder();
  const toolwright = await open(dataDir, { waits: { graceMs: 20_000 } });
  const seen: unknown[] = [];
  const program = `
  const { emails } = await callMCPTool('bank__customers', {});
  return Promise.all(emails.map((to) =>
    callMCPTool('bank__pay', { to, amount: 1 }).catch(({ code, message }) => code + ' ' + message)))`;
  const result = await toolwright.execute(program, {
    onApproval: async ({ call, tool, arguments: shown, realArguments }) => {
      seen.push([tool, shown, realArguments]);
      return call === 2 ? { action: 'approve', by: 'ann' } : { action: 'deny', note: 'not bob' };
    },
  });
  expect(seen).toEqual([
    ['bank__pay', { to: expect.stringMatching(/^.EMAIL_\d+.$/), amount: 1 }, { to: 'ann@example.com', amount: 1 }],
    ['bank__pay', { to: expect.stringMatching(/^.EMAIL_\d+.$/), amount: 1 }, { to: 'bob@example.com', amount: 1 }],
  ]);
  expect(result).toMatchObject({ status: 'completed', value: [{ paid: 1 }, expect.stringContaining('not bob')] });
  expect(effects).toEqual(['ann@example.com 1']);
  expect(readFileSync(join(dataDir, 'executions', `${result.executionId}.jsonl`), 'utf8')).not.toContain('@example');
});

test('with "later", the program is suspended without the grace period, which its short sleeps keep', async () => {
  // The grace period would end the test.
  const toolwright = await open(newFolder(), { waits: { graceMs: 600_000 } });
  const asked: number[] = [];
  const both = `await utils.sleep(20);
    return Promise.all([1, 2].map((amount) => callMCPTool('bank__pay', { to: 'ann', amount })))`;
  const onApproval = async ({ call }: { call: number }) => {
    asked.push(call);
    return 'later' as const;
  };
  const { pending, executionId } = suspended(await toolwright.execute(both, { onApproval }));
  expect([asked, pending.map(({ call }) => call), effects]).toEqual([[1, 2], [1, 2], []]);
  await toolwright.executions.decide(executionId, { action: 'approve', calls: [1] });
  const half = suspended(await toolwright.executions.resume(executionId, { onApproval }));
  expect([half.pending.map(({ call }) => call), effects]).toEqual([[2], ['ann 1']]);
});

test.each([
  ['no answer', () => undefined],
  [
    'an error',
    () => {
      throw new Error('offline');
    },
  ],
  ['a decision that does not fit', () => ({ action: 'resend' as const })],
])('with %s of the embedder, the question stays open', async (_name, onApproval) => {
  const dataDir = newFolder();
  const toolwright = await open(dataDir);
  const { pending, executionId } = suspended(await toolwright.execute(PAY, { onApproval }));
  expect(pending.map(({ call }) => call)).toEqual([2]);
  expect(effects).toEqual([]);
  const patient = await open(dataDir, { waits: { graceMs: 20_000 } });
  const continued = await patient.executions.resume(executionId, { onApproval: () => ({ action: 'approve' }) });
  expect([continued.status, effects]).toEqual(['completed', ['ann 7']]);
});

test('a denied call throws with the reason, and nothing is sent', async () => {
  const toolwright = await open(newFolder());
  const { executionId } = suspended(
    await toolwright.execute(
      `return callMCPTool('bank__pay', { to: 'x' }).catch(({ code, message }) => [code, message])`,
    ),
  );
  await toolwright.executions.decide(executionId, { action: 'deny', note: 'too much' });
  expect(await toolwright.executions.resume(executionId)).toMatchObject({
    value: ['APPROVAL_DENIED', expect.stringContaining('The reason: too much')],
  });
  expect(effects).toEqual([]);
});

test('parallel calls are one list of questions, and each has its own decision', async () => {
  const toolwright = await open(newFolder());
  const program = `
const pays = ['a', 'b', 'c'].map((to) => callMCPTool('bank__pay', { to, amount: 1 }).catch(({ code }) => code));
return Promise.all(pays);`;
  const { executionId, pending } = suspended(await toolwright.execute(program));
  expect(pending.map(({ call }) => call)).toEqual([1, 2, 3]);
  await toolwright.executions.decide(executionId, { action: 'deny', calls: [2] });
  const again = await failureOf(toolwright.executions.decide(executionId, { action: 'approve', calls: [2] }));
  expect([again.code, again.message]).toEqual(['ALREADY_DECIDED', expect.stringContaining('deny')]);
  await toolwright.executions.decide(executionId, { action: 'approve', by: 'bob' });
  const { value } = (await toolwright.executions.resume(executionId)) as { value?: unknown };
  expect(value).toEqual([{ paid: 1 }, 'APPROVAL_DENIED', { paid: 1 }]);
  expect(effects).toEqual(['a 1', 'c 1']);
});

test('a loop with an approval in each round is suspended and continued each time', async () => {
  const toolwright = await open(newFolder());
  const program = `let sum = 0; for (let n = 1; n <= 4; n++) sum += (await callMCPTool('bank__pay', { to: 'l', amount: n })).paid; return sum`;
  let result: ExecutionResult = await toolwright.execute(program);
  for (let round = 1; round <= 4; round++) {
    const { executionId, pending } = suspended(result);
    expect(pending).toMatchObject([{ call: round, arguments: { amount: round } }]);
    await toolwright.executions.decide(executionId, { action: 'approve' });
    result = await toolwright.executions.resume(executionId);
  }
  expect(result).toMatchObject({ status: 'completed', value: 10 });
  expect(effects).toEqual(['l 1', 'l 2', 'l 3', 'l 4']);
});

test('one decision covers a loop of fifty writes, and no more', async () => {
  const dataDir = newFolder();
  const first = await open(dataDir);
  const program = `for (let n = 1; n <= 51; n++) await callMCPTool('bank__pay', { to: 'many', amount: n }); return 'done'`;
  const { executionId } = suspended(await first.execute(program));
  const covers = { next: 49, arguments: { properties: { to: { const: 'many' } }, required: ['to'] } };
  await first.executions.decide(executionId, { action: 'approve', covers });
  const again = suspended(await first.executions.resume(executionId));
  expect(again.pending).toMatchObject([{ call: 51 }]);
  expect(effects).toHaveLength(50);
  await first.close();
  const second = await open(dataDir);
  await second.executions.decide(executionId, { action: 'approve' });
  expect(await second.executions.resume(executionId)).toMatchObject({ value: 'done' });
  expect(effects).toHaveLength(51);
});

test('a decision does not cover other arguments', async () => {
  const toolwright = await open(newFolder());
  const program = `await Promise.all(['a', 'b', 'eve'].map((to) => callMCPTool('bank__pay', { to, amount: 1 })));`;
  const { executionId } = suspended(await toolwright.execute(program));
  const covers = { next: 10, arguments: { properties: { to: { enum: ['a', 'b'] } }, required: ['to'] } };
  const wrong = { next: 10, arguments: { propertys: {} } };
  expect((await failureOf(toolwright.executions.decide(executionId, { action: 'approve', covers: wrong }))).code).toBe(
    'CONFIG_INVALID',
  );
  await toolwright.executions.decide(executionId, { action: 'approve', calls: [1], covers });
  expect(suspended(await toolwright.executions.resume(executionId)).pending).toMatchObject([{ call: 3 }]);
  expect(effects).toEqual(['a 1', 'b 1']);
});

test('a long sleep releases the sandbox, and goes on at its time', async () => {
  const toolwright = await open(newFolder(), { policy: { preset: 'open' }, waits: { graceMs: 50 } });
  const program = 'const before = Date.now(); await utils.sleep(1500); return Date.now() - before';
  const { executionId, waitingFor } = suspended(await toolwright.execute(program));
  expect(waitingFor).toEqual(['timer']);
  const continuing = toolwright.executions.continueExecutions();
  await until(async () => (await toolwright.executions.get(executionId)).status === 'completed', 20_000);
  continuing[Symbol.dispose]();
  const { result } = await toolwright.executions.get(executionId);
  expect((result as { value?: number }).value).toBeGreaterThanOrEqual(1_490);
});

test('a sleep ends in time when somebody sets the clock back by two hours', async () => {
  const toolwright = await open(newFolder(), { policy: { preset: 'open' }, waits: { graceMs: 50 } });
  const { executionId } = suspended(await toolwright.execute('await utils.sleep(1500); return "awake"'));
  const now = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 2 * 3_600_000);
  try {
    using _continuing = toolwright.executions.continueExecutions();
    await until(async () => (await toolwright.executions.get(executionId)).status === 'completed', 60_000);
  } finally {
    clock.mockRestore();
  }
  expect((await toolwright.executions.get(executionId)).result).toMatchObject({ value: 'awake' });
});

test('a program that imports modules goes on after a suspension', async () => {
  const dataDir = newFolder();
  const first = await open(dataDir);
  const program = `
import { pay } from './servers/bank/index.js';
const { balance } = await import('./servers/bank/index.js');
const before = await balance({});
await pay({ to: 'ann', amount: 1 });
const { pay: later } = await import('./servers/bank/pay.js');
return [before, typeof later];`;
  const { executionId } = suspended(await first.execute(program));
  await first.executions.decide(executionId, { action: 'approve' });
  await first.close();
  const second = await open(dataDir);
  expect(await second.executions.resume(executionId)).toMatchObject({ value: [{ amount: 7 }, 'function'] });
  expect(effects).toEqual(['ann 1']);
});

test('a program that computes next to a long timer is not suspended, and keeps its time limit', async () => {
  const toolwright = await open(newFolder());
  const busy = (ms: number) => `const end = Date.now() + ${ms}; while (Date.now() < end);`;
  const guarded = `void utils.sleep(60_000); ${busy(600)} return 'computed'`;
  expect(await toolwright.execute(guarded)).toMatchObject({ status: 'completed', value: 'computed' });
  const endless = `void utils.sleep(60_000); ${busy(60_000)}`;
  const limits = { timeoutMs: 1_000 };
  expect(await toolwright.execute(endless, { limits })).toMatchObject({ status: 'stopped', limit: 'timeout' });
  const asking = `const paid = callMCPTool('bank__pay', {}); ${busy(600)} return 'not awaited'`;
  expect(await toolwright.execute(asking)).toMatchObject({ status: 'completed', value: 'not awaited' });
  expect(effects).toEqual([]);
});

test('a question without a decision expires', async () => {
  const toolwright = await open(newFolder(), { waits: { graceMs: 0, expireMs: 4_000 } });
  const program = `return callMCPTool('bank__pay', {}).catch(({ code }) => code)`;
  const { executionId } = suspended(await toolwright.execute(program));
  await sleep(4_050);
  expect(await toolwright.executions.resume(executionId)).toMatchObject({ value: 'APPROVAL_EXPIRED' });
  expect(effects).toEqual([]);
});

test('one of two processes continues an execution', async () => {
  const dataDir = newFolder();
  const [one, two] = [await open(dataDir), await open(dataDir)];
  const { executionId } = suspended(await one.execute(PAY));
  await one.executions.decide(executionId, { action: 'approve' });
  const results = await Promise.allSettled([one.executions.resume(executionId), two.executions.resume(executionId)]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'EXECUTION_RUNNING' } });
  expect(effects).toEqual(['ann 7']);
});

test('servers continue executions after decisions of other processes, each once', async () => {
  const dataDir = newFolder();
  const [server, second, person] = [await open(dataDir), await open(dataDir), await open(dataDir)];
  const early = suspended(await person.execute(PAY)).executionId;
  const continuing = [server.executions.continueExecutions(), second.executions.continueExecutions()];
  const late = suspended(await server.execute(`await callMCPTool('bank__pay', { to: 'late', amount: 1 })`)).executionId;
  await person.executions.decide(late, { action: 'approve' });
  await person.executions.decide(early, { action: 'approve' });
  const statusOf = async (id: string) => (await person.executions.get(id)).status;
  await until(async () => (await statusOf(early)) === 'completed' && (await statusOf(late)) === 'completed', 20_000);
  expect([...effects].sort()).toEqual(['ann 7', 'late 1']);
  for (const each of continuing) each[Symbol.dispose]();
});

test('a server applies the decisions that were made before its start', async () => {
  const dataDir = newFolder();
  const [program, person] = [await open(dataDir), await open(dataDir)];
  const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(async () => suspended(await program.execute(PAY)).executionId));
  await program.close();
  for (const id of ids.slice(1)) await person.executions.decide(id, { action: 'approve' });
  const server = await open(dataDir);
  using _continuing = server.executions.continueExecutions();
  const statuses = async () => Promise.all(ids.map(async (id) => (await server.executions.get(id)).status));
  await until(async () => (await statuses()).slice(1).every((status) => status === 'completed'));
  expect((await statuses())[0]).toBe('suspended');
  expect(effects).toHaveLength(5);
});

test('changes of skills and the list of changed files survive a suspension', async () => {
  const dataDir = newFolder();
  const first = await open(dataDir);
  const program = `
await fs.mkdir('/skills/greet');
await fs.writeFile('/skills/greet/SKILL.md', '---\\nname: greet\\ndescription: Greets people\\n---\\nSay hello.');
await fs.writeFile('/workspace/before', 'x');
await callMCPTool('bank__pay', {});
await fs.writeFile('/workspace/after', 'y');`;
  const ids = { sessionId: 's1', createSession: true };
  const { executionId } = suspended(await first.execute(program, ids));
  await first.executions.decide(executionId, { action: 'approve' });
  await first.close();
  const second = await open(dataDir);
  expect((await second.executions.resume(executionId)).status).toBe('completed');
  expect((await second.skills().list()).map(({ name }) => name)).toEqual(['greet']);
  const [entry] = await second.sessions.log('s1');
  expect(entry?.files).toEqual(['/skills/greet/SKILL.md', '/workspace/before', '/workspace/after']);
});

test('the journal of a continued execution is whole', async () => {
  const dataDir = newFolder();
  const toolwright = await open(dataDir);
  const { executionId } = suspended(await toolwright.execute(PAY));
  await toolwright.executions.decide(executionId, { action: 'approve', by: 'bob' });
  await toolwright.executions.resume(executionId);
  const text = readFileSync(join(dataDir, 'executions', `${executionId}.jsonl`), 'utf8');
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const shown = entries.map(({ entry }) => entry).filter((entry) => entry !== 'clock');
  expect(shown).toEqual([
    ...['start', 'call', 'answer', 'reply', 'question', 'suspend', 'resume', 'decision', 'call', 'answer', 'reply'],
    ...['result', 'end'],
  ]);
});
