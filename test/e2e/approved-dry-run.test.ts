import { describe, expect, test } from 'vitest';
import type { ExecutionResult } from '../../packages/core/src/history/result.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { type Options, openBank as open } from '../fixtures/dry-runs.ts';
import { failureOf, until } from '../fixtures/server.ts';

/** Waits for the time at which a suspended execution goes on. */
async function wakeTime(waiting: ExecutionResult): Promise<void> {
  expect(waiting).toMatchObject({ status: 'suspended', waitingFor: ['timer'] });
  const { wakeAt } = waiting as Extract<ExecutionResult, { status: 'suspended' }>;
  await until(() => Date.now() > Date.parse(wakeAt));
}

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
    [
      'other arguments in a call',
      `await callMCPTool('bank__refund', { amount: late ? 2 : 1 })`,
      'bank__refund {"amount":2}',
    ],
    [
      'calls in another order',
      `const both = ['a', 'b']; if (late) both.reverse(); for (const to of both) await callMCPTool('bank__refund', { to })`,
      'bank__refund {"to":"b"}',
    ],
    [
      'a call of a read-only tool',
      `if (late) await callMCPTool('bank__get_balance', {}); await callMCPTool('bank__refund', {})`,
      'bank__get_balance {}',
    ],
  ])('stops an execution with %s', async (_name, program, named) => {
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
    const source = `await utils.sleep(2_000); return callMCPTool('bank__refund', {})`;
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
    const source = `await callMCPTool('bank__refund', { n: 1 }); await utils.sleep(2_000);
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
