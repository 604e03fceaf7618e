import { expect, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { eventsOf, orderTool, taskDesks } from '../../../../test/fixtures/tasks.ts';
import type { Model } from '../models/model.ts';
import { scriptedModel } from '../models/scripted.ts';
import type { TaskEvent } from './task.ts';

const open = taskDesks();

/** Creates a model that answers after `release`. */
function gated(text: string): { model: Model; release(): void } {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const model = scriptedModel(async ({ signal }) => {
    const cut = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([gate, cut]);
    signal.throwIfAborted();
    return { text };
  });
  return { model, release };
}

test('a stuck reader does not delay the task, and still gets all events', async () => {
  const desk = await open([
    { code: 'for (let line = 0; line < 3_000; line++) console.log("line " + line)' },
    { text: 'done' },
  ]);
  const task = await desk.tasks.start({ task: 'x' });
  const stuck = desk.tasks.events(task.id)[Symbol.asyncIterator]();
  const seen: TaskEvent[] = [(await stuck.next()).value];
  expect((await desk.tasks.ended(task.id)).status).toBe('completed');
  for (let next = await stuck.next(); !next.done; next = await stuck.next()) seen.push(next.value);
  expect(seen.map(({ number }) => number)).toEqual(seen.map((_, index) => index + 1));
  expect([seen.length > 3_000, seen]).toEqual([true, await eventsOf(desk.tasks, task)]);
});

test('an aborted reader ends, with and without unread events', async () => {
  const { model } = gated('done');
  const desk = await open(model);
  const { id } = await desk.tasks.start({ task: 'x' });
  const leaving = new AbortController();
  const seen: string[] = [];
  for await (const { type } of desk.tasks.events(id, { signal: leaving.signal })) {
    seen.push(type);
    if (seen.length === 2) leaving.abort();
  }
  expect(seen).toEqual(['status', 'status']);
  const waiting = new AbortController();
  const end = desk.tasks.ended(id, { signal: waiting.signal });
  waiting.abort(new Error('left'));
  await expect(end).rejects.toThrow('left');
});

test('a task of another process can be followed and cancelled, but not resumed', async () => {
  const { model, release } = gated('done elsewhere');
  const runner = await open(model);
  const watcher = await open([{ text: 'unused' }], { dataDir: runner.dataDir });
  const task = await runner.tasks.start({ task: 'x' });
  expect((await watcher.tasks.get(task.id)).status).toMatch(/queued|running/);
  expect((await failureOf(watcher.tasks.resume(task.id))).code).toBe('TASK_RUNNING');
  const following = eventsOf(watcher.tasks, task);
  release();
  expect((await following).at(-1)).toMatchObject({ type: 'end', task: { answer: 'done elsewhere' } });
  expect(await watcher.tasks.ended(task.id)).toEqual(await runner.tasks.ended(task.id));
  const stuck = await open(gated('never').model, { dataDir: runner.dataDir });
  const other = await stuck.tasks.start({ task: 'y' });
  expect((await watcher.tasks.cancel(other.id)).status).toBe('cancelled');
  expect((await stuck.tasks.ended(other.id)).status).toBe('cancelled');
});

test('one of two processes that resume a task at once runs it', async () => {
  const { taken, tool } = orderTool();
  const desk = await open(gated('never').model);
  const { id } = await desk.tasks.start({ task: 'x' });
  await desk.close();
  const script = [{ code: 'return callMCPTool("desk__order", { item: "tea" })' }, { text: 'done' }];
  const options = { dataDir: desk.dataDir, tools: { order: tool } };
  const others = [await open(script, options), await open(script, options)];
  await Promise.allSettled(others.map(({ tasks }) => tasks.resume(id)));
  const ends = await Promise.all(others.map(({ tasks }) => tasks.ended(id)));
  expect([ends.map(({ status }) => status), taken]).toEqual([['completed', 'completed'], ['tea']]);
});

test('a cancelled interrupted task cannot be resumed', async () => {
  const desk = await open(gated('never').model);
  const { id } = await desk.tasks.start({ task: 'x' });
  await desk.close();
  const next = await open([{ text: 'unused' }], { dataDir: desk.dataDir });
  expect((await next.tasks.cancel(id)).status).toBe('cancelled');
  expect((await next.tasks.resume(id)).status).toBe('cancelled');
});
