import { afterAll, describe, expect, test } from 'vitest';
import { ask, eventsOf, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const calls: unknown[] = [];
/** Ends the order of `held`, which a program waits for; undefined before it is made. */
let release: (() => void) | undefined;
const tools = {
  shop: {
    tools: {
      order: {
        description: 'Orders a thing.',
        inputSchema: { type: 'object' as const, properties: { item: { type: 'string' } }, required: ['item'] },
        async run(args: unknown) {
          if (Object(args).item === 'held')
            await new Promise<void>((resolve) => {
              release = resolve;
            });
          else calls.push(args);
          return { ordered: true };
        },
      },
    },
  },
};
/** Waits for the order, and ends it. */
async function releaseOrder(): Promise<void> {
  await until(() => release !== undefined);
  release?.();
  release = undefined;
}
const HELD = 'await callMCPTool("shop__order", { item: "held" })';
// A program of a task runs until the test cancels it, also on a slow machine.
const server = await startApi({}, { limits: { timeoutMs: 120_000 }, tools });
const { url } = server;
afterAll(() => server.close());

describe('POST /execute', () => {
  test('answers with the same result as the library', async () => {
    const { status, body } = await ask(`${url}/execute`, { json: { code: 'console.log("hi"); return {a: [1]}' } });
    expect([status, body.status, body.value, body.logs]).toEqual([
      ...[200, 'completed', { a: [1] }],
      [{ level: 'info', text: 'hi' }],
    ]);
    expect(body.stats).toMatchObject({ sandbox: 'quickjs', toolCalls: 0 });
  });

  test('answers 200 for a program that fails or is stopped', async () => {
    const failed = await ask(`${url}/execute`, { json: { code: 'throw new TypeError("no")' } });
    expect([failed.status, failed.body.status, failed.body.error.name]).toEqual([200, 'failed', 'TypeError']);
    const stopped = await ask(`${url}/execute`, { json: { code: 'for (;;) {}', limits: { timeoutMs: 100 } } });
    expect([stopped.status, stopped.body.status, stopped.body.limit]).toEqual([200, 'stopped', 'timeout']);
  });

  test('contains a large result by its guest path only', async () => {
    const { body } = await ask(`${url}/execute`, { json: { code: 'return "x".repeat(100000)' } });
    expect(Object.keys(body.file).sort()).toEqual(['bytes', 'path']);
  });

  test('reports the mistakes in a body, and the fix', async () => {
    const url = `${server.url}/execute`;
    const form = await ask(url, { method: 'POST', body: new URLSearchParams({ code: 'return 1' }) });
    expect([form.status, form.body.detail]).toEqual([
      415,
      'The body must be application/json in UTF-8, not application/x-www-form-urlencoded. Send Content-Type: application/json.',
    ]);
    const misspelt = await ask(url, { json: { code: 'return 1', sesionId: 'x' } });
    expect([misspelt.status, misspelt.body.detail]).toEqual([
      422,
      'the body: unknown key "sesionId" (did you mean "sessionId"?)',
    ]);
  });

  test('accepts only limits below those of the server', async () => {
    const above = await ask(`${url}/execute`, { json: { code: 'return 1', limits: { timeoutMs: 10_000_000 } } });
    expect([above.status, above.body.detail]).toEqual([
      422,
      'limits.timeoutMs is 10000000, the limit of this server is 120000.',
    ]);
    const strange = await ask(`${url}/execute`, { json: { code: 'return 1', limits: { toString: 1 } } });
    expect([strange.status, strange.body.code]).toEqual([422, 'INVALID_REQUEST']);
  });

  test('never uses another sandbox than the named one', async () => {
    expect((await ask(`${url}/execute`, { json: { code: 'return 1', sandbox: 'quickjs' } })).body.value).toBe(1);
    const other = await ask(`${url}/execute`, { json: { code: 'return 1', sandbox: 'docker' } });
    expect([other.status, other.body.code]).toEqual([503, 'SANDBOX_UNAVAILABLE']);
  });

  test('ends a program when its client disconnects', async () => {
    const { sessionId } = (await ask(`${url}/sessions`, { json: {} })).body;
    const leaving = new AbortController();
    const code = 'await fs.writeFile("on", ""); await sleep(19000)';
    const asked = ask(`${url}/execute`, { json: { code, sessionId }, signal: leaving.signal });
    await until(async () => (await ask(`${url}/sessions/${sessionId}/files/on`)).status === 200);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await until(async () => (await server.toolwright.sessions.log(sessionId)).length === 1);
    expect((await server.toolwright.sessions.log(sessionId))[0]).toMatchObject({ error: { code: 'cancelled' } });
  });

  test('with an Idempotency-Key runs once, for any number of requests', async () => {
    const json = { code: 'return callMCPTool("shop__order", {item: "one"})' };
    const send = (key: string, changed = {}) =>
      ask(`${url}/execute`, { json: { ...json, ...changed }, headers: { 'idempotency-key': key } });
    const first = await send('k1');
    expect(first.body.value).toEqual({ ordered: true });
    const again = await send('k1');
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    expect(calls).toHaveLength(1);
    const other = await send('k1', { code: 'return 2' });
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);

    const slow = { code: `${HELD}; return 3` };
    const running = send('k2', slow);
    await until(async () => server.admission.running > 0);
    expect((await send('k2', slow)).body.code).toBe('IDEMPOTENCY_CONFLICT');
    await releaseOrder();
    expect((await running).body.value).toBe(3);
    expect((await send('k2', slow)).body.value).toBe(3);
  });
});

