import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { partial } from '../../../../test/fixtures/partial.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { eventsOf, orderTool, taskDesks } from '../../../../test/fixtures/tasks.ts';
import { openSqlite } from '../../../storage/src/sqlite/database.ts';
import { scriptedModel } from '../models/scripted.ts';
import { checkLines } from './loop/check-lines.ts';
import { stateOf, type TaskState, taskOf } from './state.ts';

const open = taskDesks();

describe('a transcript', () => {
  test('with a line of a newer version is reported, and the other tasks are listed', async () => {
    const problems: unknown[] = [];
    const logger = { warn: () => undefined, error: (fields: unknown) => void problems.push(fields) };
    const desk = await open([{ text: 'done' }], { logger: partial(logger) });
    const [corrupt, other] = await Promise.all(
      ['corrupt', 'other'].map(async (task) => desk.tasks.ended((await desk.tasks.start({ task })).id)),
    );
    if (!corrupt || !other) throw new Error('no tasks');
    await using database = openSqlite(join(desk.dataDir, 'state.db'));
    await database.write("update toolwright.task_lines set line = '{}' where task = $1 and number = 2", [corrupt.id]);
    expect((await failureOf(desk.tasks.get(corrupt.id))).code).toBe('UNKNOWN_TASK');
    expect(problems).toContainEqual({ taskId: corrupt.id, problem: 'line 2 is not a valid entry' });
    expect((await desk.tasks.list()).map(({ id }) => id)).toEqual([other.id]);
  });

  test('that is damaged at any byte is read or reported as corrupt, and never throws', async () => {
    const desk = await open([{ text: 'On it.', code: 'console.log(1); progress(2); return 3' }, { text: 'done' }]);
    const { id } = await desk.tasks.ended((await desk.tasks.start({ task: 'x' })).id);
    const whole = Buffer.from(await desk.transcript({ id }));
    const outcomes = { read: 0, corrupt: 0 };
    for (let at = 0; at < whole.length; at += 5) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      const { entries, corrupt } = checkLines(bytes.toString().split('\n').slice(0, -1), id);
      if (corrupt === undefined) expect(taskOf(stateOf(entries) as TaskState).executions).toBeInstanceOf(Array);
      outcomes[corrupt === undefined ? 'read' : 'corrupt']++;
    }
    // Damage inside a text is not detectable. Damage to names, punctuation and event numbers is.
    expect([outcomes.read > 10, outcomes.corrupt > 100]).toEqual([true, true]);
  });

  test('continues after its process was closed, and no program runs twice', async () => {
    const { taken, tool } = orderTool();
    const slow = { run: () => new Promise<never>(() => undefined) };
    const reported: string[] = [];
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== 'tool') {
        return {
          calls: [
            {
              tool: 'execute_code',
              input: {
                code: 'await callMCPTool("desk__order", { item: "tea" }); await callMCPTool("desk__slow", {})',
              },
            },
            { tool: 'execute_code', input: { code: 'return callMCPTool("desk__order", { item: "milk" })' } },
          ],
        };
      }
      reported.push(...messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])));
      return { text: 'done' };
    });
    const desk = await open(model, { tools: { order: tool, slow } });
    const { id } = await desk.tasks.start({ task: 'x' });
    for await (const event of desk.tasks.events(id)) {
      if (event.type === 'tool-call' && event.tool === 'desk__slow') break;
    }
    const following = eventsOf(desk.tasks, { id, user: 'local' } as never, 3);
    await desk.close();
    expect((await following).at(-1)).toMatchObject({ type: 'status', status: 'interrupted' });
    expect((await failureOf(desk.tasks.start({ task: 'late' }))).code).toBe('CLOSED');

    const next = await open(model, { tools: { order: tool, slow }, dataDir: desk.dataDir });
    expect((await next.tasks.get(id)).status).toBe('interrupted');
    expect((await next.tasks.ended(id)).status).toBe('interrupted');
    expect((await next.tasks.resume(id)).status).toMatch(/queued|running/);
    const task = await next.tasks.ended(id);
    expect([task.status, task.answer, taken]).toEqual(['completed', 'done', ['tea']]);
    expect(reported).toEqual([
      expect.stringMatching(
        /^Interrupted: .*\n1\. desk__order\(\{"item":"tea"\}\): answered \{"number":1,"item":"tea"\}\n2\. desk__slow\(\{\}\): /,
      ),
      'This did not run: the process ended before its start. It changed nothing.',
    ]);
    const events = await eventsOf(next.tasks, task);
    expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === 'status')).toMatchObject([
      { status: 'queued' },
      { status: 'running' },
      { status: 'interrupted' },
      { status: 'queued' },
      { status: 'running' },
    ]);
  });
});
