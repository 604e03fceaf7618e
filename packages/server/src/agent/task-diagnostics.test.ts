import { expect, it } from 'vitest';
import { until } from '../../../../test/fixtures/server.ts';
import { taskDesks } from '../../../../test/fixtures/tasks.ts';
import { recordTraces } from '../../../../test/fixtures/traces.ts';
import { logIds } from '../../../core/src/telemetry/log-ids.ts';
import { taskBegun, taskEnded } from '../diagnostics.ts';
import { scriptedModel } from '../models/scripted.ts';
import type { Task } from './task.ts';

const open = taskDesks();

it('a task publishes its start and its end, and has spans for itself, its model calls and its programs', async () => {
  const reported: Task[] = [];
  const stops = [taskBegun, taskEnded].map((topic) => topic.subscribe((task) => void reported.push(task)));
  const recorded = recordTraces();
  const desk = await open([{ text: 'I count.', code: 'return 6 * 7' }, { text: 'It is 42, ada@example.com.' }]);
  const { id, sessionId } = await desk.tasks.start({ task: 'Count for ada@example.com.' });
  const ended = await desk.tasks.ended(id);
  await until(() => recorded.spans().some(({ name }) => name === 'invoke_agent toolwright'), 30_000);
  const spans = recorded.spans();
  await recorded.stop();
  for (const stop of stops) stop();

  const own = reported.filter((task) => task.id === id);
  expect(own.map(({ status }) => status)).toEqual(['queued', 'completed']);
  expect(own[1]).toMatchObject({ id, usage: ended.usage, endedAt: ended.endedAt });
  const agent = spans.find(({ name }) => name === 'invoke_agent toolwright');
  expect(agent?.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'toolwright',
    'gen_ai.conversation.id': sessionId,
    'gen_ai.request.model': ended.model,
    'gen_ai.usage.input_tokens': ended.usage.inputTokens,
    'gen_ai.usage.output_tokens': ended.usage.outputTokens,
    'toolwright.task.id': id,
    'toolwright.task.status': 'completed',
  });
  const inside = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === agent?.spanContext().spanId);
  expect(inside.map(({ name }) => name)).toEqual(['chat inline', 'run typescript', 'chat inline']);
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain('ada@example.com');
});

it('a task that waited in the queue has its own id in the log, not the id of the task before it', async () => {
  const seen: [string, string | undefined][] = [];
  const model = scriptedModel(async ({ messages }) => {
    const task = messages.find(({ role }) => role === 'user');
    seen.push([task?.role === 'user' ? task.text : '', logIds().taskId]);
    return { text: 'done' };
  });
  const desk = await open(model, { concurrent: 1 });
  const tasks = await Promise.all(['a', 'b', 'c'].map((task) => desk.tasks.start({ task })));
  await Promise.all(tasks.map(({ id }) => desk.tasks.ended(id)));
  expect(new Map(seen)).toEqual(new Map(tasks.map(({ id, task }) => [task, id])));
});
