import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { startHttp } from '../fixtures/mcp-clients.ts';
import { until } from '../fixtures/server.ts';

const WAIT_MS = 30_000;
const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

/** Starts `toolwright serve` in a separate process, with a model that follows a script. */
async function serve(desk: Desk, steps: readonly object[]) {
  desk.write('steps.json', steps);
  desk.env.LLM_MODEL = 'scripted/steps.json';
  const server = await startHttp(desk, ['--sandbox', 'quickjs']);
  running.push(server.stop);
  return { ...server, url: server.url.replace(/\/mcp$/, '') };
}

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

test('a server with default settings runs tasks with a model, redacts texts, and counts', async () => {
  const { url } = await serve(openDesk({}), [{ code: 'return 6 * 7' }, { text: 'It is {{result}}, for [EMAIL_1].' }]);
  const task = await ask(`${url}/task`, { json: { task: 'Tell ada@example.com what six times seven is' } });
  expect(task.body).toMatchObject({
    status: 'completed',
    task: 'Tell [EMAIL_1] what six times seven is',
    answer: 'It is 42, for ada@example.com.',
    isRestored: true,
    executions: [{ status: 'completed' }],
    usage: { steps: 2 },
  });
  expect((await ask(`${url}/tasks/${task.body.taskId}`)).body.answer).toBe('It is 42, for ada@example.com.');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('toolwright_tasks_total{status="completed"} 1');
  expect(metrics).toContain(
    'toolwright_executions_total{sandbox="quickjs",language="typescript",outcome="completed"} 1',
  );
  expect(metrics).toMatch(/toolwright_pii_events_total\{event="found",class="EMAIL"\} [1-9]/);
});

test('with keys, users are isolated, and quotas apply', async () => {
  const desk = openDesk();
  desk.write('toolwright.json', { mcpServers: {}, rateLimits: { user: { requestsPerMinute: 12 } } });
  const keyOf = async (user: string) => {
    const { out } = await desk.run(['keys', 'create', '--user', user, '--json']);
    return bearer(String(JSON.parse(out).key ?? JSON.parse(out).text));
  };
  const [ada, eve] = [await keyOf('ada'), await keyOf('eve')];
  const { url } = await serve(desk, [{ text: 'Done.' }]);
  expect((await ask(`${url}/tasks`)).status).toBe(401);
  expect((await ask(`${url}/tasks`, bearer('twk_0123456789abcdef_forged'))).status).toBe(401);
  expect((await ask(`${url}/health`)).status).toBe(200);
  const { body: task } = await ask(`${url}/task`, { ...ada, json: { task: 'x' } });
  expect(task).toMatchObject({ status: 'completed', userId: 'ada' });
  for (const path of [`tasks/${task.taskId}`, `tasks/${task.taskId}/events`, `sessions/${task.sessionId}`]) {
    expect((await ask(`${url}/${path}`, eve)).status).toBe(404);
  }
  expect((await ask(`${url}/execute`, { ...eve, json: { code: 'return 1', userId: 'ada' } })).status).toBe(403);
  const statuses = new Set<number>();
  for (let request = 0; request < 15; request++) statuses.add((await ask(`${url}/tasks`, eve)).status);
  expect([...statuses].sort()).toEqual([200, 429]);
  expect((await ask(`${url}/tasks`, ada)).status).toBe(200);
});

test.each([
  ['antropic/claude', 'Unknown model provider "antropic". The providers are: anthropic, '],
  ['anthropic/claude', 'anthropic/claude needs the environment variable ANTHROPIC_API_KEY, which is not set.'],
])('a server with the model %s does not start', async (model, message) => {
  const desk = openDesk({});
  desk.env.LLM_MODEL = model;
  expect(await desk.run(['serve', '--port', '0'])).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
});

test('a task of a killed server is continued by the next one, with its program', async () => {
  const desk = openDesk({});
  const steps = [
    { code: 'await fs.appendFile("/workspace/ran", "x"); return 1' },
    { code: 'await sleep(5_000); return 2' },
    { code: 'return (await fs.readFile("/workspace/ran")).length' },
    { text: 'Ran {{result}} time.' },
  ];
  const first = await serve(desk, steps);
  const begun = await ask(`${first.url}/task`, { json: { task: 'x' }, headers: { prefer: 'respond-async' } });
  expect(begun.status).toBe(202);
  const path = `/tasks/${begun.body.taskId}`;
  await until(async () => (await ask(first.url + path)).body.executions.length === 1, WAIT_MS);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const second = await serve(desk, steps);
  // The lease of the dead process expires first.
  await until(async () => (await ask(second.url + path)).body.status === 'completed');
  expect((await ask(second.url + path)).body.answer).toBe('Ran 1 time.');
});
