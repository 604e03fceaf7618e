import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { memoryBus, openSqlite } from '@toolwright/storage/internal';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { memoryDispatcher } from '../../../../test/fixtures/memory-dispatcher.ts';
import { failureOf, until } from '../../../../test/fixtures/server.ts';
import { recordTraces } from '../../../../test/fixtures/traces.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../../core/src/toolwright.ts';
import type { WorkQueue } from '../queue/queue.ts';
import { rowQueue } from '../queue/rows.ts';
import { dispatched } from './dispatched.ts';
import { startReconciler } from './reconciler.ts';
import { runWorker, type WorkerOptions } from './worker/worker.ts';

const stack: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of stack.splice(0).reverse()) await end();
});

interface ClusterSettings extends Partial<Omit<WorkerOptions, 'toolwright'>>, Omit<ToolwrightOptions, 'logger'> {
  readonly leaseMs?: number;
  /** The first renewals of leases that do not reach the queue. */
  readonly missedRenewals?: number;
}

/** Opens a cluster in this process. Without `concurrency`, no worker runs. */
async function openCluster(settings: ClusterSettings = {}) {
  const { concurrency, perUser, leaseMs = 5_000, missedRenewals = 0, ...options } = settings;
  const effects: unknown[] = [];
  const run = async (given: unknown) => effects.push(given);
  const core = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
    check: false,
    tools: { bank: { tools: { pay: { description: 'Pays', inputSchema: { type: 'object' }, run } } } },
    ...options,
  } as ToolwrightOptions);
  const logged: unknown[] = [];
  const log = (fields: unknown) => void logged.push(fields);
  const parts = {
    queue: withMissedRenewals(
      rowQueue({ database: openSqlite(join(temporaryFolder(), 'state.db')), key: randomBytes(32), leaseMs }),
      missedRenewals,
    ),
    dispatcher: memoryDispatcher(),
    bus: memoryBus(),
    logger: { error: log, warn: log },
  };
  const work = (more: Partial<WorkerOptions> = {}) => {
    const worker = runWorker({ toolwright: core, concurrency, perUser, ...parts, ...more });
    stack.push(() => worker[Symbol.asyncDispose]());
    return worker;
  };
  const toolwright = dispatched(core, parts);
  stack.push(() => core.close());
  stack.push(() => startReconciler(parts.queue, parts.dispatcher)[Symbol.dispose]());
  if (concurrency !== undefined) work();
  return { ...parts, core, toolwright, work, effects, logged };
}

function withMissedRenewals(queue: WorkQueue, count: number): WorkQueue {
  let missed = 0;
  return {
    ...queue,
    keep: undefined,
    renew: (worker, ids) =>
      missed++ < count ? Promise.reject(new Error('lost on the way')) : queue.renew(worker, ids),
  };
}

const ID = '7a3d1c52-6f0b-4d0e-9b2a-0c1d2e3f4a5b';
const WAIT = 'await new Promise((resolve) => setTimeout(resolve, 15_000))';

