import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Member, openTestCluster, type TestCluster } from '../fixtures/cluster.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { ask, eventsOf } from '../fixtures/http-server.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { until } from '../fixtures/server.ts';

const WAIT_MS = 60_000;

/** A program that appends two lines, and works for a while between them. */
const twoEffects = (name: string, ms: number) => `
  await callMCPTool('effects__append', { line: '${name}-1' });
  await new Promise((resolve) => setTimeout(resolve, ${ms}));
  await callMCPTool('effects__append', { line: '${name}-2' });
  return '${name}';`;

it('refuses a role without a shared store, and an unknown one, with the fix', async () => {
  const desk = openDesk({});
  const refusal = async (...args: string[]) => {
    const { code, err } = await desk.run(['serve', '--port', '0', ...args]);
    return [code, err];
  };
  const shared = expect.stringMatching(/needs a store in PostgreSQL, and the store is sqlite\. Set TOOLWRIGHT_STORE=/);
  expect(await refusal('--role', 'worker')).toEqual([2, shared]);
  expect(await refusal('--role', 'api')).toEqual([2, shared]);
  expect(await refusal('--role', 'both')).toEqual([2, expect.stringContaining('one of: all, api, worker')]);
});

needsPostgres.describe('a cluster with Redis', () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let store: string;
  let cluster: TestCluster;
  let api: Member;
  let workers: Member[];
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    store = await postgres.create();
    const settings = { rateLimits: { user: { concurrentExecutions: 3 } } };
    cluster = openTestCluster({ TOOLWRIGHT_STORE: store, TOOLWRIGHT_REDIS: redis.url }, { settings });
    const concurrency = ['--concurrency', '4', '--drain-ms', '300'];
    const started = ['api', 'worker', 'worker'].map((role) =>
      role === 'api' ? cluster.start(role) : cluster.start(role, ...concurrency),
    );
    [api, ...workers] = (await Promise.all(started)) as [Member, ...Member[]];
  });
  afterAll(async () => {
    await cluster?.stop();
    await Promise.all([postgres?.stop(), redis?.stop()]);
  });

  const run = (code: string, more: object = {}) => ask(`${api.url}/execute`, { json: { code, check: false, ...more } });
  /** Starts a program that goes on without its client. */
  const begin = async (code: string): Promise<string> => {
    const headers = { prefer: 'respond-async' };
    const { status, body } = await ask(`${api.url}/execute`, { json: { code, check: false }, headers });
    expect(status).toBe(202);
    return body.executionId;
  };
  const executionOf = async (id: string) => (await ask(`${api.url}/executions/${id}`)).body;
  const isAnswered = async (id: string) =>
    (await ask(`${api.url}/executions/${id}/calls`)).body.calls?.[0]?.outcome === 'answered';
  const metric = async (url: string, name: string) =>
    Number(new RegExp(`^${name} (.+)$`, 'm').exec((await ask(`${url}/metrics`)).body)?.[1] ?? 0);
  const runningOf = (worker: Member) => metric(worker.url, 'toolwright_executions_in_progress\\{.*\\}');
  /** Returns the worker that runs a program, which must be the only one, and the other one. */
  const workerAtWork = async () => {
    let busy = -1;
    await until(async () => {
      busy = (await Promise.all(workers.map(runningOf))).indexOf(1);
      return busy >= 0;
    }, WAIT_MS);
    const [own] = workers.splice(busy, 1);
    return own as Member;
  };
  const addWorker = async () =>
    void workers.push(await cluster.start('worker', '--concurrency', '4', '--drain-ms', '300'));

  it('runs programs on workers, and reports the role of each process', async () => {
    const results = await Promise.all(Array.from({ length: 8 }, (_, index) => run(`return ${index} * 2`)));
    expect(results.map(({ status, body }) => [status, body.value])).toEqual(
      results.map((_, index) => [200, index * 2]),
    );
    const ready = async ({ url }: Member) => (await ask(`${url}/ready`)).body;
    expect(await ready(api)).toMatchObject({ status: 'ready', role: 'api', sandbox: 'workers', redis: 'connected' });
    for (const worker of workers) {
      expect(await ready(worker)).toMatchObject({ status: 'ready', role: 'worker', sandbox: 'quickjs' });
      expect((await ask(`${worker.url}/execute`, { json: { code: 'return 1' } })).status).toBe(404);
    }
    const claims = 'toolwright_work_claims_total\\{kind="execution"\\}';
    const [one = 0, two = 0, ofApi] = await Promise.all([...workers, api].map(({ url }) => metric(url, claims)));
    expect([one + two, ofApi]).toEqual([8, 0]);
    expect(await metric(api.url, 'toolwright_work\\{state="ready"\\}')).toBe(0);
  });

  it('continues the program of a killed worker on another one, and repeats no call', async () => {
    const id = await begin(twoEffects('killed', 4_000));
    await until(() => isAnswered(id), WAIT_MS);
    await (await workerAtWork()).kill();
    await until(async () => (await executionOf(id)).status === 'completed', WAIT_MS);
    expect(cluster.effects()).toEqual(['killed-1', 'killed-2']);
    expect(await metric(workers[0]?.url ?? '', 'toolwright_work_replays_total')).toBe(1);
    await addWorker();
  });

  it('loses nothing when Redis is emptied and killed during work', async () => {
    const flush = () => spawnSync('redis-cli', ['-s', redis.url, 'flushall']);
    const ids: string[] = [];
    for (let round = 0; round < 4; round++) {
      ids.push(await begin(`await new Promise((resolve) => setTimeout(resolve, 300)); return ${round}`));
      flush();
      ids.push(await begin(`return ${round}`));
      if (round === 1) await redis.kill();
      ids.push(await begin(`return ${round}`));
      if (round === 2) await redis.restart();
    }
    await until(async () => {
      const all = await Promise.all(ids.map(executionOf));
      return all.every(({ status }) => status === 'completed');
    }, WAIT_MS);
    expect((await run('return 1')).body.value).toBe(1);
  });

  it('serves 19 users while another one floods the cluster, and keeps the limit of a user over all workers', async () => {
    const code = 'await new Promise((resolve) => setTimeout(resolve, 400)); return 1';
    let left = 60;
    const flood = Array.from({ length: left }, () => run(code, { userId: 'flood' }).then(() => left--));
    await until(() => Number(postgres.sql(store, `select count(*) from toolwright.work where state = 'ready'`)) > 15);
    const counts: number[] = [];
    const sampling = setInterval(() => {
      const ofFlood = `select running from toolwright.work_users where user_id = 'flood'`;
      counts.push(Number(postgres.sql(store, ofFlood)));
    }, 300);
    const users = Array.from({ length: 19 }, (_, index) => run('return 1', { userId: `user-${index}` }));
    expect((await Promise.all(users)).map(({ body }) => body.value)).toEqual(users.map(() => 1));
    const waiting = left;
    clearInterval(sampling);
    await Promise.all(flood);
    expect(Math.max(...counts)).toBeLessThanOrEqual(3);
    expect(waiting).toBeGreaterThan(5);
  });

  it('cancels a program on its worker when its client disconnects', async () => {
    const client = new AbortController();
    const code = 'await new Promise((resolve) => setTimeout(resolve, 19_000))';
    const body = JSON.stringify({ code, check: false });
    const headers = { 'content-type': 'application/json' };
    const { signal } = client;
    const answer = fetch(`${api.url}/execute`, { method: 'POST', body, headers, signal }).catch(() => undefined);
    const list = async (status: string) => (await ask(`${api.url}/executions?status=${status}`)).body.executions;
    await until(async () => (await list('running')).length === 1, WAIT_MS);
    const [{ executionId }] = await list('running');
    client.abort();
    await answer;
    await until(async () => (await executionOf(executionId)).status === 'cancelled', WAIT_MS);
  });

  it('hands the program of a worker that stops over to another one', async () => {
    const id = await begin(twoEffects('drained', 4_000));
    await until(() => isAnswered(id), WAIT_MS);
    const worker = await workerAtWork();
    const stoppedAt = performance.now();
    expect(await worker.stop()).toBe(0);
    await until(async () => (await runningOf(workers[0] as Member)) === 1, WAIT_MS);
    // A lease lasts longer: the other worker did not wait for it.
    expect(performance.now() - stoppedAt).toBeLessThan(9_000);
    await until(async () => (await executionOf(id)).status === 'completed', WAIT_MS);
    expect(cluster.effects().filter((line) => line.startsWith('drained'))).toEqual(['drained-1', 'drained-2']);
  });
});