describe('tasks', () => {
  test('are answered at their end', async () => {
    const { status, body } = await ask(`${url}/task`, { json: { task: 'return 6 * 7' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'completed', answer: '42', executions: [{ status: 'completed' }] });
    expect(body.usage).toEqual({ steps: 1, inputTokens: 10, outputTokens: 5, costUsd: 0.002 });
    const { body: known } = await ask(`${url}/tasks/${body.taskId}`);
    expect(known).toEqual(body);
    const more = await ask(`${url}/task`, { json: { task: 'return 1', sessionId: body.sessionId } });
    expect(more.body.sessionId).toBe(body.sessionId);
  });

  test('are accepted at once with Prefer: respond-async', async () => {
    const headers = { prefer: 'respond-async, wait=10' };
    const { status, headers: reported, body } = await ask(`${url}/task`, { json: { task: 'return 1' }, headers });
    expect([status, reported.get('location'), reported.get('preference-applied')]).toEqual([
      ...[202, `/tasks/${body.taskId}`, 'respond-async'],
    ]);
    await until(async () => (await ask(`${url}${reported.get('location')}`)).body.status === 'completed', 100_000);
  });

  test("send events, which continue at the reader's last position", async () => {
    const headers = { accept: 'text/event-stream' };
    const { status, body, headers: reported } = await ask(`${url}/task`, { json: { task: 'return "a b c"' }, headers });
    expect([status, reported.get('content-type')]).toEqual([200, 'text/event-stream']);
    const events = eventsOf(body);
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ event }) => event === 'text-delta').map(({ data }) => data.text)).toEqual([
      'a ',
      'b ',
      'c',
    ]);
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { task: { answer: 'a b c' } } });

    const { taskId } = events.at(-1)?.data.task ?? {};
    const rest = await ask(`${url}/tasks/${taskId}/events`, { headers: { 'last-event-id': '4' } });
    expect(eventsOf(rest.body)).toEqual(events.slice(4));
    expect(eventsOf((await ask(`${url}/tasks/${taskId}/events?after=6`)).body)).toEqual(events.slice(6));
    const streamed = await ask(`${url}/task`, { json: { task: 'return 1', stream: true } });
    expect(eventsOf(streamed.body).at(-1)?.event).toBe('end');
  });

  test('run once per Idempotency-Key of a user, also for concurrent requests', async () => {
    const json = { task: 'await sleep(300); return 1' };
    const send = (changed = {}) =>
      ask(`${url}/task`, { json: { ...json, ...changed }, headers: { 'idempotency-key': 'once' } });
    const [first, second] = await Promise.all([send(), send()]);
    expect(second?.body).toEqual(first?.body);
    expect((await send({ task: 'return 2' })).status).toBe(422);
    expect((await send({ userId: 'ada' })).body.taskId).not.toBe(first?.body.taskId);
  });

  test('can be cancelled, listed by page, and belong to a user', async () => {
    const ada = { userId: 'ada-of-tasks' };
    const headers = { prefer: 'respond-async' };
    const ids: string[] = [];
    for (let number = 0; number < 3; number++) {
      ids.unshift(
        (await ask(`${url}/task`, { json: { task: 'for (;;) await sleep(1000)', ...ada }, headers })).body.taskId,
      );
    }
    const list = async (query: string) => (await ask(`${url}/tasks?${query}`)).body.tasks;
    const page = await list('userId=ada-of-tasks&limit=2');
    expect(page.map((task: { taskId: string }) => task.taskId)).toEqual(ids.slice(0, 2));
    expect(await list(`userId=ada-of-tasks&cursor=${ids[1]}`)).toHaveLength(1);
    const { body: first } = await ask(`${url}/tasks?userId=ada-of-tasks&limit=2`);
    expect(first.nextCursor).toBe(ids[1]);
    const { body: rest } = await ask(`${url}/tasks?userId=ada-of-tasks&limit=1&cursor=${first.nextCursor}`);
    expect([rest.tasks[0].taskId, rest.nextCursor]).toEqual([ids[2], undefined]);
    const ofSession = `sessionId=${rest.tasks[0].sessionId}&limit=1`;
    expect((await ask(`${url}/tasks?userId=ada-of-tasks&${ofSession}`)).body).toEqual(rest);
    expect(await list(`userId=bob&${ofSession}`)).toEqual([]);

    const missing = await ask(`${url}/tasks/${ids[0]}`);
    const never = await ask(`${url}/tasks/nothing`);
    expect([missing.status, missing.body.detail.replace(ids[0], '')]).toEqual([
      404,
      never.body.detail.replace('nothing', ''),
    ]);
    for (const id of ids) {
      const cancelled = await ask(`${url}/tasks/${id}/cancel?userId=ada-of-tasks`, { method: 'POST' });
      expect(cancelled.body.status).toBe('cancelled');
    }
    const resumed = await ask(`${url}/tasks/${ids[0]}/resume?userId=ada-of-tasks`, { method: 'POST' });
    expect([resumed.status, resumed.headers.get('location')]).toEqual([202, `/tasks/${ids[0]}`]);
    await ask(`${url}/tasks/${ids[0]}/cancel?userId=ada-of-tasks`, { method: 'POST' });
  });

  test('continue when their client disconnects', async () => {
    const user = 'leaver';
    const leaving = new AbortController();
    const json = { task: `${HELD}; return "done"`, userId: user };
    const asked = ask(`${url}/task`, { json, signal: leaving.signal });
    await until(async () => (await ask(`${url}/tasks?userId=${user}`)).body.tasks[0]?.status === 'running');
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await releaseOrder();
    await until(async () => (await ask(`${url}/tasks?userId=${user}`)).body.tasks[0]?.answer === 'done');
  });
});

