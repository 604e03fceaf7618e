import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { scriptedModel } from '../../packages/server/src/models/scripted.ts';
import { sqliteStore } from '../../packages/storage/src/sqlite.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';
import { openTaskDesk } from '../fixtures/tasks.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

test('a key returns its task after a restart, and starts no other task', async () => {
  const [dataDir, path] = [temporaryFolder(), join(temporaryFolder(), 'store.db')];
  const asked: string[] = [];
  const model = scriptedModel(() => {
    asked.push('asked');
    return { text: 'done' };
  });
  const serve = async () => {
    const desk = await openTaskDesk(model, { dataDir });
    const store = sqliteStore({ path });
    const server = await startApi({ tasks: desk.tasks, store });
    servers.push(server);
    const send = (json: object) => ask(`${server.url}/task`, { json, headers: { 'idempotency-key': 'k' } });
    return { desk, store, send };
  };
  const first = await serve();
  const done = await first.send({ task: 'x' });
  expect(done.body).toMatchObject({ status: 'completed', answer: 'done' });
  await first.desk.close();
  await first.store[Symbol.asyncDispose]();

  const second = await serve();
  const again = await second.send({ task: 'x' });
  expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([200, 'true', done.body]);
  expect((await second.send({ task: 'y' })).status).toBe(422);
  expect([asked.length, (await second.desk.tasks.list()).length]).toEqual([1, 1]);
  await second.desk.close();
  await second.store[Symbol.asyncDispose]();
});
