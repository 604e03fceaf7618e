import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBank as open } from '../fixtures/dry-runs.ts';
import { needsPlainPython, plainPythonSandbox } from '../fixtures/plain-python.ts';
import { failureOf } from '../fixtures/server.ts';

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
      result: { dryRun: JSON.parse(JSON.stringify(result.dryRun)) },
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