describe('sessions, files and skills', () => {
  test('are created and removed', async () => {
    const made = await ask(`${url}/sessions`, { json: { userId: 'eve' } });
    const { sessionId } = made.body;
    expect([made.status, made.headers.get('location')]).toEqual([201, `/sessions/${sessionId}`]);
    const file = `${url}/sessions/${sessionId}/files/deep/er/a%20b.bin?userId=eve`;
    const bytes = new Uint8Array([0, 255, 10, 13]);
    expect((await ask(file, { method: 'PUT', body: bytes })).status).toBe(201);
    expect((await ask(file, { method: 'PUT', body: bytes })).status).toBe(204);
    const read = await fetch(file);
    expect(new Uint8Array(await read.arrayBuffer())).toEqual(bytes);
    expect(read.headers.get('content-disposition')).toBe('attachment');
    const code = 'return fs.readFile("deep/er/a b.bin").then((data) => data.length)';
    const ran = await ask(`${url}/execute`, { json: { code, sessionId, userId: 'eve', check: false } });
    expect(ran.body.status).toBe('completed');
    const list = await ask(`${url}/sessions/${sessionId}/files?userId=eve`);
    expect(list.body.files.map(({ path }: { path: string }) => path)).toEqual(['deep', 'deep/er', 'deep/er/a b.bin']);
    const { body } = await ask(`${url}/sessions/${sessionId}?userId=eve`);
    expect(body).toMatchObject({
      userId: 'eve',
      executions: [{ executionId: ran.body.executionId, status: 'completed' }],
    });
    expect((await ask(file, { method: 'DELETE' })).status).toBe(204);
    expect((await ask(file)).status).toBe(404);
    expect((await ask(`${url}/sessions?userId=eve`)).body.sessions).toHaveLength(1);
    expect((await ask(`${url}/sessions/${sessionId}`)).status).toBe(404);
    expect((await ask(`${url}/sessions/${sessionId}?userId=eve`, { method: 'DELETE' })).status).toBe(204);
    expect((await ask(`${url}/sessions/${sessionId}?userId=eve`)).status).toBe(404);
  });

  test('skills are saved, read, found and removed', async () => {
    const put = (changed = {}) =>
      ask(`${url}/skills/add-numbers`, {
        ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({
          description: 'Adds two numbers.',
          code: 'export default (a: number, b: number) => a + b;',
          ...changed,
        }),
      });
    expect((await put()).body).toMatchObject({ name: 'add-numbers', version: 1 });
    expect((await put({ description: '' })).body.code).toBe('SKILL_INVALID');
    const { body } = await ask(`${url}/skills/add-numbers`);
    expect(body.files.map(({ path }: { path: string }) => path)).toEqual(['SKILL.md', 'index.ts']);
    expect((await ask(`${url}/skills?query=add`)).body.skills).toHaveLength(1);
    expect((await ask(`${url}/skills?userId=other`)).body.skills).toEqual([]);
    expect((await ask(`${url}/skills/add-numbers?userId=other`)).body.code).toBe('UNKNOWN_SKILL');
    expect((await ask(`${url}/skills/add-numbers`, { method: 'DELETE' })).status).toBe(204);
    expect((await ask(`${url}/skills/add-numbers`)).status).toBe(404);
  });
});

