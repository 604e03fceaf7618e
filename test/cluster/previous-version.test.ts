import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Member, TestCluster } from '../fixtures/cluster.ts';
import { ask } from '../fixtures/http-server.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import {
  loadPreviousVersion,
  openSameCluster,
  type PreviousVersion,
  recordVersion,
} from '../fixtures/previous-version.ts';
import { until } from '../fixtures/server.ts';

const MIGRATIONS = fileURLToPath(new URL('../../packages/storage/src/migrations/postgres', import.meta.url));
const WAIT_MS = 150_000;

needsPostgres.describe('a database of the previous version', () => {
  let postgres: TestPostgres;
  let store: string;
  let recorded: PreviousVersion;
  let cluster: TestCluster;
  let api: Member;
  beforeAll(async () => {
    postgres = await startPostgres();
    if (process.env.TOOLWRIGHT_RECORD_VERSION === '1') await recordVersion(postgres, await postgres.create());
    store = await postgres.create();
    recorded = await loadPreviousVersion(postgres, store);
    cluster = openSameCluster(store, recorded.masterKey);
    api = await cluster.start('api');
  });
  afterAll(async () => {
    await cluster?.stop();
    await postgres?.stop();
  });
  const get = async (path: string) => (await ask(`${api.url}${path}`)).body;
  const isCompleted = async (path: string) => (await get(path)).status === 'completed';

  it('is upgraded by the first process, and keeps ended executions and tasks', async () => {
    expect(postgres.sql(store, 'select count(*) from toolwright.migrations')).toBe(
      String(readdirSync(MIGRATIONS).length),
    );
    const { completed, completedTask, asked, interrupted } = recorded.ids;
    expect(await get(`/executions/${completed}`)).toMatchObject({
      status: 'completed',
      value: 'made completed 2',
    });
    expect((await get(`/executions/${completed}/calls`)).calls).toHaveLength(2);
    expect(await get(`/tasks/${completedTask}`)).toMatchObject({ status: 'completed', answer: 'It is 42.' });
    expect((await ask(`${api.url}/tasks/${completedTask}/events`)).body).toContain('event: end');
    const listed = (await get('/executions')).executions.map(({ executionId }: { executionId: string }) => executionId);
    expect(listed).toEqual(expect.arrayContaining([completed, asked, interrupted]));
  });

  it('has its work continued and finished, and no effect twice', async () => {
    const { asked, interrupted, ready, readyTask, session, completed } = recorded.ids;
    expect((await get(`/executions/${asked}`)).status).toBe('suspended');
    const worker = await cluster.start('worker');
    const decided = await ask(`${api.url}/executions/${asked}/decisions`, { json: { action: 'approve' } });
    expect(decided.status).toBe(200);
    for (const id of [asked, interrupted, ready]) await until(() => isCompleted(`/executions/${id}`), WAIT_MS);
    expect(cluster.effects()).toEqual(['asked', 'made interrupted 2', 'made ready 1', 'made ready 2']);
    await until(() => isCompleted(`/tasks/${readyTask}`), WAIT_MS);
    const code = `await fs.appendFile('kept.txt', ', and of this one'); return fs.readFile('kept.txt', 'utf8')`;
    const ran = await ask(`${api.url}/execute`, { json: { code, sessionId: session, check: false } });
    expect(ran.body.value).toBe('of the previous version, and of this one');
    const replay = await ask(`${api.url}/executions/${completed}/replay`, { method: 'POST' });
    expect(replay.body).toMatchObject({ status: 'identical' });
    await worker.stop();
  });
});
