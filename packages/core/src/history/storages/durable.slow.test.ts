import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { bankTools, readingTool } from '../../../../../test/fixtures/bank-tools.ts';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../../test/fixtures/postgres.ts';
import { failureOf, until } from '../../../../../test/fixtures/server.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../toolwright.ts';
import type { ExecutionResult } from '../result.ts';

/** The effects of the tools, counted at the tools. */
let effects: string[] = [];
let opened: Toolwright[] = [];
let endHanging = () => {};
// The processes of a cluster have one master key.
beforeAll(() => void vi.stubEnv('TOOLWRIGHT_MASTER_KEY', randomBytes(32).toString('hex')));
afterAll(() => void vi.unstubAllEnvs());
afterEach(async () => {
  endHanging();
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  [effects, opened] = [[], []];
});

const hang = () =>
  new Promise((resolve) => {
    endHanging = () => resolve(null);
  });
const TOOLS = {
  bank: { tools: { ...bankTools((payment) => effects.push(payment)), hang: readingTool('Waits', hang) } },
};

const PAY = `
const { amount } = await callMCPTool('bank__balance', {});
console.log('pays', amount);
const paid = await callMCPTool('bank__pay', { to: 'ann', amount });
return { amount, paid, random: Math.random() };`;

let postgres: TestPostgres | undefined;

/** Opens processes that share their executions: through one data folder, or through a database and one key. */
type Start = (options?: ToolwrightOptions) => Promise<Toolwright>;
const cluster: Record<'files' | 'postgres', () => Promise<Start>> = {
  async files() {
    const dataDir = temporaryFolder();
    return (options = {}) => open({ dataDir, store: 'memory', ...options });
  },
  async postgres() {
    const url = await postgres?.create();
    return (options = {}) => open({ dataDir: temporaryFolder(), store: String(url), ...options });
  },
};

async function open(options: ToolwrightOptions): Promise<Toolwright> {
  const common = { sandbox: 'quickjs', tools: TOOLS, policy: { preset: 'careful' }, check: false, pin: 'off' };
  const toolwright = await createToolwright({ ...common, waits: { graceMs: 0 }, ...options } as ToolwrightOptions);
  opened.push(toolwright);
  return toolwright;
}

function suspended(result: ExecutionResult): Extract<ExecutionResult, { status: 'suspended' }> {
  expect(result).toMatchObject({ status: 'suspended' });
  return result as Extract<ExecutionResult, { status: 'suspended' }>;
}

