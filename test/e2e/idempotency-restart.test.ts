import { afterEach, expect, test } from 'vitest';
import { openEffectsFolder } from '../fixtures/effects-folder.ts';
import { ask } from '../fixtures/http-server.ts';
import { needsRedis, startRedis, type TestRedis } from '../fixtures/redis.ts';
import { until } from '../fixtures/server.ts';

const WAIT_MS = 60_000;
const TIMEOUT_MS = 180_000;
/** Milliseconds between an effect and its answer. */
const EFFECT_MS = 1_500;

let redis: TestRedis | undefined;
afterEach(async () => {
  await redis?.stop();
  redis = undefined;
});

/** Opens a folder whose servers have a tool that appends to a file. */
function openShop(store = 'sqlite') {
  const folder = openEffectsFolder(EFFECT_MS, store);
  async function serve(...words: string[]) {
    const { url, end } = await folder.serve(...words);
    const send = (path: string, key: string, json: object, headers: Record<string, string> = {}) =>
      ask(url + path, { json, headers: { 'idempotency-key': key, ...headers } });
    const run = (key: string) => send('/execute', key, { code: program(key), check: false });
    /** Repeats a request until the lease of a killed process has expired, and the server has continued the program. */
    const settled = async (key: string) => {
      let answer = await run(key);
      await until(async () => {
        const isOpen = () => answer.status === 409 || answer.body.status === 'interrupted';
        if (isOpen()) answer = await run(key);
        return !isOpen();
      }, WAIT_MS);
      return answer;
    };
    return { url, end, send, run, settled };
  }
  return { ...folder, serve };
}

const program = (name: string) =>
  `await callMCPTool('effects__append', { line: '${name}-1' });
await callMCPTool('effects__append', { line: '${name}-2' });
return '${name}';`;

needsRedis.it(
  'with Redis, keys survive kill -9: an ended program is replayed, and a cut one never runs again',
  async () => {
    redis = await startRedis();
    const { serve, effects } = openShop(redis.url);
    const first = await serve();
    const done = await first.run('done');
    expect(done.body).toMatchObject({ status: 'completed', value: 'done' });
    const cut = first.run('cut').catch(() => 'cut');
    await until(() => effects().includes('cut-1'), WAIT_MS);
    await first.end('SIGKILL');
    await cut;
    const before = effects();

    const second = await serve();
    const again = await second.run('done');
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', done.body]);
    for (let attempt = 0; attempt < 2; attempt++) {
      expect((await second.settled('cut')).body).toMatchObject({ status: 'suspended', waitingFor: ['outcome'] });
    }
    const other = await second.send('/execute', 'cut', { code: 'return 2', check: false });
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect(effects()).toEqual(before);
  },
  TIMEOUT_MS,
);

test(
  'keys survive a drain: a program that ended is replayed, and a stopped one never runs again',
  async () => {
    const { serve, effects } = openShop();
    const first = await serve('--drain-ms', '500');
    const done = await first.run('done');
    const cut = first.run('cut');
    await until(() => effects().includes('cut-1'), WAIT_MS);
    await first.end('SIGTERM');
    const stopped = await cut;
    expect([stopped.status, stopped.body.code]).toEqual([503, 'INTERRUPTED']);
    const before = effects();

    const second = await serve();
    expect((await second.run('done')).body).toEqual(done.body);
    const again = await second.run('cut');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body).toMatchObject({ executionId: stopped.body.execution.executionId, status: 'stopped' });
    expect(effects()).toEqual(before);
  },
  TIMEOUT_MS,
);

test(
  'the key of a task survives kill -9: it never starts another task',
  async () => {
    const { desk, serve, effects } = openShop();
    desk.write('steps.json', [{ code: program('task') }, { text: 'done' }]);
    desk.env.LLM_MODEL = 'scripted/steps.json';
    const first = await serve();
    const send = (server: typeof first, task = 'Append.') =>
      server.send('/task', 'k', { task }, { prefer: 'respond-async' });
    const begun = await send(first);
    expect(begun.status).toBe(202);
    await until(() => effects().includes('task-1'), WAIT_MS);
    await first.end('SIGKILL');
    const before = effects();

    const second = await serve();
    const retried = await Promise.all([send(second), send(second), send(second)]);
    for (const { status, body } of retried) expect([status, body.taskId]).toEqual([202, begun.body.taskId]);
    expect((await send(second, 'Another.')).status).toBe(422);
    const tasks = async () => (await ask(`${second.url}/tasks`)).body.tasks;
    // The lease of the dead process ends first. The task is interrupted for a moment, then it asks a person about its call.
    await until(async () => (await tasks())[0]?.status === 'waiting', WAIT_MS);
    expect((await tasks()).map(({ taskId }: { taskId: string }) => taskId)).toEqual([begun.body.taskId]);
    expect((await send(second)).body).toMatchObject({ taskId: begun.body.taskId, status: 'waiting' });
    expect(effects()).toEqual(before);
  },
  TIMEOUT_MS,
);
