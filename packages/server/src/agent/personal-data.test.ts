import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { eventsOf, taskDesks } from '../../../../test/fixtures/tasks.ts';
import type { ModelRequest } from '../models/model.ts';
import { scriptedModel } from '../models/scripted.ts';

const open = taskDesks();

describe('personal data', () => {
  test('is redacted in the task, on disk and in events; only the user reads the restored answer', async () => {
    const seen: ModelRequest[] = [];
    const model = scriptedModel((request) => {
      seen.push(request);
      return { text: 'Wrote to [EMAIL_1].' };
    });
    const desk = await open(model);
    const first = await desk.tasks.ended((await desk.tasks.start({ task: 'Write to ada@example.org' })).id);
    await desk.tasks.ended((await desk.tasks.start({ task: 'Again', sessionId: first.sessionId })).id);
    expect(first).toMatchObject({
      task: 'Write to [EMAIL_1]',
      answer: 'Wrote to ada@example.org.',
      isRestored: true,
    });
    expect(seen.at(-1)?.messages.map(({ text }) => text)).toEqual([
      'Write to [EMAIL_1]',
      'Wrote to [EMAIL_1].',
      'Again',
    ]);
    expect(JSON.stringify(await eventsOf(desk.tasks, first))).not.toContain('ada@');
    expect(await desk.transcript(first)).not.toContain('ada@');
  });

  test('stays redacted in the answer with restoreAnswer: false, and a task that cannot be redacted is rejected', async () => {
    const desk = await open([{ text: '[EMAIL_1]' }], { restoreAnswer: false });
    expect((await desk.tasks.ended((await desk.tasks.start({ task: 'x' })).id)).answer).toBe('[EMAIL_1]');
    const shut = await open([{ text: 'x' }], { store: '/nowhere/redis.socket' });
    expect((await failureOf(shut.tasks.start({ task: 'ask ada@example.org' }))).code).toBe('STORE_UNAVAILABLE');
    expect(await shut.tasks.list()).toEqual([]);
  });
});
