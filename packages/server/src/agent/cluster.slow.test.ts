import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../test/fixtures/postgres.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { type DeskOptions, eventsOf, follow, orderTool, taskDesks } from '../../../../test/fixtures/tasks.ts';
import { ToolwrightError } from '../../../core/src/errors.ts';
import { memoryBus } from '../../../storage/src/buses/memory.ts';
import type { Model } from '../models/model.ts';
import { type ScriptedStep, scriptedModel } from '../models/scripted.ts';
import type { Task, TaskEvent } from './task.ts';

const openDesk = taskDesks();

/** The events of the status of a task that goes on after one interruption. */
const INTERRUPTED_ONCE = ['queued', 'running', 'interrupted', 'queued', 'running', 'end'];

/** A model whose programs and answers take a while. */
const SLOW: readonly ScriptedStep[] = [
  {
    text: 'I order two things.',
    code: 'for (const item of ["tea", "milk"]) await callMCPTool("desk__order", { item }); return 1',
  },
  { text: 'one two three four five six' },
];

needsPostgres.describe('tasks in PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  /** Opens the processes of a cluster. Submitted tasks wait in `queue` for a worker. */
  async function openCluster({ isDispatched = true, hasBus = true } = {}) {
    const [store, dataDir, shared] = [await postgres.create(), temporaryFolder(), memoryBus()];
    const queue: string[] = [];
    const submit = async (id: string, { userId }: { readonly userId: string }) => {
      if (userId === 'refused') throw new Error('the queue is full');
      queue.push(id);
    };
    const open = (model: Model | readonly ScriptedStep[], options: DeskOptions = {}) =>
      openDesk(model, {
        store,
        dataDir,
        bus: hasBus ? shared : memoryBus(),
        ...(isDispatched ? { submit } : {}),
        ...options,
      });
    return { open, queue, store };
  }

  /** Follows a task with one process after another: each ends after some events. */
  async function hop(desks: readonly { readonly tasks: Parameters<typeof eventsOf>[0] }[], id: string) {
    const seen: TaskEvent[] = [];
    for (let turn = 0; seen.at(-1)?.type !== 'end'; turn++) {
      const { tasks } = desks[turn % desks.length] ?? desks[0] ?? {};
      if (!tasks) throw new Error('no process');
      let left = 2;
      for await (const event of tasks.events(id, { after: seen.at(-1)?.number ?? 0 })) {
        seen.push(event);
        if (--left === 0) break;
      }
    }
    return seen;
  }

  const numbers = (events: readonly TaskEvent[]) => events.map(({ number }) => number);
  const statuses = (events: readonly TaskEvent[]) =>
    events.flatMap((event) => (event.type === 'status' ? [event.status] : event.type === 'end' ? ['end'] : []));

  it.for([true, false])('run on one process, and are followed on all (shared bus: %s)', async (hasBus) => {
    const { taken, tool } = orderTool();
    const { open, queue } = await openCluster({ hasBus });
    const api = await open([{ text: 'unused' }]);
    const worker = await open(SLOW, { tools: { order: tool } });
    const started = await api.tasks.start({ task: 'Order.' });
    expect([started.status, queue, (await worker.tasks.get(started.id)).status]).toEqual([
      'queued',
      [started.id],
      'queued',
    ]);
    expect((await api.tasks.waiting()).map(({ id }) => id)).toEqual([started.id]);
    const following = [eventsOf(api.tasks, started), eventsOf(worker.tasks, started), hop([api, worker], started.id)];
    const ended = api.tasks.ended(started.id);
    const task = await worker.tasks.run(started.id);
    expect([task.status, task.answer, taken]).toEqual(['completed', 'one two three four five six', ['tea', 'milk']]);
    const [near, far, hopped] = await Promise.all(following);
    expect(numbers(near ?? [])).toEqual(numbers(near ?? []).map((_, index) => index + 1));
    expect([far, hopped]).toEqual([near, near]);
    expect(statuses(near ?? [])).toEqual(['queued', 'running', 'end']);
    const text = near?.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
    expect(text).toBe('I order two things.one two three four five six');
    expect(await ended).toEqual(task);
    expect([await api.tasks.list(), await worker.tasks.waiting()]).toEqual([[task], []]);
    expect([await worker.tasks.run(task.id), await api.tasks.cancel(task.id), await api.tasks.resume(task.id)]).toEqual(
      [task, task, task],
    );
  });

  it('show streamed text to other processes before the answer ends', async () => {
    const { open } = await openCluster();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const words = ['a ', 'b ', 'c ', 'd '];
    const streaming: Model = {
      name: 'scripted/stream',
      async answer({ onText }) {
        for (const word of words) onText?.(word);
        await held;
        return { message: { role: 'assistant', text: words.join(''), calls: [] }, end: 'stop' };
      },
    };
    const [api, worker] = [await open(streaming), await open(streaming)];
    const { id } = await api.tasks.start({ task: 'x' });
    const running = worker.tasks.run(id);
    let text = '';
    for await (const event of api.tasks.events(id)) {
      if (event.type === 'text-delta') text += event.text;
      if (text === 'a b c d ') break;
    }
    release();
    expect((await running).answer).toBe('a b c d ');
  });

  it('are cancelled by another process, also while they wait', async () => {
    const { open, queue } = await openCluster({ hasBus: false });
    const program = [{ code: 'await new Promise((resolve) => setTimeout(resolve, 19_000))' }];
    const [api, worker] = [await open(program), await open(program)];
    const [runs, waits] = [await api.tasks.start({ task: 'runs' }), await api.tasks.start({ task: 'waits' })];
    const running = worker.tasks.run(runs.id);
    for await (const event of api.tasks.events(runs.id)) if (event.type === 'code') break;
    expect(await api.tasks.cancel(runs.id)).toMatchObject({ status: 'cancelled', executions: [{ status: 'stopped' }] });
    expect((await running).status).toBe('cancelled');
    expect((await api.tasks.cancel(waits.id)).status).toBe('cancelled');
    expect(queue).toEqual([runs.id, waits.id]);
    expect(await worker.tasks.run(waits.id)).toMatchObject({ id: waits.id, status: 'cancelled', executions: [] });
  });

  it('are cancelled although the process that asked and the one that ran them are dead', async () => {
    const { open, store } = await openCluster();
    const [api, worker] = [await open([{ text: 'unused' }]), await open([{ text: 'unused' }])];
    const { id } = await api.tasks.start({ task: 'x' });
    postgres.sql(store, `update toolwright.tasks set cancel_requested = true where id = '${id}'`);
    expect(await worker.tasks.run(id)).toMatchObject({ id, status: 'cancelled', executions: [] });
  });

  it('are handed over when their process ends, and refused while it runs', async () => {
    const { open } = await openCluster();
    const { taken, tool } = orderTool();
    const slow = { run: () => new Promise<never>(() => undefined) };
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'done' }
        : { code: 'await callMCPTool("desk__order", { item: "tea" }); await callMCPTool("desk__slow", {})' },
    );
    const options = { tools: { order: tool, slow } };
    const [api, one, two] = [await open(model), await open(model, options), await open(model, options)];
    const task = await api.tasks.start({ task: 'x' });
    const following = eventsOf(api.tasks, task);
    const leaving = new AbortController();
    const first = one.tasks.run(task.id, { signal: leaving.signal });
    for await (const event of two.tasks.events(task.id)) {
      if (event.type === 'tool-call' && event.tool === 'desk__slow') break;
    }
    expect((await failureOf(two.tasks.run(task.id))).code).toBe('TASK_RUNNING');
    leaving.abort();
    expect((await first).status).toBe('queued');
    expect((await api.tasks.waiting()).map(({ id }) => id)).toEqual([task.id]);
    expect(await two.tasks.run(task.id)).toMatchObject({ status: 'completed', answer: 'done' });
    const events = await following;
    expect([statuses(events), taken]).toEqual([
      ['queued', 'running', 'interrupted', 'queued', 'running', 'end'],
      ['tea'],
    ]);
    expect(numbers(events)).toEqual(events.map((_, index) => index + 1));
  });

  it('go on in another run when the database was away', async () => {
    const { open } = await openCluster();
    const model = scriptedModel([{ text: 'done' }]);
    let isAway = true;
    const models = async () => {
      if (isAway) throw new ToolwrightError('STORE_UNAVAILABLE', 'The database restarts.');
      return model;
    };
    const [api, worker] = [await open(model), await open(model, { models })];
    const task = await api.tasks.start({ task: 'x' });
    const follower = follow(api.tasks, task);
    await follower.reads('status');
    expect((await worker.tasks.run(task.id)).status).toBe('queued');
    isAway = false;
    expect(await worker.tasks.run(task.id)).toMatchObject({ status: 'completed', answer: 'done' });
    expect(statuses(await follower.reads('end'))).toEqual(INTERRUPTED_ONCE);
  });

  it('fail when they cannot be passed on, and are unknown to other users', async () => {
    const { open, queue } = await openCluster();
    const [api, other] = [await open([{ text: 'x' }]), await open([{ text: 'x' }])];
    await expect(api.tasks.start({ task: 'x', userId: 'refused' })).rejects.toThrow('the queue is full');
    const [failed] = await other.tasks.list('refused');
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
    expect(queue).toEqual([]);
    expect((await failureOf(other.tasks.get(failed?.id ?? '', 'ada'))).code).toBe('UNKNOWN_TASK');
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await failureOf(other.tasks.run(unknown))).code).toBe('UNKNOWN_TASK');
    const files = openDesk([{ text: 'x' }], { submit: async () => undefined });
    expect((await failureOf(files)).code).toBe('CONFIG_INVALID');
  });

  it('run in the process that accepts them, where no queue is given', async () => {
    const { open } = await openCluster({ isDispatched: false, hasBus: false });
    const script = [{ code: 'await new Promise((resolve) => setTimeout(resolve, 19_000))' }, { text: 'unused' }];
    const [one, two] = [await open(script), await open([{ text: 'continued' }])];
    const task: Task = await one.tasks.start({ task: 'x', userId: 'ada' });
    const follower = follow(two.tasks, task);
    await follower.reads('code');
    expect((await failureOf(two.tasks.resume(task.id, 'ada'))).code).toBe('TASK_RUNNING');
    await one.close();
    expect((await two.tasks.ended(task.id, { userId: 'ada' })).status).toBe('interrupted');
    await two.tasks.resume(task.id, 'ada');
    expect(await two.tasks.ended(task.id, { userId: 'ada' })).toMatchObject({
      status: 'completed',
      answer: 'continued',
    });
    expect(statuses(await follower.reads('end'))).toEqual(INTERRUPTED_ONCE);
  });
});
