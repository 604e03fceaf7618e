import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, journalKey, memoryBus, openPostgres } from '@toolwright/storage/internal';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { memoryDispatcher } from '../../../../test/fixtures/memory-dispatcher.ts';
import { partial } from '../../../../test/fixtures/partial.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../test/fixtures/postgres.ts';
import { until } from '../../../../test/fixtures/server.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../../core/src/toolwright.ts';
import { shownResponse } from '../agent/loop/tool-response.ts';
import { interruptedText } from '../agent/running/interrupted.ts';
import { rowQueue } from '../queue/rows.ts';
import { dispatched } from './dispatched.ts';
import { startReconciler } from './reconciler.ts';
import { runWorker } from './worker/worker.ts';

const stack: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of stack.splice(0).reverse()) await end();
});

/** Opens processes of a cluster, each with a data folder of its own. */
async function openProcesses(store: string) {
  const first = temporaryFolder();
  const effects: unknown[] = [];
  const run = async (given: unknown) => effects.push(given);
  const open = async (dataDir = temporaryFolder()): Promise<Toolwright> => {
    if (dataDir !== first) copyFileSync(join(first, 'master.key'), join(dataDir, 'master.key'));
    const toolwright = await createToolwright({
      dataDir,
      store,
      sandbox: 'quickjs',
      check: false,
      pin: 'off',
      waits: { graceMs: 0 },
      policy: { preset: 'careful' },
      tools: { bank: { tools: { pay: { description: 'Pays', inputSchema: { type: 'object' }, run } } } },
    } as ToolwrightOptions);
    stack.push(() => toolwright.close());
    return toolwright;
  };
  const worker = await open(first);
  const api = await open();
  const logger = { error: () => undefined, warn: () => undefined };
  const parts = { dispatcher: memoryDispatcher(), bus: memoryBus(), logger };
  const queue = rowQueue({ database: openPostgres({ url: store }), key: journalKey(dataFolder(first).journalKey) });
  stack.push(() => queue[Symbol.asyncDispose]());
  return {
    worker,
    api,
    queue,
    effects,
    toolwright: dispatched(api, { ...parts, queue }),
    work() {
      const running = runWorker({ ...parts, queue, toolwright: worker, concurrency: 4 });
      stack.push(() => running[Symbol.asyncDispose]());
      const reconciling = startReconciler(queue, parts.dispatcher);
      stack.push(() => reconciling[Symbol.dispose]());
    },
  };
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const PAYS = `await callMCPTool('bank__pay', { to: 'ann' }); return 'paid'`;

needsPostgres.describe('processes with different data folders', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('show images, large results and the calls of executions that others ran', async () => {
    const { toolwright, api, worker, work } = await openProcesses(await postgres.create());
    work();
    const owner = { userId: 'ada' };
    const shows = `await show({ type: 'image', mimeType: 'image/png', data: '${PIXEL}' }); return 1`;
    for (const session of [{}, { sessionId: 'pictures', createSession: true }]) {
      const result = await toolwright.execute(shows, { ...owner, ...session });
      const elsewhere = (result.media ?? []).map((file) => ({
        ...file,
        hostPath: join(temporaryFolder(), 'none.png'),
      }));
      expect(elsewhere).toHaveLength(1);
      const shown = { ...result, media: elsewhere };
      const source = { executions: api.executions, userId: 'ada' };
      expect(await shownResponse(shown, source)).toMatchObject({ media: [{ type: 'image', data: PIXEL }] });
      const stranger = {
        executions: partial<Toolwright['executions']>({ file: async () => undefined }),
        userId: 'ada',
      };
      expect((await shownResponse(shown, stranger)).media).toBeUndefined();
    }
    const large = await toolwright.execute('return "v".repeat(50_000)', owner);
    const { executionId: id } = large;
    expect((await api.executions.file(id, `/workspace/results/${id}.json`, 'ada'))?.length).toBe(50_002);

    const calls = await worker.execute('for (let n = 0; n < 52; n++) await search_tools("pay"); return 1', owner);
    const started = new Map([['call', calls.executionId]]);
    const state = { started, record: { userId: 'ada' } } as unknown as Parameters<typeof interruptedText>[1];
    const text = await interruptedText({ id: 'call' } as never, state, api.executions);
    expect(text).toContain('This ran to its end (completed), then the process ended.');
  });

  it('let work go on at once after a decision that no process of the cluster makes', async () => {
    const { toolwright, api, queue, effects, work } = await openProcesses(await postgres.create());
    work();
    const waits = await toolwright.execute(PAYS, { userId: 'ada' });
    expect(waits.status).toBe('suspended');
    const { executionId: id } = waits;
    await until(async () => (await queue.outcomes([id]))[0]?.state === 'waiting');
    await api.executions.decide(id, { userId: 'ada', action: 'approve' });
    // The decision itself has woken the work: it waits no longer.
    expect((await queue.outcomes([id]))[0]?.state).not.toBe('waiting');
    await until(async () => (await api.executions.get(id, 'ada')).status === 'completed', 20_000);
    expect(effects).toEqual([{ to: 'ann' }]);
  });

  it('continue executions from before the cluster, at their time and after a decision', async () => {
    const store = await postgres.create();
    const { api, queue, effects, work } = await openProcesses(store);
    const decided = await api.execute(PAYS, { userId: 'ada ☃', sessionId: 's', createSession: true });
    const later = await api.execute(PAYS, { userId: 'bob' });
    const timer = await api.execute('await sleep(60_000); return "late"', { userId: 'bob' });
    expect([decided, later, timer].map(({ status }) => status)).toEqual(['suspended', 'suspended', 'suspended']);
    expect((await queue.reconcile('7a3d1c52-6f0b-4d0e-9b2a-0c1d2e3f4a5b', 10))?.unqueued).toEqual([]);
    await api.executions.decide(decided.executionId, { userId: 'ada ☃', action: 'approve' });
    postgres.sql(
      store,
      `update toolwright.executions set wake_at = clock_timestamp() where id = '${later.executionId}'`,
    );
    const { unqueued = [] } = (await queue.reconcile('7a3d1c52-6f0b-4d0e-9b2a-0c1d2e3f4a5b', 10)) ?? {};
    expect([...unqueued].sort((a, b) => (a.user < b.user ? -1 : 1))).toEqual([
      { id: decided.executionId, user: 'ada ☃', session: 's' },
      { id: later.executionId, user: 'bob' },
    ]);
    postgres.sql(store, 'delete from toolwright.leaders');
    work();
    await until(async () => (await api.executions.get(decided.executionId, 'ada ☃')).status === 'completed', 20_000);
    expect(effects).toEqual([{ to: 'ann' }]);
    // The question of the other one is still open: it waits again, and is not continued again and again.
    await until(async () => (await queue.outcomes([later.executionId]))[0]?.state === 'waiting', 20_000);
  });
});
