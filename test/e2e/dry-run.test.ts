import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { ExecutionResult } from '../../packages/core/src/execution/result.ts';
import type { ToolwrightOptions } from '../../packages/core/src/options.ts';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { needsPlainPython, plainPythonSandbox } from '../fixtures/plain-python.ts';
import { failureOf, fixture, until } from '../fixtures/server.ts';

type Policy = NonNullable<ToolwrightOptions['policy']>;
type Options = NonNullable<Parameters<Toolwright['execute']>[1]>;

let opened: Toolwright[] = [];
afterEach(async () => {
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  opened = [];
});

const shop = {
  tools: {
    get: { annotations: { readOnlyHint: true }, run: async () => ({ price: 7, mail: 'ada@example.com' }) },
    order: {
      outputSchema: {
        type: 'object',
        properties: { id: { type: 'integer' }, lines: { type: 'array' } },
        required: ['id'],
      },
      run: async () => ({ id: 4711, lines: [] }),
    },
  },
} as const;

/** Opens a Toolwright with the server `bank`, which writes each call that reaches it to a file. */
async function open(policy: Policy = { preset: 'careful' }, options: ToolwrightOptions = {}) {
  const dataDir = options.dataDir ?? temporaryFolder();
  const file = join(dataDir, 'received.jsonl');
  const toolwright = await createToolwright({
    dataDir,
    mcpServers: { bank: fixture('bank', file) },
    tools: { shop },
    sandbox: 'quickjs',
    waits: { graceMs: 0 },
    check: false,
    store: 'memory',
    policy,
    ...options,
  } as ToolwrightOptions);
  opened.push(toolwright);
  const received = () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).name)
      : [];
  const dryRun = (source: string, more: Options = {}) => toolwright.execute(source, { ...more, dryRun: true });
  /** Makes a dry run, and approves it. Returns its id. */
  const approve = async (source: string, more: Options = {}) => {
    const { executionId, status } = await dryRun(source, more);
    expect(status).toBe('completed');
    await toolwright.executions.decide(executionId, { action: 'approve', by: 'ann' });
    return executionId;
  };
  return { toolwright, dataDir, received, dryRun, approve };
}

/** Waits for the time at which a suspended execution goes on. */
async function wakeTime(waiting: ExecutionResult): Promise<void> {
  expect(waiting).toMatchObject({ status: 'suspended', waitingFor: ['timer'] });
  const { wakeAt } = waiting as Extract<ExecutionResult, { status: 'suspended' }>;
  await until(() => Date.now() > Date.parse(wakeAt));
}

const PROGRAM = `
const balance = await callMCPTool('bank__get_balance', { of: 'ada' });
await callMCPTool('bank__refund', { to: 'ada', amount: 40 });
const { id } = await callMCPTool('shop__order', { of: balance });
return { balance, id };`;