needsPostgres.describe('a cluster without Redis', () => {
  let postgres: TestPostgres;
  let store: string;
  let cluster: TestCluster;
  let api: Member;
  let workers: Member[];
  beforeAll(async () => {
    postgres = await startPostgres();
    store = await postgres.create();
    const asked = { arguments: { properties: { line: { pattern: '^asked' } } } };
    const rules = [{ name: 'a person decides', tools: 'effects__append', ...asked, action: 'ask' }];
    cluster = openTestCluster({ TOOLWRIGHT_STORE: store }, { settings: { policy: { rules } } });
    const started = ['api', 'worker', 'worker'].map((role) => cluster.start(role));
    [api, ...workers] = (await Promise.all(started)) as [Member, ...Member[]];
  });
  afterAll(async () => {
    await cluster?.stop();
    await postgres?.stop();
  });

  const value = async (code: string) => (await ask(`${api.url}/execute`, { json: { code, check: false } })).body.value;
  const begin = async (code: string): Promise<string> => {
    const headers = { prefer: 'respond-async' };
    return (await ask(`${api.url}/execute`, { json: { code, check: false }, headers })).body.executionId;
  };
  const executionOf = async (id: string) => (await ask(`${api.url}/executions/${id}`)).body;
  const hasStatus = async (id: string, status: string) => (await executionOf(id)).status === status;
  const isCalled = async (id: string) =>
    (await ask(`${api.url}/executions/${id}/calls`)).body.calls?.[0]?.outcome === 'answered';
  const effectsOf = (name: string) => cluster.effects().filter((line) => line.startsWith(name));
  /** Ends the connections that listen for notifications, and returns their number. */
  const endListeners = () => {
    const ofListeners = `from pg_stat_activity where application_name = 'toolwright listener'`;
    return postgres.sql(store, `select count(pg_terminate_backend(pid)) ${ofListeners}`);
  };
  /** Follows all executions at the api process. */
  const follow = async () => {
    const leaving = new AbortController();
    let text = '';
    const { body } = await fetch(`${api.url}/executions/events`, { signal: leaving.signal });
    const reading = (async () => {
      for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    const end = async () => {
      leaving.abort();
      await reading;
    };
    const batches = () =>
      eventsOf(text.slice(0, Math.max(0, text.lastIndexOf('\n\n')))).flatMap(({ data }) => data.batches ?? []);
    const calls = (id: string) =>
      batches()
        .filter(({ executionId }) => executionId === id)
        .flatMap((batch) => batch.calls);
    return { hasCall: (id: string) => calls(id).some(({ tool }) => tool === 'effects__append'), end };
  };

  it('runs programs on its workers, of which each one is woken by the database', async () => {
    expect(await Promise.all(Array.from({ length: 12 }, (_, index) => value(`return ${index} * 2`)))).toEqual(
      Array.from({ length: 12 }, (_, index) => index * 2),
    );
    expect((await ask(`${api.url}/ready`)).body).toMatchObject({ role: 'api', sandbox: 'workers', redis: 'none' });
    const free = 'select count(*) from toolwright.work_listeners where not is_paused';
    expect(postgres.sql(store, free)).toBe('2');
    // One connection of each process listens.
    expect(endListeners()).toBe('3');
  });

  it('shows calls of a worker to a follower of another process while the program runs, also after lost connections', async () => {
    const feed = await follow();
    const id = await begin(twoEffects('followed', 25_000));
    await until(() => feed.hasCall(id), WAIT_MS);
    await until(() => isCalled(id), WAIT_MS);
    expect((await executionOf(id)).endedAt).toBeUndefined();
    await ask(`${api.url}/executions/${id}/cancel`, { json: {} });
    await until(() => hasStatus(id, 'cancelled'), WAIT_MS);
    await feed.end();
    expect(effectsOf('followed')).toEqual(['followed-1']);
  });

  it('goes on after a decision at another process than that of the program', async () => {
    const id = await begin(`await callMCPTool('effects__append', { line: 'asked' }); return 'decided'`);
    const open = async () => JSON.stringify((await ask(`${api.url}/approvals`)).body);
    await until(async () => (await open()).includes(id), WAIT_MS);
    expect(effectsOf('asked')).toEqual([]);
    await ask(`${api.url}/executions/${id}/decisions`, { json: { action: 'approve' } });
    await until(() => hasStatus(id, 'completed'), WAIT_MS);
    expect([effectsOf('asked'), (await executionOf(id)).value]).toEqual([['asked'], 'decided']);
  });

  it('continues the program of a killed worker on another one, and repeats no call', async () => {
    const id = await begin(twoEffects('killed', 4_000));
    await until(() => isCalled(id), WAIT_MS);
    const running = async ({ url }: Member) =>
      /^toolwright_executions_in_progress\{.*\} 1$/m.test((await ask(`${url}/metrics`)).body);
    let busy: Member | undefined;
    await until(async () => {
      for (const worker of workers) if (await running(worker)) busy = worker;
      return busy !== undefined;
    }, WAIT_MS);
    await busy?.kill();
    await until(() => hasStatus(id, 'completed'), WAIT_MS);
    expect(effectsOf('killed')).toEqual(['killed-1', 'killed-2']);
  });

  it('loses nothing when PostgreSQL restarts and connections that listen end during work', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 4; round++) {
      ids.push(await begin(`await new Promise((resolve) => setTimeout(resolve, 300)); return ${round}`));
      if (round === 2) await postgres.restart();
      else endListeners();
      // The api process has connected again when it answers.
      await until(async () => (await ask(`${api.url}/ready`)).status === 200, WAIT_MS);
      ids.push(await begin(`return ${round}`));
    }
    await until(async () => {
      const all = await Promise.all(ids.map(executionOf));
      return all.every(({ status }) => status === 'completed');
    }, WAIT_MS);
  });

  it('runs programs of a process with both roles, also after a worker has joined', async () => {
    const all = await cluster.start('all');
    const run = async () => (await ask(`${all.url}/execute`, { json: { code: 'return 6 * 7' } })).body.value;
    expect(await run()).toBe(42);
    expect((await ask(`${all.url}/ready`)).body).toMatchObject({ role: 'all', sandbox: 'workers', redis: 'none' });
    await cluster.start('worker');
    expect(await Promise.all(Array.from({ length: 6 }, run))).toEqual(Array.from({ length: 6 }, () => 42));
    expect(await all.stop()).toBe(0);
  });
});