test('tools are listed, found and described', async () => {
  const all = await ask(`${url}/tools`);
  expect(all.body.tools).toEqual([{ name: 'shop__order', server: 'shop', description: 'Orders a thing.' }]);
  const found = await ask(`${url}/tools?query=order%20something&limit=1`);
  expect(found.body.tools[0]).toMatchObject({
    name: 'shop__order',
    signature: expect.stringContaining('servers.shop.order('),
  });
  expect((await ask(`${url}/tools?server=none`)).body.tools).toEqual([]);
  const one = await ask(`${url}/tools/shop__order?detail=signature`);
  expect(one.body).toEqual({ name: 'shop__order', definition: expect.stringContaining('item: string'), tokens: 21 });
  const unknown = await ask(`${url}/tools/shop__ordr`);
  expect([unknown.status, unknown.body.code]).toEqual([404, 'UNKNOWN_TOOL']);
});

test('health and readiness, and no work while draining', async () => {
  const ending = await startApi({}, { tools });
  expect((await ask(`${ending.url}/health`)).body).toEqual({ status: 'ok', running: 0 });
  expect((await ask(`${ending.url}/ready`)).body).toEqual({ status: 'ready', sandbox: 'quickjs' });
  const running = ask(`${ending.url}/execute`, { json: { code: `${HELD}; return 1` } });
  await until(() => release !== undefined);
  expect(ending.admission.running).toBe(1);
  ending.admission.drain();
  expect((await ask(`${ending.url}/health`)).body).toEqual({ status: 'draining', running: 1 });
  for (const [path, init] of [
    ['ready', {}],
    ['execute', { json: { code: 'return 1' } }],
    ['task', { json: { task: 'return 1' } }],
    ['mcp', { json: { jsonrpc: '2.0', id: 1, method: 'ping' } }],
  ] as const) {
    const { status, headers, body } = await ask(`${ending.url}/${path}`, init);
    expect([path, status, headers.get('retry-after'), body.code]).toEqual([path, 503, '2', 'CLOSED']);
  }
  await releaseOrder();
  expect((await running).body.value).toBe(1);
  await ending.close();
});
