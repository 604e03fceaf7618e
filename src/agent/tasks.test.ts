import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { failureOf, until } from '../../test/fixtures/server.ts';
import { type Desk, type DeskOptions, eventsOf, openTaskDesk, orderTool } from '../../test/fixtures/tasks.ts';
import { ToolwrightError } from '../errors.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import { type ScriptedStep, scriptedModel } from '../models/scripted.ts';

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

async function open(model: Model | readonly ScriptedStep[], options: DeskOptions = {}): Promise<Desk> {
  const desk = await openTaskDesk('answer' in model ? model : scriptedModel(model), options);
  desks.push(desk);
  return desk;
}

/** A model that answers when it is let go, and what it was asked. */
function heldModel(text = 'done'): { model: Model; asked: ModelRequest[]; letGo(): void } {
  const asked: ModelRequest[] = [];
  let letGo = () => undefined as void;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const model = scriptedModel(async (request) => {
    asked.push(request);
    await Promise.race([held, new Promise((_, reject) => request.signal.addEventListener('abort', reject))]).catch(() =>
      request.signal.throwIfAborted(),
    );
    return { text };
  });
  return { model, asked, letGo };
}

describe('a task', () => {
  test('is done by programs that call tools, and ends with the answer', async () => {
    const { taken, tool } = orderTool();
    const desk = await open(
      [
        { text: 'I order.', code: 'const order = await callMCPTool("desk__order", { item: "tea" }); return order;' },
        { text: 'It came back as {{result}}.' },
      ],
      { tools: { order: tool } },
    );
    const started = await desk.tasks.start({ task: 'Order tea.' });
    expect(started).toMatchObject({ status: expect.stringMatching(/queued|running/), user: 'local', executions: [] });
    const task = await desk.tasks.ended(started.id);
    expect([task, taken]).toEqual([
      {
        id: started.id,
        session: started.session,
        user: 'local',
        task: 'Order tea.',
        model: 'scripted/inline',
        status: 'completed',
        createdAt: started.createdAt,
        endedAt: expect.stringMatching(/Z$/),
        answer: 'It came back as {"number":1,"item":"tea"}.',
        executions: [{ id: expect.any(String), status: 'completed', toolCalls: 1, ms: expect.any(Number) }],
        usage: { steps: 2, inputTokens: 200, outputTokens: 20 },
      },
      ['tea'],
    ]);
    expect(await desk.tasks.get(task.id)).toEqual(task);
    expect(await desk.tasks.list()).toEqual([task]);
    expect(statSync(desk.transcript(task)).mode & 0o777).toBe(0o600);
  });

  test('tells what happens as numbered events, which can be read from any point', async () => {
    const desk = await open([
      { text: 'On it.', code: 'console.log("hello"); progress(50); return 1' },
      { text: 'Done now.' },
    ]);
    const task = await desk.tasks.start({ task: 'Log.' });
    const live = await eventsOf(desk.tasks, task);
    expect(live.map(({ type }) => type)).toEqual([
      'status',
      'status',
      'text-delta',
      'text-delta',
      'usage',
      'code',
      'log',
      'progress',
      'result',
      'text-delta',
      'text-delta',
      'usage',
      'end',
    ]);
    expect(live.map(({ number }) => number)).toEqual(live.map((_, index) => index + 1));
    expect(live.find(({ type }) => type === 'result')).toMatchObject({
      text: '1\nlogs:\nhello',
      execution: { status: 'completed' },
    });
    expect(await eventsOf(desk.tasks, task)).toEqual(live);
    expect(await eventsOf(desk.tasks, task, 9)).toEqual(live.slice(9));
  });

  test('has its mistakes told to the model, which mends them', async () => {
    const seen: string[] = [];
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== 'tool') return { code: 'return missing.length' };
      seen.push(last.text);
      return seen.length === 1 ? { calls: [{ tool: 'bake_bread' }] } : { text: 'mended' };
    });
    const desk = await open(model);
    const task = await desk.tasks.ended((await desk.tasks.start({ task: 'Fail, then mend.' })).id);
    expect([task.answer, task.executions.map(({ status }) => status), seen]).toEqual([
      'mended',
      ['failed'],
      [expect.stringContaining('missing'), expect.stringContaining('There is no tool "bake_bread"')],
    ]);
  });

  test('knows what was said before in its session, and nothing of other sessions', async () => {
    const requests: ModelRequest[] = [];
    const model = scriptedModel((request) => {
      requests.push(request);
      return { text: `answer ${requests.length}` };
    });
    const desk = await open(model);
    const first = await desk.tasks.ended((await desk.tasks.start({ task: 'one' })).id);
    await desk.tasks.ended((await desk.tasks.start({ task: 'two', session: first.session })).id);
    await desk.tasks.ended((await desk.tasks.start({ task: 'three' })).id);
    expect(requests.map(({ messages }) => messages.map(({ text }) => text))).toEqual([
      ['one'],
      ['one', 'answer 1', 'two'],
      ['three'],
    ]);
  });

  test("of another user is not there, in the same words as one that isn't", async () => {
    const desk = await open([{ text: 'mine' }]);
    const { id, session } = await desk.tasks.ended((await desk.tasks.start({ task: 'x', user: 'ada' })).id, {
      user: 'ada',
    });
    const missing = id.replace(/^.{8}/, '00000000');
    for (const ask of ['get', 'cancel', 'resume'] as const) {
      const [theirs, none] = [
        await failureOf(desk.tasks[ask](id, 'bob')),
        await failureOf(desk.tasks[ask](missing, 'bob')),
      ];
      expect([theirs.code, theirs.message.replace(id, missing)]).toEqual(['UNKNOWN_TASK', none.message]);
    }
    expect((await failureOf(desk.tasks.get('../../x', 'ada'))).code).toBe('UNKNOWN_TASK');
    expect((await failureOf(eventsOf(desk.tasks, { id, user: 'bob' } as never))).code).toBe('UNKNOWN_TASK');
    expect((await failureOf(desk.tasks.start({ task: 'y', user: 'bob', session }))).code).toBe('UNKNOWN_SESSION');
    expect([await desk.tasks.list('bob'), (await desk.tasks.list('ada')).length]).toEqual([[], 1]);
  });

  test('is refused when its request is wrong', async () => {
    const desk = await open([{ text: 'x' }]);
    const wrong = [
      { task: ' ' },
      { task: 'x', language: 'cobol' },
      { task: 'x', limits: { steps: 0 } },
      { task: 'x', limits: { pages: 1 } },
    ];
    for (const request of wrong) {
      expect((await failureOf(desk.tasks.start(request as never))).code).toBe('CONFIG_INVALID');
    }
    expect(await desk.tasks.list()).toEqual([]);
  });
});

