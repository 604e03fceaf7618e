import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { eventsOf, orderTool, taskDesks } from '../../../../test/fixtures/tasks.ts';
import { scriptedModel } from '../models/scripted.ts';
import { stateOf, type TaskState, taskOf } from './state.ts';
import { readTranscript } from './storages/file-transcript.ts';

const open = taskDesks();

describe('a transcript', () => {
  test('with an incomplete last line is read; a corrupt one is renamed and reported', async () => {
    const desk = await open([{ text: 'done' }]);
    const [torn, corrupt, other] = await Promise.all(
      ['torn', 'corrupt', 'other'].map(async (task) => desk.tasks.ended((await desk.tasks.start({ task })).id)),
    );
    if (!torn || !corrupt || !other) throw new Error('no tasks');
    appendFileSync(desk.transcript(torn), '{"entry":"eve');
    expect((await desk.tasks.get(torn.id)).status).toBe('completed');
    const lines = readFileSync(desk.transcript(corrupt), 'utf8').split('\n');
    writeFileSync(desk.transcript(corrupt), [lines[0], '\0\0\0', ...lines.slice(2)].join('\n'));
    expect((await failureOf(desk.tasks.get(corrupt.id))).code).toBe('UNKNOWN_TASK');
    const { damaged } = await desk.toolwright.health();
    const file = `tasks/${corrupt.id}.jsonl`;
    expect(damaged).toMatchObject([{ kind: 'task transcript', file, problem: 'line 2 is not a valid entry' }]);
    expect(readdirSync(join(desk.dataDir, 'tasks'))).toContain(damaged[0]?.renamedTo.replace('tasks/', ''));
    expect((await desk.tasks.list()).map(({ id }) => id).sort()).toEqual([torn.id, other.id].sort());
  });

  test('that is truncated or damaged at any byte is read or reported as corrupt, and never throws', async () => {
    const desk = await open([{ text: 'On it.', code: 'console.log(1); progress(2); return 3' }, { text: 'done' }]);
    const { id } = await desk.tasks.ended((await desk.tasks.start({ task: 'x' })).id);
    const whole = readFileSync(desk.transcript({ id } as never));
    const path = join(desk.dataDir, 'copy.jsonl');
    const read = async (bytes: Buffer) => {
      writeFileSync(path, bytes);
      const content = await readTranscript(path, id);
      return { content, state: content && content.corrupt === undefined ? stateOf(content.entries) : undefined };
    };
    for (let length = 0; length <= whole.length; length += 7) {
      const { content } = await read(whole.subarray(0, length));
      expect(content?.corrupt).toBe(undefined);
    }
    const outcomes = { read: 0, corrupt: 0 };
    for (let at = 0; at < whole.length; at += 5) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      const { content, state } = await read(bytes);
      if (content?.corrupt === undefined) expect(taskOf(state as TaskState).executions).toBeInstanceOf(Array);
      outcomes[content?.corrupt === undefined ? 'read' : 'corrupt']++;
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
