import { describe, expect, test } from 'vitest';
import { eventsOf, orderTool, taskDesks } from '../../../../../test/fixtures/tasks.ts';
import { ToolwrightError } from '../../../../core/src/errors.ts';
import type { Model } from '../../models/model.ts';
import { scriptedModel } from '../../models/scripted.ts';

const open = taskDesks();

describe('a request to a model', () => {
  const unavailable = (details = {}) => new ToolwrightError('MODEL_UNAVAILABLE', 'HTTP 529: overloaded', { details });

  test('is repeated after a temporary failure, and no program runs twice', async () => {
    const { taken, tool } = orderTool();
    let requests = 0;
    const scripted = scriptedModel([
      { text: 'half', code: 'return callMCPTool("desk__order", { item: "x" })' },
      { text: 'done' },
    ]);
    const model: Model = {
      ...scripted,
      async answer(request) {
        if (++requests % 2 === 1) {
          request.onText?.('half of');
          throw unavailable(requests === 1 ? { retryAfterMs: 50 } : {});
        }
        return scripted.answer(request);
      },
    };
    const desk = await open(model, { tools: { order: tool } });
    const task = await desk.tasks.start({ task: 'x' });
    const events = await eventsOf(desk.tasks, task);
    expect([(await desk.tasks.get(task.id)).status, taken.length, requests]).toEqual(['completed', 1, 4]);
    const retries = events.filter(({ type }) => type === 'retry');
    expect(retries).toMatchObject([{ reason: 'HTTP 529: overloaded', afterMs: expect.any(Number) }, {}]);
    expect(retries[0]).toHaveProperty('afterMs');
    expect((retries[0] as { afterMs: number }).afterMs).toBeGreaterThanOrEqual(50);
  });

  test('is aborted when the model sends nothing, and fails the task after the last attempt', async () => {
    let requests = 0;
    const silent: Model = {
      name: 'test/silent',
      answer: ({ signal }) =>
        new Promise((_, reject) => {
          requests++;
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    };
    const desk = await open(silent, { retry: { attempts: 2, baseMs: 1, idleMs: 50 } });
    const task = await desk.tasks.ended((await desk.tasks.start({ task: 'x' })).id);
    expect([task.status, task.error, requests]).toEqual([
      'failed',
      { code: 'MODEL_UNAVAILABLE', message: 'test/silent sent nothing for 50 ms. Toolwright sent 2 requests.' },
      2,
    ]);
  });

  test('is not repeated when the pause exceeds the time limit of the task', async () => {
    const model: Model = {
      name: 'test/limited',
      answer: async () => {
        throw unavailable({ retryAfterMs: 60_000 });
      },
    };
    const desk = await open(model);
    const task = await desk.tasks.ended((await desk.tasks.start({ task: 'x', limits: { timeoutMs: 30_000 } })).id);
    expect([task.status, task.error?.message]).toEqual([
      'failed',
      'HTTP 529: overloaded. The time limit of the task leaves no time for a retry.',
    ]);
  });
});