describe('a dry run', () => {
  test('calls read-only tools alone, and lists all calls with the decisions of the policy', async () => {
    const { toolwright, received, dryRun } = await open({
      preset: 'careful',
      rules: [{ name: 'orders', tools: 'shop__order', action: 'allow', limit: '3 per hour' }],
    });
    const result = await dryRun(PROGRAM);
    expect(result).toMatchObject({ status: 'completed', value: { balance: 'done get_balance', id: 1 } });
    const preset = 'the preset "careful"';
    expect(result.dryRun?.calls).toEqual([
      {
        number: 1,
        tool: 'bank__get_balance',
        arguments: { of: 'ada' },
        action: 'allow',
        rule: preset,
        isInvented: false,
      },
      {
        ...{ number: 2, tool: 'bank__refund', arguments: { to: 'ada', amount: 40 } },
        ...{ action: 'ask', rule: preset, isInvented: true },
      },
      {
        ...{ number: 3, tool: 'shop__order', arguments: { of: 'done get_balance' }, action: 'allow' },
        ...{ rule: 'the rule "orders"', limit: '3 per hour', isInvented: true },
      },
    ]);
    expect(received()).toEqual(['get_balance']);
    const { executionId } = result;
    expect(await toolwright.executions.get(executionId)).toMatchObject({
      isDryRun: true,
      result: { dryRun: result.dryRun },
    });
    expect(await toolwright.executions.replay(executionId)).toMatchObject({ status: 'identical' });
  });

  test('calls a read-only tool only if the policy allows it, and throws for a call that the policy denies', async () => {
    const { received, dryRun } = await open({
      rules: [
        { tools: 'bank__get_balance', action: 'ask' },
        { tools: 'bank__delete_account', action: 'deny' },
      ],
      tools: [{ tools: 'bank__set_name', readOnly: true }],
    });
    const result = await dryRun(`
      await callMCPTool('bank__set_name', {});
      const of = await callMCPTool('bank__get_balance', {});
      return [of, await callMCPTool('bank__delete_account', {}).catch(({ code }) => code)];`);
    expect(result).toMatchObject({ value: [{}, 'POLICY_DENIED'] });
    expect(result.dryRun?.calls.map(({ action, isInvented }) => [action, isInvented])).toEqual([
      ['allow', false],
      ['ask', true],
      ['deny', false],
    ]);
    expect(received()).toEqual(['set_name']);
  });

  test('lists arguments without personal data', async () => {
    const { dryRun } = await open();
    const result = await dryRun(`const { mail } = await callMCPTool('shop__get', {});
      await callMCPTool('bank__refund', { to: mail }); await callMCPTool('bank__refund', { to: 'bob@example.org' })`);
    expect(JSON.stringify(result)).not.toMatch(/@example/);
    expect(result.dryRun?.calls.slice(1).map(({ arguments: args }) => args)).toEqual([
      { to: expect.stringMatching(/^\[EMAIL_\d+\]$/) },
      { to: expect.stringMatching(/^\[EMAIL_\d+\]$/) },
    ]);
  });

  test('invents results by the types of earlier results, and does not learn from invented ones', async () => {
    const { toolwright, dryRun } = await open({ preset: 'open' });
    const program = `return callMCPTool('bank__refund', { amount: 1 })`;
    expect(await dryRun(program)).toMatchObject({ value: {} });
    await toolwright.execute(program);
    expect(await dryRun(program)).toMatchObject({ value: 'text' });
  });

  test('discards changes of files and skills, creates no session, and is not in the log of its session', async () => {
    const { toolwright, dataDir, dryRun } = await open();
    const own = { sessionId: 'kept', createSession: true };
    await toolwright.execute(`await fs.writeFile('a', 'before'); await fs.writeFile('b', 'b')`, own);
    const program = `
      await fs.appendFile('a', ' after'); await fs.rm('b'); await fs.writeFile('c', 'c');
      await fs.mkdir('/skills/greet');
      await fs.writeFile('/skills/greet/SKILL.md', '---\\nname: greet\\ndescription: Greets people\\n---\\nSay hello.');
      return [await fs.readFile('a', 'utf8'), await fs.readdir('.')];`;
    const result = await dryRun(program, own);
    expect(result).toMatchObject({ value: ['before after', ['a', 'c']] });
    expect(result.logs.map(({ text }) => text).join()).toMatch(/skills \(greet\) were not saved: this is a dry run/);
    const files = await toolwright.sessions.files('kept');
    expect((await files.list('/workspace', true)).map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await files.read('/workspace/a', 100)).toString()).toBe('before');
    expect(await toolwright.skills().list()).toEqual([]);
    expect(await toolwright.sessions.log('kept')).toHaveLength(1);
    expect(await dryRun(`return fs.readdir('.')`, { ...own, sessionId: 'new' })).toMatchObject({ value: [] });
    expect((await failureOf(toolwright.sessions.get('new'))).code).toBe('UNKNOWN_SESSION');
    expect((await failureOf(dryRun('return 1', { sessionId: 'new' }))).code).toBe('UNKNOWN_SESSION');
    expect(readdirSync(join(dataDir, 'executions')).filter((name) => !name.endsWith('.jsonl'))).toEqual([]);
  });

  test('uses up no limit of an hour, and sees the limits of its own calls', async () => {
    const rules = [{ tools: 'bank__refund', action: 'allow', limit: '2 per hour' } as const];
    const { toolwright, received, dryRun } = await open({ preset: 'careful', rules });
    const program = `for (let n = 0; n < 3; n++) await callMCPTool('bank__refund', { amount: n })`;
    for (let time = 0; time < 2; time++) {
      const { dryRun: listed } = await dryRun(program);
      expect(listed?.calls.map(({ action }) => action)).toEqual(['allow', 'allow', 'ask']);
    }
    expect((await toolwright.execute(program)).status).toBe('suspended');
    expect(received()).toEqual(['refund', 'refund']);
  });

  test('does not wait for sleeps of days, and keeps their order', async () => {
    const { dryRun } = await open();
    const program = `
      const order = [];
      await Promise.all([86_400_000, 3_600_000].map(async (ms) => { await utils.sleep(ms); order.push(ms); }));
      await utils.sleep(7 * 86_400_000);
      await new Promise((resolve) => setTimeout(resolve, 86_400_000));
      return order;`;
    expect(await dryRun(program)).toMatchObject({ status: 'completed', value: [3_600_000, 86_400_000] });
    const endless = `const end = Date.now() + 86_400_000; while (Date.now() < end) await utils.sleep(1_000)`;
    const limits = { timeoutMs: 3_000 };
    expect(await dryRun(endless, { limits })).toMatchObject({ status: 'stopped', limit: 'timeout' });
  });

  test('cannot become a skill, and is not continued', async () => {
    const { toolwright, dataDir, received, dryRun } = await open();
    const { executionId } = await dryRun(`return callMCPTool('bank__refund', {})`);
    const saved = toolwright.skills().saveExecution(executionId, { name: 'refund', description: 'Refunds an amount' });
    expect(await failureOf(saved)).toMatchObject({
      code: 'SKILL_REPLAY_MISMATCH',
      message: expect.stringContaining('dry run'),
    });
    expect((await failureOf(toolwright.executions.resume(executionId))).code).toBe('EXECUTION_ENDED');
    const path = join(dataDir, 'executions', `${executionId}.jsonl`);
    const lines = readFileSync(path, 'utf8').split('\n');
    // As after a crash: without the result and the end.
    writeFileSync(path, `${lines.slice(0, -3).join('\n')}\n`);
    expect((await toolwright.executions.get(executionId)).status).toBe('interrupted');
    const resumed = await failureOf(toolwright.executions.resume(executionId));
    expect([resumed.code, resumed.message]).toEqual(['NOT_SUPPORTED', expect.stringContaining('is a dry run')]);
    const decided = await failureOf(toolwright.executions.decide(executionId, { action: 'approve' }));
    expect(decided.code).toBe('EXECUTION_RUNNING');
    expect(received()).toEqual([]);
  });

  needsPlainPython.it('lists the calls of a Python program', async () => {
    const { received, dryRun } = await open(undefined, { sandbox: plainPythonSandbox() });
    const program = `import asyncio\nawait asyncio.sleep(86400)\norder = await call_mcp_tool('shop__order', {})\nawait call_mcp_tool('bank__refund', {'amount': order['id']})`;
    const { dryRun: listed } = await dryRun(program, { language: 'python' });
    expect(listed?.calls).toMatchObject([{ tool: 'shop__order' }, { tool: 'bank__refund', arguments: { amount: 1 } }]);
    expect(received()).toEqual([]);
  });
});

