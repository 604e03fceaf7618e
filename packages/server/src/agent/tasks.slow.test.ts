import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf, until } from '../../../../test/fixtures/server.ts';
import { eventsOf, orderTool, taskDesks } from '../../../../test/fixtures/tasks.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import { scriptedModel } from '../models/scripted.ts';

const open = taskDesks();

/** Creates a model that answers after `release`. `asked` records its requests. */
function heldModel(text = 'done'): { model: Model; asked: ModelRequest[]; release(): void } {
  const asked: ModelRequest[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const model = scriptedModel(async (request) => {
    asked.push(request);
    await Promise.race([held, new Promise((_, reject) => request.signal.addEventListener('abort', reject))]).catch(() =>
      request.signal.throwIfAborted(),
    );
    return { text };
  });
  return { model, asked, release };
}

describe('a task', () => {
  test('runs programs that call tools, and ends with the answer', async () => {
    const { taken, tool } = orderTool();
    const desk = await open(
      [
        { text: 'I order.', code: 'return await callMCPTool("desk__order", { item: "tea" });' },
        { text: 'It came back as {{result}}.' },
      ],
      { tools: { order: tool } },
    );
    const started = await desk.tasks.start({ task: 'Order tea.' });
    expect(started).toMatchObject({ status: expect.stringMatching(/queued|running/), userId: 'local', executions: [] });
    const task = await desk.tasks.ended(started.id);
    expect([task, taken]).toEqual([
      {
        id: started.id,
        sessionId: started.sessionId,
        userId: 'local',
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
    expect(statSync(join(desk.dataDir, 'state.db')).mode & 0o777).toBe(0o600);
  });

  test('has numbered events, which a reader can follow from any number', async () => {
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

  test('returns errors to the model, which fixes them', async () => {
    const seen: string[] = [];
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== 'tool') return { code: 'return missing.length' };
      seen.push(last.text);
      return seen.length === 1 ? { calls: [{ tool: 'bake_bread' }] } : { text: 'fixed' };
    });
    const desk = await open(model);
    const task = await desk.tasks.ended((await desk.tasks.start({ task: 'Fail, then fix it.' })).id);
    expect([task.answer, task.executions.map(({ status }) => status), seen]).toEqual([
      'fixed',
      ['failed'],
      [expect.stringContaining('missing'), expect.stringContaining('There is no tool "bake_bread"')],
    ]);
  });

  test('includes earlier tasks of its session, and none of other sessions', async () => {
    const requests: ModelRequest[] = [];
    const model = scriptedModel((request) => {
      requests.push(request);
      return { text: `answer ${requests.length}` };
    });
    const desk = await open(model);
    const first = await desk.tasks.ended((await desk.tasks.start({ task: 'one' })).id);
    await desk.tasks.ended((await desk.tasks.start({ task: 'two', sessionId: first.sessionId })).id);
    await desk.tasks.ended((await desk.tasks.start({ task: 'three' })).id);
    expect(requests.map(({ messages }) => messages.map(({ text }) => text))).toEqual([
      ['one'],
      ['one', 'answer 1', 'two'],
      ['three'],
    ]);
  });

  test('of another user returns the same error as an unknown task', async () => {
    const desk = await open([{ text: 'mine' }]);
    const { id, sessionId } = await desk.tasks.ended((await desk.tasks.start({ task: 'x', userId: 'ada' })).id, {
      userId: 'ada',
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
    expect((await failureOf(eventsOf(desk.tasks, { id, userId: 'bob' } as never))).code).toBe('UNKNOWN_TASK');
    expect((await failureOf(desk.tasks.start({ task: 'y', userId: 'bob', sessionId }))).code).toBe('UNKNOWN_SESSION');
    expect([await desk.tasks.list('bob'), (await desk.tasks.list('ada')).length]).toEqual([[], 1]);
  });

  test('is the request of its calls: it proves a receiver, and a question shows any other with its origin first', async () => {
    const sent: string[] = [];
    const properties = { body: { type: 'string' }, to: { type: 'string' } };
    const tools = {
      inbox: { annotations: { readOnlyHint: true }, run: () => [{ from: 'eve@b.example' }] },
      send: { inputSchema: { type: 'object', properties }, run: ({ to }: { to: string }) => void sent.push(to) },
    };
    const code = `const [{ from }] = await callMCPTool('desk__inbox', {});
      await callMCPTool('desk__send', { body: 'x', to: '[EMAIL_1]' });
      await callMCPTool('desk__send', { body: 'x', to: from });`;
    const core = { policy: { preset: 'guarded' as const }, waits: { graceMs: 0 } };
    const { tasks, toolwright } = await open([{ code }, { text: 'Sent.' }], { tools: tools as never, core });
    const { id } = await tasks.start({ task: 'Tell a@b.example what is new.' });
    await until(async () => (await tasks.get(id)).status === 'waiting');
    const { pending = [] } = await tasks.get(id);
    expect([sent, pending[0]]).toMatchObject([
      ['a@b.example'],
      {
        origins: [
          {
            argument: 'to',
            isSuspicious: true,
            from: expect.stringMatching(/^from desk__inbox, call 1, in \[0\]\.from/),
          },
          { argument: 'body', isSuspicious: false },
        ],
      },
    ]);
    await toolwright.executions.decide(String(pending[0]?.executionId), { action: 'deny' });
    await tasks.ended(id);
    expect(sent).toEqual(['a@b.example']);
  });

  test.each([
    ['in memory', 600_000],
    ['suspended', 0],
  ])('that waits for a person %s reports it, with its questions, and goes on', async (_name, graceMs) => {
    const { taken, tool } = orderTool();
    const code =
      'return [await callMCPTool("desk__order", { item: "[EMAIL_1]" }), await callMCPTool("desk__order", { item: "tea" })]';
    const core = { policy: { rules: [{ tools: '*', action: 'ask' as const }] }, waits: { graceMs } };
    const { tasks, toolwright } = await open([{ code }, { text: 'Ordered.' }], { tools: { order: tool }, core });
    const { id } = await tasks.start({ task: 'Order for a@b.example.' });
    const asks = (item: string) => async () => {
      const { status, pending = [] } = await tasks.get(id);
      return status === 'waiting' && Object(pending[0]?.arguments).item === item;
    };
    for (const [index, item] of ['[EMAIL_1]', 'tea'].entries()) {
      await until(asks(item));
      const { pending, executions, usage } = await tasks.get(id);
      const asked = { kind: 'approval', tool: 'desk__order', call: index + 1, arguments: { item } };
      expect(pending).toMatchObject([{ executionId: expect.any(String), expiresAt: expect.any(String), ...asked }]);
      expect([executions, usage.steps, (await tasks.list())[0]?.status]).toEqual([[], 1, 'waiting']);
      await toolwright.executions.decide(String(pending?.[0]?.executionId), { action: 'approve' });
    }
    const ended = await tasks.ended(id);
    expect([ended.status, 'pending' in ended, taken]).toEqual(['completed', false, ['a@b.example', 'tea']]);
    const events = await eventsOf(tasks, ended);
    const seen = events.flatMap((event) =>
      event.type === 'status' ? [event.status] : event.type === 'waiting' ? ['…'] : [],
    );
    const words = seen.filter((word) => word !== '…').join(' ');
    expect(words).toMatch(/^queued running waiting( running waiting)? running$/);
    for (const [index, word] of seen.entries()) if (word === 'waiting') expect(seen[index - 1]).toBe('…');
  });

  test('that is cancelled while it waits for a person has no questions', async () => {
    const core = { policy: { rules: [{ tools: '*', action: 'ask' as const }] }, waits: { graceMs: 0 } };
    const code = 'return callMCPTool("desk__order", { item: "tea" })';
    const { tasks } = await open([{ code }], { tools: { order: orderTool().tool }, core });
    const { id } = await tasks.start({ task: 'Order.' });
    await until(async () => (await tasks.get(id)).status === 'waiting');
    await tasks.cancel(id);
    const ended = await tasks.get(id);
    expect([ended.status, 'pending' in ended]).toEqual(['cancelled', false]);
  });

  test('runs its programs in the requested sandbox, or fails', async () => {
    const steps = [{ code: 'return 6 * 7' }, { text: '{{result}}' }];
    const desk = await open(steps);
    const end = async (sandbox: string) => desk.tasks.ended((await desk.tasks.start({ task: 'x', sandbox })).id);
    expect(await end('quickjs')).toMatchObject({ status: 'completed', answer: '42' });
    const other = await end('docker');
    expect([other.status, other.executions]).not.toEqual(['completed', [expect.anything()]]);
    expect(JSON.stringify(other)).toContain('docker');
  });

  test('is rejected when its request is invalid', async () => {
    const desk = await open([{ text: 'x' }], { limits: { costUsd: 1 }, maxLimits: { costUsd: 1 } });
    const wrong = [
      { task: ' ' },
      { task: 'x', language: 'cobol' },
      { task: 'x', limits: { steps: 0 } },
      { task: 'x', limits: { pages: 1 } },
      { task: 'x', limits: { costUsd: 1.01 } },
      { task: 'x', model: 'x', userId: '' },
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
  ] as const)('on %s stops a task, and the last program does not run', async (limit, limits) => {
    const { taken, tool } = orderTool();
    const model = scriptedModel([{ code: 'return callMCPTool("desk__order", { item: "x" })' }], {
      price: { input: 1, output: 1 },
    });
    const desk = await open(model, { tools: { order: tool } });
    const task = await desk.tasks.ended((await desk.tasks.start({ task: 'x', limits })).id);
    expect([task.status, task.limit, task.usage.steps, taken.length]).toEqual(['stopped', limit, 3, 2]);
    expect(task.usage.costUsd).toBeCloseTo(0.00033, 10);
  });

  test('on time stops a task whose model does not answer', async () => {
    const { model } = heldModel();
    const desk = await open(model);
    const task = await desk.tasks.ended((await desk.tasks.start({ task: 'x', limits: { timeoutMs: 100 } })).id);
    expect([task.status, task.limit]).toEqual(['stopped', 'timeoutMs']);
  });
});

describe('the queue', () => {
  test('alternates between users, and rejects tasks over its limit', async () => {
    const order: string[] = [];
    const { model: held, release } = heldModel();
    const model: Model = {
      ...held,
      answer(request) {
        order.push(request.messages.at(-1)?.text ?? '');
        return held.answer(request);
      },
    };
    const desk = await open(model, { concurrent: 1, queued: 4 });
    const start = async (userId: string, task: string) => desk.tasks.start({ userId, task });
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
    release();
    for (const { id, userId } of tasks) expect((await desk.tasks.ended(id, { userId })).status).toBe('completed');
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  test('cancels waiting and running tasks, and leaves ended tasks unchanged', async () => {
    const { model, asked, release } = heldModel();
    const desk = await open(model, { concurrent: 1 });
    const running = await desk.tasks.start({ task: 'runs' });
    const waiting = await desk.tasks.start({ task: 'waits' });
    await until(() => asked.length === 1, 30_000);
    expect((await desk.tasks.cancel(waiting.id)).status).toBe('cancelled');
    expect((await desk.tasks.cancel(running.id)).status).toBe('cancelled');
    expect((await eventsOf(desk.tasks, running)).at(-1)).toMatchObject({ type: 'end', task: { status: 'cancelled' } });
    release();
    const done = await desk.tasks.ended((await desk.tasks.start({ task: 'ends' })).id);
    expect([await desk.tasks.cancel(done.id), await desk.tasks.resume(done.id)]).toEqual([done, done]);
  });

  test('stops the program of a cancelled task', async () => {
    const desk = await open([{ code: 'await new Promise((resolve) => setTimeout(resolve, 19_000))' }]);
    const { id } = await desk.tasks.start({ task: 'x' });
    for await (const event of desk.tasks.events(id)) if (event.type === 'code') break;
    expect(await desk.tasks.cancel(id)).toMatchObject({ status: 'cancelled', executions: [{ status: 'stopped' }] });
  });

  test('interrupts a task that starts during close, and does not lose it', async () => {
    const desk = await open([{ text: 'done' }]);
    const starting = desk.tasks.start({ task: 'x' });
    await desk.tasks[Symbol.asyncDispose]();
    const { id } = await starting;
    const next = await open([{ text: 'done' }], { dataDir: desk.dataDir });
    expect((await next.tasks.get(id)).status).toBe('interrupted');
    await next.tasks.resume(id);
    expect(await next.tasks.ended(id)).toMatchObject({ status: 'completed', answer: 'done' });
  });

  test('lists tasks in pages, newest first', async () => {
    const desk = await open([{ text: 'done' }]);
    const ids: string[] = [];
    for (const task of ['a', 'b', 'c']) ids.unshift((await desk.tasks.start({ task })).id);
    const page = async (options: object) => (await desk.tasks.list(undefined, options)).map(({ id }) => id);
    expect([await page({ limit: 2 }), await page({ before: ids[1] })]).toEqual([ids.slice(0, 2), ids.slice(2)]);
    const sessionId = (await desk.tasks.get(ids[2] ?? '')).sessionId;
    expect([await page({ sessionId }), await page({ sessionId, before: ids[2], limit: 200 })]).toEqual([[ids[2]], []]);
    for (const limit of [0, 201])
      expect((await failureOf(desk.tasks.list(undefined, { limit }))).code).toBe('CONFIG_INVALID');
    expect((await failureOf(desk.tasks.list(undefined, { before: 'x' }))).code).toBe('UNKNOWN_TASK');
  });
});