function tests(join: (typeof cluster)['files']) {
  it('waits without a sandbox, and goes on in another process after the decision in a third one', async () => {
    const start = await join();
    const first = await start();
    const { executionId: id, pending } = suspended(await first.execute(PAY, { userId: 'ada' }));
    expect([pending.map(({ call }) => call), effects]).toEqual([[2], []]);
    await first.close();

    const [second, third] = [await start(), await start()];
    expect(await second.executions.get(id, 'ada')).toMatchObject({ status: 'suspended', waitingFor: ['approval'] });
    const { executions: open } = await second.executions.find({ userId: 'ada', hasQuestions: true });
    expect(open).toMatchObject([{ id, status: 'suspended', openQuestions: 1 }]);
    expect(await second.executions.questions(id, 'ada')).toMatchObject([{ call: 2, tool: 'bank__pay' }]);
    expect(await second.executions.decide(id, { action: 'approve', by: 'bob', userId: 'ada' })).toEqual([2]);
    const late = await failureOf(third.executions.decide(id, { action: 'deny', userId: 'ada' }));
    expect(late.code).toBe('ALREADY_DECIDED');
    const result = await third.executions.resume(id, { userId: 'ada' });
    expect(result).toMatchObject({ status: 'completed', value: { paid: { paid: 7 } }, logs: [{ text: 'pays 7' }] });
    expect(effects).toEqual(['ann 7']);
    expect((await failureOf(second.executions.resume(id, { userId: 'ada' }))).code).toBe('EXECUTION_ENDED');

    expect(await second.executions.replay(id, 'ada')).toMatchObject({ status: 'identical' });
    expect(await second.executions.calls(id, 'ada')).toMatchObject([{ outcome: 'answered' }, { outcome: 'answered' }]);
    const { entries } = await second.executions.journal(id, 'ada', { kinds: ['suspend', 'resume', 'decision'] });
    expect(entries.map(({ entry }) => entry)).toEqual(['suspend', 'resume', 'decision']);
    const fork = await second.executions.fork(id, { at: 2, userId: 'ada', code: `${PAY}\n// other` });
    expect([fork.status, Object(fork).value.random]).toEqual(['completed', Object(result).value.random]);
    expect(effects).toEqual(['ann 7']);
    expect(await second.executions.diff(id, fork.executionId, 'ada')).toMatchObject({ calls: [] });
    const { executions } = await third.executions.list({ userId: 'ada' });
    expect(executions.map(({ id: each, status }) => [each, status])).toEqual([
      [fork.executionId, 'completed'],
      [id, 'completed'],
    ]);
    // Another process writes the row a moment later.
    const query = { userId: 'ada', text: 'other', tool: 'bank__pay', total: true, status: 'completed' } as const;
    await until(async () => (await third.executions.find(query)).total === 1, 20_000);
    expect((await third.executions.find(query)).executions).toMatchObject([{ id: fork.executionId, toolCalls: 2 }]);
    await third.executions.remove(id, 'ada');
    expect((await failureOf(second.executions.get(id, 'ada'))).code).toBe('UNKNOWN_EXECUTION');
    expect((await second.executions.list({ userId: 'ada' })).executions).toHaveLength(1);
  });

  it('receives a decision and a request to cancel from another process while it runs', async () => {
    const start = await join();
    const first = await start({ waits: { graceMs: 60_000 } });
    const second = await start();
    let id = '';
    const onApproval = ({ executionId }: { executionId: string }) => {
      id = executionId;
      return undefined;
    };
    const running = first.execute(PAY, { onApproval });
    await until(() => id !== '', 20_000);
    expect(await second.executions.get(id)).toMatchObject({ status: 'running' });
    await second.executions.decide(id, { action: 'approve' });
    expect(await running).toMatchObject({ status: 'completed' });
    expect(effects).toEqual(['ann 7']);

    const hanging = first.execute(`return callMCPTool('bank__hang', {})`, {
      onStart: (started) => {
        id = started;
      },
    });
    await until(async () => (await second.executions.calls(id).catch(() => [])).length === 1, 20_000);
    await second.executions.cancel(id);
    expect(await hanging).toMatchObject({ status: 'stopped', limit: 'cancelled' });
    expect(await second.executions.get(id)).toMatchObject({ status: 'cancelled' });
  });

  it('is followed from another process, once and in order, also after a position', async () => {
    const start = await join();
    const [first, second, third] = [await start(), await start(), await start()];
    // Opens its index, as a server does.
    await first.executions.find();
    const ending = new AbortController();
    const { signal } = ending;
    const seen: string[] = [];
    let position = 0;
    const follow = async () => {
      for await (const batch of second.executions.follow({ userId: 'eve', signal })) {
        position = batch.number;
        for (const { id, status } of batch.executions) seen.push(`${id} ${status}`);
      }
    };
    const changed: string[] = [];
    const numbers: number[] = [];
    const changes = async () => {
      for await (const { number, execution } of second.executions.changes({ userId: 'eve', signal })) {
        changed.push(`${execution.id} ${execution.status}`);
        numbers.push(number);
      }
    };
    const following = [follow(), changes()];
    await sleep(500);
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) {
      const { executionId } = await first.execute(`return ${number}`, { userId: 'eve' });
      ids.push(executionId);
    }
    await first.execute('return 1', { userId: 'other' });
    const expected = ids.map((id) => `${id} completed`);
    // A row that is written again has the same status again.
    const ends = (all: string[]) => [...new Set(all.filter((text) => text.endsWith('completed')))];
    await until(() => ends(seen).length >= 5 && ends(changed).length >= 5, 20_000);
    expect([ends(seen), ends(changed)]).toEqual([expected, expected]);
    // Another process goes on at the position of the first three ends.
    const middle = numbers[changed.indexOf(expected[2] ?? '')];
    const rest: string[] = [];
    const more = async () => {
      for await (const { execution } of third.executions.changes({ userId: 'eve', after: middle, signal }))
        rest.push(`${execution.id} ${execution.status}`);
    };
    const batches: string[] = [];
    const later = async () => {
      for await (const batch of third.executions.follow({ userId: 'eve', after: position, signal }))
        for (const { id, status } of batch.executions) batches.push(`${id} ${status}`);
    };
    following.push(more(), later());
    await sleep(500);
    const { executionId: last } = await first.execute('return 6', { userId: 'eve' });
    await until(() => rest.includes(`${last} completed`) && batches.includes(`${last} completed`), 20_000);
    // A row from before the position may be written again after it.
    const after = (all: string[], known: string[]) => ends(all).filter((text) => !known.includes(text));
    expect(after(rest, expected.slice(0, 3))).toEqual([...expected.slice(3), `${last} completed`]);
    expect(after(batches, expected)).toEqual([`${last} completed`]);
    ending.abort();
    await Promise.all(following);
  });

  it('is continued by one of several servers, after a decision and at its time', async () => {
    const start = await join();
    const first = await start();
    const decided = suspended(await first.execute(PAY));
    const timed = suspended(
      await first.execute(`await utils.sleep(1500); return callMCPTool('bank__balance', {})`, { userId: 'ada' }),
    );
    await first.close();
    const servers = await Promise.all([start(), start(), start()]);
    const continuing = servers.map(({ executions }) => executions.continueExecutions());
    await servers[2]?.executions.decide(decided.executionId, { action: 'approve' });
    const [server] = servers;
    await until(async () => (await server?.executions.get(decided.executionId))?.status === 'completed', 30_000);
    await until(async () => (await server?.executions.get(timed.executionId, 'ada'))?.status === 'completed', 30_000);
    for (const each of continuing) each[Symbol.dispose]();
    expect(effects).toEqual(['ann 7']);
    const { entries } = (await server?.executions.journal(decided.executionId)) ?? { entries: [] };
    expect(entries.filter(({ entry }) => entry === 'call')).toHaveLength(2);
  });

  it('uses the approval of a dry run once, in any process', async () => {
    const start = await join();
    const [first, second] = [await start(), await start()];
    const code = `return callMCPTool('bank__pay', { to: 'ann', amount: 1 })`;
    const { executionId: id } = await first.execute(code, { dryRun: true });
    expect(await second.executions.decide(id, { action: 'approve', by: 'bob' })).toEqual([1]);
    expect(await first.executions.get(id)).toMatchObject({
      isDryRun: true,
      decision: { action: 'approve', by: 'bob' },
    });
    const runs = await Promise.allSettled(
      [first, second].map((toolwright) => toolwright.execute(code, { approved: id })),
    );
    expect(runs.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(effects).toEqual(['ann 1']);
  });
}

describe('executions in files', () => tests(cluster.files));

needsPostgres.describe('executions in PostgreSQL', () => {
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());
  tests(cluster.postgres);
});