describe('an approved dry run', () => {
  const REFUNDS = `for (const to of ['ann', 'bob']) await callMCPTool('bank__refund', { to }); return 'done'`;

  test('lets the same program run once, without questions', async () => {
    const { toolwright, received, approve } = await open();
    const approved = await approve(REFUNDS);
    expect(received()).toEqual([]);
    const result = await toolwright.execute(REFUNDS, { approved });
    expect(result).toMatchObject({ status: 'completed', value: 'done' });
    expect(received()).toEqual(['refund', 'refund']);
    expect(await toolwright.executions.replay(result.executionId)).toMatchObject({ status: 'identical' });
    const again = await failureOf(toolwright.execute(REFUNDS, { approved }));
    expect([again.code, again.message]).toEqual(['NOT_APPROVED', expect.stringContaining('used by another execution')]);
    expect(received()).toHaveLength(2);
  });

  test('lets one of several processes run the program', async () => {
    const { toolwright, dataDir, received, approve } = await open();
    const approved = await approve(REFUNDS);
    const { toolwright: other } = await open(undefined, { dataDir });
    const results = await Promise.allSettled([toolwright, other].map((each) => each.execute(REFUNDS, { approved })));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(received()).toHaveLength(2);
  });

  test.each<[string, string, string]>([
    [
      'another tool',
      `await callMCPTool(late ? 'bank__delete_account' : 'bank__refund', {})`,
      'bank__delete_account {}',
    ],
    ['other arguments', `await callMCPTool('bank__refund', { amount: late ? 2 : 1 })`, 'bank__refund {"amount":2}'],
    [
      'another order',
      `const both = ['a', 'b']; if (late) both.reverse(); for (const to of both) await callMCPTool('bank__refund', { to })`,
      'bank__refund {"to":"b"}',
    ],
    [
      'a call of a read-only tool',
      `if (late) await callMCPTool('bank__get_balance', {}); await callMCPTool('bank__refund', {})`,
      'bank__get_balance {}',
    ],
  ])('stops an execution that makes %s', async (_name, program, named) => {
    const { toolwright, received, approve } = await open();
    const session = { sessionId: 's', createSession: true };
    const source = `const late = await fs.readFile('late').then(() => true, () => false);
      try { ${program} } catch {}
      await callMCPTool('bank__refund', { to: 'eve' }).catch(() => {});
      return 'went on'`;
    const approved = await approve(source, session);
    await toolwright.execute(`await fs.writeFile('late', '1')`, session);
    const result = await toolwright.execute(source, { ...session, approved });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'DRY_RUN_MISMATCH', kind: 'user' } });
    const { message } = (result as { error: { message: string } }).error;
    expect(message).toContain(named);
    expect(message).toContain(`Approved in dry run ${approved}: call 1, bank__refund`);
    expect(received()).toEqual([]);
  });

  test('stops an execution that makes more calls, after the approved ones', async () => {
    const { toolwright, received, approve } = await open();
    const source = `const { lines = [1, 2] } = await callMCPTool('shop__order', {});
      for (const line of lines) await callMCPTool('bank__refund', { line });
      const { id } = await callMCPTool('bank__set_name', {}); await callMCPTool('bank__refund', { id })`;
    const { executionId, dryRun } = await toolwright.execute(source, { dryRun: true });
    expect(dryRun?.calls).toHaveLength(4);
    await toolwright.executions.decide(executionId, { action: 'approve' });
    const result = await toolwright.execute(source, { approved: executionId });
    // The real order has no lines.
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'DRY_RUN_MISMATCH', message: expect.stringMatching(/real results can lead to other calls/) },
    });
    expect(received()).toEqual([]);
    const loop = `let n = 0; while ((await callMCPTool('bank__refund', { n })) === 'done refund' && n < 5) n++;`;
    const approved = await approve(loop);
    const longer = await toolwright.execute(loop, { approved });
    expect(longer).toMatchObject({ error: { message: expect.stringContaining('no call 2') } });
    expect(received()).toEqual(['refund']);
  });

  test('keeps the order of parallel calls', async () => {
    const { toolwright, received, approve } = await open();
    const source = `return (await Promise.all([1, 2, 3].map((amount) => callMCPTool('bank__refund', { amount })))).length`;
    const approved = await approve(source);
    expect(await toolwright.execute(source, { approved })).toMatchObject({ value: 3 });
    expect(received()).toHaveLength(3);
  });

  test('does not approve a call that the policy denied, or denies now', async () => {
    const source = `const codes = [];
      for (const tool of ['bank__refund', 'bank__delete_account']) {
        await callMCPTool(tool, {}).catch(({ code }) => codes.push(code)); }
      return codes;`;
    const deletes = { tools: 'bank__delete_account', action: 'deny' } as const;
    const { dataDir, approve } = await open({ preset: 'careful', rules: [deletes] });
    const [first, second] = [await approve(source), await approve(source)];
    const { toolwright: open2, received } = await open({ preset: 'open' }, { dataDir });
    expect(await open2.execute(source, { approved: first })).toMatchObject({ value: ['POLICY_DENIED'] });
    expect(received()).toEqual(['refund']);
    const { toolwright: strict } = await open({ preset: 'read-only' }, { dataDir });
    expect(await strict.execute(source, { approved: second })).toMatchObject({
      value: ['POLICY_DENIED', 'POLICY_DENIED'],
    });
    expect(received()).toEqual(['refund']);
  });

  test('holds for its program, language, user and session, and until it expires', async () => {
    const { toolwright, dataDir, received, approve, dryRun } = await open();
    await toolwright.sessions.create();
    const approved = await approve(REFUNDS);
    const codeOf = async (source: string, more: Options) =>
      (await failureOf(toolwright.execute(source, { approved, ...more }))).code;
    expect(await codeOf(`${REFUNDS} `, {})).toBe('NOT_APPROVED');
    expect(await codeOf(REFUNDS, { sessionId: 's', createSession: true })).toBe('NOT_APPROVED');
    expect(await codeOf(REFUNDS, { userId: 'eve' })).toBe('UNKNOWN_EXECUTION');
    expect(await codeOf(REFUNDS, { approved: 'x' })).toBe('UNKNOWN_EXECUTION');
    expect(await codeOf(REFUNDS, { dryRun: true })).toBe('CONFIG_INVALID');
    const pending = (await dryRun(REFUNDS)).executionId;
    expect(await codeOf(REFUNDS, { approved: pending })).toBe('NOT_APPROVED');
    const live = (await toolwright.execute('return 1')).executionId;
    expect(await codeOf('return 1', { approved: live })).toBe('NOT_APPROVED');
    const { toolwright: late } = await open(undefined, { dataDir, waits: { graceMs: 0, expireMs: 1 } });
    const expired = await failureOf(late.execute(REFUNDS, { approved }));
    expect([expired.code, expired.message]).toEqual(['NOT_APPROVED', expect.stringContaining('has expired')]);
    expect(received()).toEqual([]);
    expect(await toolwright.execute(REFUNDS, { approved })).toMatchObject({ status: 'completed' });
  });

  test('does not hold for a changed definition of a tool', async () => {
    const dataDir = temporaryFolder();
    let sent = 0;
    const tools = (description: string) => ({ t: { tools: { pay: { description, run: async () => ++sent } } } });
    const { approve } = await open(undefined, { dataDir, tools: tools('Pays') });
    const source = `return callMCPTool('t__pay', { amount: 1 })`;
    const approved = await approve(source);
    const { toolwright } = await open(undefined, { dataDir, tools: tools('Pays twice') });
    expect(await toolwright.execute(source, { approved })).toMatchObject({
      error: { code: 'DRY_RUN_MISMATCH', message: expect.stringContaining('The definition of the tool has changed.') },
    });
    expect(sent).toBe(0);
  });

  test('is decided once, as a whole, and after its end', async () => {
    const { toolwright, dryRun } = await open();
    const { executions } = toolwright;
    const decide = (id: string, request: object) =>
      failureOf(executions.decide(id, { action: 'approve', ...request })).then(({ code }) => code);
    const { executionId } = await dryRun(REFUNDS);
    for (const part of [{ calls: [1] }, { covers: { next: 1 } }, { action: 'result', value: 1 }, { action: 'resend' }])
      expect(await decide(executionId, part)).toBe('CONFIG_INVALID');
    expect(await decide(executionId, { userId: 'eve' })).toBe('UNKNOWN_EXECUTION');
    expect(await executions.decide(executionId, { action: 'deny', note: 'too much' })).toEqual([1, 2]);
    expect(await decide(executionId, {})).toBe('ALREADY_DECIDED');
    const denied = await failureOf(toolwright.execute(REFUNDS, { approved: executionId }));
    expect(denied.message).toContain('it was denied: too much');
    const failed = await dryRun(`await callMCPTool('bank__refund', {}); throw new Error('x')`);
    expect(await decide(failed.executionId, {})).toBe('CONFIG_INVALID');
  });

  test('has the random values of its dry run', async () => {
    const { toolwright, received, approve } = await open();
    const source = `return callMCPTool('bank__refund', { key: crypto.randomUUID(), amount: Math.random() })`;
    const approved = await approve(source);
    expect(await toolwright.execute(source, { approved })).toMatchObject({ status: 'completed' });
    expect(received()).toEqual(['refund']);
  });

  test('is lost with its dry run: a continued execution makes no further call, and can be cancelled', async () => {
    const { toolwright, received, approve } = await open();
    const source = `await utils.sleep(200); return callMCPTool('bank__refund', {})`;
    const { executions } = toolwright;
    const suspended = async () => {
      const approved = await approve(source);
      const waiting = await toolwright.execute(source, { approved });
      await executions.remove(approved);
      await wakeTime(waiting);
      return waiting.executionId;
    };
    expect(await executions.resume(await suspended())).toMatchObject({
      error: { code: 'DRY_RUN_MISMATCH', message: expect.stringContaining('There is no execution') },
    });
    expect((await executions.cancel(await suspended())).status).toBe('cancelled');
    expect(received()).toEqual([]);
  });

  test('holds for an execution that is suspended and continued', async () => {
    const { toolwright, dataDir, received, approve } = await open();
    const source = `await callMCPTool('bank__refund', { n: 1 }); await utils.sleep(300);
      await callMCPTool('bank__refund', { n: 2 }); return 'done'`;
    const approved = await approve(source);
    const waiting = await toolwright.execute(source, { approved });
    expect(waiting).toMatchObject({ status: 'suspended', waitingFor: ['timer'] });
    await wakeTime(waiting);
    const { toolwright: other } = await open(undefined, { dataDir });
    expect(await other.executions.resume(waiting.executionId)).toMatchObject({ status: 'completed', value: 'done' });
    expect(received()).toEqual(['refund', 'refund']);
  });
});