describe('execute', () => {
  it('runs on a worker with the result and the events of a direct execution', async () => {
    const { toolwright, core } = await openCluster({ concurrency: 4 });
    const code = `console.log('one'); progress({ done: 1 }); console.warn('two');
      await callMCPTool('bank__pay', { amount: 1 }); return { text: 'a\\u0000b' };`;
    const events = async (from: Toolwright) => {
      const seen: unknown[] = [];
      const note = (event: unknown) => void seen.push(event);
      const listeners = { onLog: note, onProgress: note, onCall: note, onStart: (id: string) => note(typeof id) };
      const { executionId, stats, calls, ...result } = await from.execute(code, { userId: 'ada', ...listeners });
      return { seen, result, calls: calls.map(({ tool, status }) => [tool, status]), sandbox: stats.sandbox };
    };
    const direct = await events(core);
    expect(direct.seen).toHaveLength(5);
    expect(await events(toolwright)).toEqual(direct);
  });

  it('runs programs that a person waits for before those in the background', async () => {
    const { toolwright, work, queue } = await openCluster();
    const ended: string[] = [];
    const run = (name: string, priority?: 'background') =>
      toolwright.execute('return 1', { userId: 'ada', priority }).then(() => ended.push(name));
    const background = Array.from({ length: 50 }, (_, index) => run(`background ${index}`, 'background'));
    const interactive = run('interactive');
    await until(async () => (await queue.counts()).ready === background.length + 1);
    work({ concurrency: 1 });
    await Promise.all([...background, interactive]);
    expect(ended[0]).toBe('interactive');
    const wrong = toolwright.execute('return 1', { priority: 'first' as never });
    expect(await failureOf(wrong)).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('passes all options that are data, and errors keep their codes', async () => {
    const { toolwright, core } = await openCluster({ concurrency: 4 });
    const wrong: object[] = [
      ...[{ sessionId: 'none' }, { sandbox: 'nowhere' }, { limits: { timeoutMs: -1 } }, { timeoutMS: 1 }],
      ...[{ executionId: 'A' }, { approved: ID }, { dryRun: true, approved: ID }, { language: 'cobol' }],
    ];
    const outcomeOf = (from: Toolwright, options: object) =>
      from.execute('return 1', options).then(
        (result) => [result.status, result.status === 'failed' && result.error],
        ({ code, message }) => [code, message],
      );
    const failures = (from: Toolwright) => Promise.all(wrong.map((options) => outcomeOf(from, options)));
    const expected = await failures(core);
    expect(expected.filter(([code]) => code === 'completed').length).toBeLessThan(2);
    expect(await failures(toolwright)).toEqual(expected);
    const strange = { own: () => 1 } as object;
    expect((await failureOf(toolwright.execute('return 1', strange))).message).toContain('cannot call');
    const session = await core.sessions.create({ userId: 'ada' });
    const more = { userId: 'ada', sessionId: session.id, dryRun: true, tenant: 't', executionId: ID };
    expect(await toolwright.execute('return 6 * 7', more)).toMatchObject({ executionId: ID, value: 42, dryRun: {} });
    expect((await failureOf(toolwright.execute('return 1', { executionId: ID }))).message).toContain(
      'another execution',
    );
  });

  it('starts nothing when `beforeCall` throws or the signal is aborted', async () => {
    const { toolwright, queue } = await openCluster();
    const beforeCall = () => {
      throw new Error('not now');
    };
    await expect(toolwright.execute('return 1', { beforeCall })).rejects.toThrow('not now');
    expect((await failureOf(toolwright.execute('return 1', { signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
    expect(await queue.counts()).toMatchObject({ ready: 0, running: 0 });
  });

  it('is acknowledged, readable and cancellable before a worker has begun it', async () => {
    const { toolwright, work, effects } = await openCluster();
    const cancel = new AbortController();
    const started = new Promise<string>((resolve) => {
      const options = { userId: 'ada', signal: cancel.signal, onStart: resolve };
      void toolwright.execute(`return callMCPTool('bank__pay', {})`, options).catch(({ code }) => void ends.push(code));
    });
    const ends: string[] = [];
    const id = await started;
    const { executions } = toolwright;
    expect(await executions.get(id, 'ada')).toMatchObject({ id, status: 'running', language: 'typescript' });
    expect([await executions.calls(id, 'ada'), await executions.questions(id, 'ada')]).toEqual([[], []]);
    expect((await failureOf(executions.get(id, 'bob'))).code).toBe('UNKNOWN_EXECUTION');
    expect((await failureOf(executions.cancel(id, 'bob'))).code).toBe('UNKNOWN_EXECUTION');
    cancel.abort();
    await until(() => ends.length > 0, 5_000);
    expect(ends).toEqual(['CANCELLED']);
    expect(await executions.get(id, 'ada')).toMatchObject({ status: 'cancelled', result: { limit: 'cancelled' } });
    expect((await failureOf(executions.cancel(id, 'ada'))).code).toBe('UNKNOWN_EXECUTION');
    work();
    await sleep(100);
    expect(effects).toEqual([]);
    await executions.remove(id, 'ada');
    expect((await failureOf(executions.get(id, 'ada'))).code).toBe('UNKNOWN_EXECUTION');
  });

  it('is cancelled on its worker by the signal of its caller, and by its id', async () => {
    const { toolwright } = await openCluster({ concurrency: 2 });
    for (const way of ['signal', 'id']) {
      const cancel = new AbortController();
      let id = '';
      const note = (started: string) => {
        id = started;
      };
      const running = toolwright.execute(WAIT, { signal: cancel.signal, onStart: (started) => note(started) });
      await until(async () => id !== '' && (await toolwright.executions.get(id)).sandbox === 'quickjs', 5_000);
      if (way === 'signal') cancel.abort();
      else await toolwright.executions.cancel(id);
      expect(await running).toMatchObject({ status: 'stopped', limit: 'cancelled' });
    }
  });

  it('shares the workers fairly, and keeps the limit of a user over all workers', async () => {
    let running = 0;
    let most = 0;
    const run = async () => {
      most = Math.max(most, ++running);
      // The first call waits for a second one: on a busy machine the workers start late.
      await until(() => most > 1, 10_000);
      await sleep(30);
      running--;
    };
    const tools = { slow: { tools: { work: { description: 'Works', inputSchema: { type: 'object' }, run } } } };
    const { toolwright, work } = await openCluster({ concurrency: 4, perUser: 3, tools });
    work();
    const code = `return callMCPTool('slow__work', {})`;
    const flood = Array.from({ length: 20 }, () => toolwright.execute(code, { userId: 'flood' }));
    await Promise.all(flood);
    expect([most > 1, most <= 3]).toEqual([true, true]);
  });

  it('keeps spans of the caller and of the worker in one trace', async () => {
    const { toolwright } = await openCluster({ concurrency: 2 });
    const traces = recordTraces();
    stack.push(() => traces.stop());
    await toolwright.execute('return 1');
    const named = (name: string) => traces.spans().find((span) => span.name === name);
    const [dispatch, work, run] = ['dispatch execute', 'work execute', 'run typescript'].map(named);
    expect([dispatch?.kind, work?.kind]).toEqual([SpanKind.PRODUCER, SpanKind.CONSUMER]);
    expect(work?.parentSpanContext?.spanId).toBe(dispatch?.spanContext().spanId);
    expect(run?.spanContext().traceId).toBe(dispatch?.spanContext().traceId);
  });
});

describe('waiting', () => {
  const careful = { policy: { preset: 'careful' }, concurrency: 2 } as const;

  it('asks the caller, who decides', async () => {
    const { toolwright, effects } = await openCluster(careful);
    const asked: unknown[] = [];
    const result = await toolwright.execute(`return callMCPTool('bank__pay', { amount: 5 })`, {
      userId: 'ada',
      onApproval: ({ executionId, kind, tool, realArguments }) => {
        asked.push([executionId.length, kind, tool, realArguments]);
        return { action: 'approve', by: 'ada' };
      },
    });
    expect(result.status).toBe('completed');
    expect([asked, effects]).toEqual([[[36, 'approval', 'bank__pay', { amount: 5 }]], [{ amount: 5 }]]);
  });

  it('is suspended without a place, goes on after a decision, and can be followed by `resume`', async () => {
    const { toolwright, queue, effects } = await openCluster({ ...careful, waits: { graceMs: 0 } });
    const { executions } = toolwright;
    const code = `return callMCPTool('bank__pay', { amount: 5 })`;
    const result = await toolwright.execute(code, { userId: 'ada' });
    const id = result.executionId;
    expect([result.status, await queue.counts()]).toMatchObject(['suspended', { running: 0, waiting: 1 }]);
    // Without a decision it waits again.
    expect(await executions.resume(id, { userId: 'ada' })).toMatchObject({ status: 'suspended' });
    expect((await failureOf(executions.resume(id, { userId: 'bob' }))).code).toBe('UNKNOWN_EXECUTION');
    await executions.decide(id, { action: 'approve', userId: 'ada' });
    await until(async () => (await executions.get(id, 'ada')).status === 'completed', 10_000);
    expect(effects).toEqual([{ amount: 5 }]);
    await until(async () => (await queue.counts()).waiting === 0, 5_000);
    expect((await failureOf(executions.resume(id, { userId: 'ada' }))).code).toBe('EXECUTION_ENDED');
  });

  it('cancels a suspended execution on a worker', async () => {
    const { toolwright, effects } = await openCluster({ ...careful, waits: { graceMs: 0 } });
    const { executionId: id } = await toolwright.execute(`return callMCPTool('bank__pay', {})`);
    expect((await toolwright.executions.cancel(id)).status).toBe('cancelled');
    expect(effects).toEqual([]);
  });

  it('goes on at its time', async () => {
    const { toolwright } = await openCluster({ concurrency: 2, waits: { graceMs: 0 } });
    const { executionId: id, status } = await toolwright.execute(`await sleep(1_500); return 'late'`);
    expect(status).toBe('suspended');
    await until(async () => (await toolwright.executions.get(id)).status === 'completed', 10_000);
  });
});

describe('other programs', () => {
  it('forks, replays and saves executions on workers', async () => {
    const { toolwright } = await openCluster({ concurrency: 2 });
    const { executions } = toolwright;
    const result = await toolwright.execute(`const n = await callMCPTool('bank__pay', {}); return n + 1`);
    const fork = await executions.fork(result.executionId, { at: 1, answer: 41, executionId: ID });
    expect(fork).toMatchObject({ executionId: ID, value: 42 });
    expect(await executions.replay(result.executionId)).toBeTypeOf('object');
    const code = (await failureOf(toolwright.skills().saveExecution(ID, { name: 'x', description: '' }))).code;
    expect(code).toBe('SKILL_INVALID');
    expect((await toolwright.health()).problems).toEqual([]);
    expect((await toolwright.sandbox()).name).toBe('workers');
  });
});

describe('a worker', () => {
  it('repeats no effect and loses no result when its claim is lost while the program runs', async () => {
    const { toolwright, effects, queue } = await openCluster({ concurrency: 2, leaseMs: 1_500, missedRenewals: 2 });
    const events: string[] = [];
    const code = `console.log('one'); await callMCPTool('bank__pay', {});
      await new Promise((resolve) => setTimeout(resolve, 3_500)); await callMCPTool('bank__pay', {}); return 'end'`;
    const result = await toolwright.execute(code, { onLog: ({ text }) => void events.push(text) });
    expect(result).toMatchObject({ status: 'completed', value: 'end' });
    expect([effects.length, events]).toEqual([2, ['one']]);
    const again = { kind: 'execution', user: 'local', request: {} } as const;
    expect(await queue.submit({ ...again, id: result.executionId })).toBe(false);
    expect((await queue.reopen(result.executionId, 'local', {})) === 'ended').toBe(true);
    const [claimed] = await queue.claim({ worker: ID, kinds: ['execution'], most: 1, perUser: 1 });
    // Two workers had it before.
    expect(claimed?.fence).toBeGreaterThan(2);
  });

  it('returns the result of its journal when a crash of the database has forgotten the claim of its run', async () => {
    const { toolwright, core, effects } = await openCluster({ concurrency: 4 });
    const code = `return callMCPTool('bank__pay', { amount: 1 })`;
    const { status } = await core.execute(code, { executionId: ID });
    expect(await toolwright.execute(code, { executionId: ID })).toMatchObject({ status, executionId: ID, value: 1 });
    expect(effects).toHaveLength(1);
  });

  it('hands its executions over: another worker continues them at once', async () => {
    const dataDir = temporaryFolder();
    const { toolwright, core, work, effects, queue } = await openCluster({ dataDir });
    const first = work({ concurrency: 4 });
    const events: string[] = [];
    const code = `console.log('one'); await callMCPTool('bank__pay', { n: 1 }); for (let i = 0; i < 40; i++) await new Promise((r) => setTimeout(r, 50)); await callMCPTool('bank__pay', { n: 2 }); return 'end'`;
    const running = toolwright.execute(code, { onLog: ({ text }) => void events.push(text) });
    await until(() => effects.length === 1, 5_000);
    await sleep(200);
    const tools = {
      bank: {
        tools: {
          pay: { description: 'Pays', inputSchema: { type: 'object' }, run: async (n: unknown) => effects.push(n) },
        },
      },
    };
    const next = await createToolwright({ dataDir, sandbox: 'quickjs', check: false, tools });
    stack.push(() => next.close());
    work({ toolwright: next, concurrency: 4 });
    await first.stop();
    const handedOver = performance.now();
    await core.close({ handOver: true });
    await first.idle();
    expect(await running).toMatchObject({ status: 'completed', value: 'end' });
    expect(performance.now() - handedOver).toBeLessThan(8_000);
    expect([effects, events]).toEqual([[{ n: 1 }, { n: 2 }], ['one']]);
    expect(await queue.counts()).toMatchObject({ running: 0, ready: 0 });
  });

  it('fails work that loses its workers again and again', async () => {
    const { toolwright, queue, work } = await openCluster();
    const failing = failureOf(toolwright.execute('return 1'));
    for (let lost = 0; lost < 8; ) {
      const [claimed] = await queue.claim({ worker: ID, kinds: ['execution'], most: 1, perUser: 9 });
      if (claimed && (await queue.release(claimed, { isLost: true }))) lost++;
      await sleep(5);
    }
    work({ concurrency: 1 });
    expect(await failing).toMatchObject({ code: 'NOT_SUPPORTED', message: expect.stringContaining('8 times') });
  });
});