describe('a limit', () => {
  test.each([
    ['steps', { steps: 3 }],
    ['tokens', { tokens: 300 }],
    ['costUsd', { costUsd: 0.0003 }],
  ] as const)('of %s stops a task, and the last program is not run', async (limit, limits) => {
    const { taken, tool } = orderTool();
    const model = scriptedModel([{ code: 'return callMCPTool("desk__order", { item: "x" })' }], {
      price: { input: 1, output: 1 },
    });
    const desk = await open(model, { tools: { order: tool } });
    const task = await desk.tasks.ended((await desk.tasks.start({ task: 'x', limits })).id);
    expect([task.status, task.limit, task.usage.steps, taken.length]).toEqual(['stopped', limit, 3, 2]);
    expect(task.usage.costUsd).toBeCloseTo(0.00033, 10);
  });

  test('of time cuts a model that does not answer', async () => {
    const { model } = heldModel();
    const desk = await open(model);
    const task = await desk.tasks.ended((await desk.tasks.start({ task: 'x', limits: { timeMs: 100 } })).id);
    expect([task.status, task.limit]).toEqual(['stopped', 'timeMs']);
  });
});

describe('when there is much to do', () => {
  test('users take turns, and what is too much is refused', async () => {
    const order: string[] = [];
    const { model: held, letGo } = heldModel();
    const model: Model = {
      ...held,
      answer(request) {
        order.push(request.messages.at(-1)?.text ?? '');
        return held.answer(request);
      },
    };
    const desk = await open(model, { concurrent: 1, queued: 4 });
    const start = async (user: string, task: string) => desk.tasks.start({ user, task });
    const tasks = [await start('ada', 'a1')];
    for (const [user, task] of [
      ['ada', 'a2'],
      ['ada', 'a3'],
      ['bob', 'b1'],
      ['bob', 'b2'],
    ] as const) {
      tasks.push(await start(user, task));
    }
    expect((await failureOf(start('eve', 'e1'))).code).toBe('BUSY');
    letGo();
    for (const { id, user } of tasks) expect((await desk.tasks.ended(id, { user })).status).toBe('completed');
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  test('one that waits and one that runs can be cancelled; one that ended stays as it is', async () => {
    const { model, asked, letGo } = heldModel();
    const desk = await open(model, { concurrent: 1 });
    const running = await desk.tasks.start({ task: 'runs' });
    const waiting = await desk.tasks.start({ task: 'waits' });
    await until(() => asked.length === 1);
    expect((await desk.tasks.cancel(waiting.id)).status).toBe('cancelled');
    expect((await desk.tasks.cancel(running.id)).status).toBe('cancelled');
    expect((await eventsOf(desk.tasks, running)).at(-1)).toMatchObject({ type: 'end', task: { status: 'cancelled' } });
    letGo();
    const done = await desk.tasks.ended((await desk.tasks.start({ task: 'ends' })).id);
    expect([await desk.tasks.cancel(done.id), await desk.tasks.resume(done.id)]).toEqual([done, done]);
  });

  test('a cancelled program ends with its task', async () => {
    const desk = await open([{ code: 'await new Promise((resolve) => setTimeout(resolve, 60_000))' }]);
    const { id } = await desk.tasks.start({ task: 'x' });
    for await (const event of desk.tasks.events(id)) if (event.type === 'code') break;
    expect((await desk.tasks.cancel(id)).status).toBe('cancelled');
  });
});

describe('a model', () => {
  const unavailable = (details = {}) => new ToolwrightError('MODEL_UNAVAILABLE', 'HTTP 529: overloaded', { details });

  test('is asked again after what may pass, and no program runs twice', async () => {
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

  test('that never comes back fails the task, and one that says nothing is given up', async () => {
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
      { code: 'MODEL_UNAVAILABLE', message: 'test/silent sent nothing for 50 ms. It was asked 2 times.' },
      2,
    ]);
  });

  test('whose pause would outlast the task is not waited for', async () => {
    const model: Model = {
      name: 'test/limited',
      answer: async () => {
        throw unavailable({ retryAfterMs: 60_000 });
      },
    };
    const desk = await open(model);
    const task = await desk.tasks.ended((await desk.tasks.start({ task: 'x', limits: { timeMs: 30_000 } })).id);
    expect([task.status, task.error?.message]).toEqual([
      'failed',
      'HTTP 529: overloaded No time is left to ask again.',
    ]);
  });

  test('gets long outputs of old programs as handles to files that hold them whole', async () => {
    const long = 'x'.repeat(2_000);
    const sent: string[][] = [];
    const model = scriptedModel(({ messages }) => {
      sent.push(messages.map(({ text }) => text));
      return sent.length < 6 ? { code: `return "${sent.length}" + "x".repeat(2_000)` } : { text: 'done' };
    });
    const desk = await open(model, { contextTokens: 800 });
    const { id, session } = await desk.tasks.ended((await desk.tasks.start({ task: 'x' })).id);
    const handle = sent.at(-1)?.find((text) => text.startsWith('1x'));
    const path = `/workspace/outputs/${id.slice(0, 8)}-2.txt`;
    expect(handle).toBe(`1${long.slice(1, 400)}\n… shortened from 2001 characters, whole in ${path}`);
    const files = await desk.toolwright.sessions.files(session);
    expect((await files.read(path, 10_000)).toString()).toBe(`1${long}`);
    expect(sent.at(-1)?.at(-1)).toBe(`5${long}`);
  });
});

describe('personal data', () => {
  const personalData = {
    protect: async (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('ada@example.org', '[EMAIL_1]')),
    restore: async (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('[EMAIL_1]', 'ada@example.org')),
  };

  test('is protected in what the user says, on disk and in events; the answer is restored for the user alone', async () => {
    const seen: ModelRequest[] = [];
    const model = scriptedModel((request) => {
      seen.push(request);
      return { text: 'Wrote to [EMAIL_1].' };
    });
    const desk = await open(model, { personalData, restoreAnswer: true });
    const first = await desk.tasks.ended((await desk.tasks.start({ task: 'Write to ada@example.org' })).id);
    await desk.tasks.ended((await desk.tasks.start({ task: 'Again', session: first.session })).id);
    expect(first).toMatchObject({ task: 'Write to [EMAIL_1]', answer: 'Wrote to ada@example.org.' });
    expect(seen.at(-1)?.messages.map(({ text }) => text)).toEqual([
      'Write to [EMAIL_1]',
      'Wrote to [EMAIL_1].',
      'Again',
    ]);
    expect(JSON.stringify(await eventsOf(desk.tasks, first))).not.toContain('ada@');
    expect(readFileSync(desk.transcript(first), 'utf8')).not.toContain('ada@');
  });

  test('stays protected in the answer by default, and a task that cannot be protected is not taken', async () => {
    const desk = await open([{ text: '[EMAIL_1]' }], { personalData });
    expect((await desk.tasks.ended((await desk.tasks.start({ task: 'x' })).id)).answer).toBe('[EMAIL_1]');
    const locked = await open([{ text: 'x' }], {
      personalData: {
        ...personalData,
        protect: async () => {
          throw new ToolwrightError('VAULT_LOCKED', 'locked');
        },
      },
    });
    expect((await failureOf(locked.tasks.start({ task: 'x' }))).code).toBe('VAULT_LOCKED');
    expect(await locked.tasks.list()).toEqual([]);
  });
});

describe('a transcript', () => {
  test('that a crash tore at its end is read; a corrupt one is put aside and named', async () => {
    const warnings: object[] = [];
    const logger = { warn: (fields: object) => void warnings.push(fields), error: () => undefined };
    const desk = await open([{ text: 'done' }], { logger });
    const [torn, corrupt, other] = await Promise.all(
      ['torn', 'corrupt', 'other'].map(async (task) => desk.tasks.ended((await desk.tasks.start({ task })).id)),
    );
    if (!torn || !corrupt || !other) throw new Error('no tasks');
    appendFileSync(desk.transcript(torn), '{"entry":"eve');
    expect((await desk.tasks.get(torn.id)).status).toBe('completed');
    const lines = readFileSync(desk.transcript(corrupt), 'utf8').split('\n');
    writeFileSync(desk.transcript(corrupt), [lines[0], '\0\0\0', ...lines.slice(2)].join('\n'));
    expect((await failureOf(desk.tasks.get(corrupt.id))).code).toBe('UNKNOWN_TASK');
    const file = `${desk.transcript(corrupt)}.corrupt`;
    expect(warnings).toEqual([{ task: corrupt.id, file, problem: 'line 2 is no entry' }]);
    expect(readdirSync(join(desk.dataDir, 'tasks'))).toContain(`${corrupt.id}.jsonl.corrupt`);
    expect((await desk.tasks.list()).map(({ id }) => id).sort()).toEqual([torn.id, other.id].sort());
  });

  test('goes on after its process was closed: no program is run again', async () => {
    const { taken, tool } = orderTool();
    const slow = { run: () => new Promise<never>(() => undefined) };
    const told: string[] = [];
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
      told.push(...messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])));
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
    expect(told).toEqual([
      expect.stringMatching(
        /^Interrupted: .*\n1\. desk__order\(\{"item":"tea"\}\): answered \{"number":1,"item":"tea"\}\n2\. desk__slow\(\{\}\): /,
      ),
      'This did not run: the process ended before. Nothing was changed by it.',
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
