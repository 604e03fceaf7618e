import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Member, openTestCluster, type TestCluster } from '../fixtures/cluster.ts';
import { ask } from '../fixtures/http-server.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { until } from '../fixtures/server.ts';

const WAIT_MS = 120_000;

needsPostgres.describe('a process that was paused, or lost its database, for longer than its leases', () => {
  let postgres: TestPostgres;
  let store: string;
  let cluster: TestCluster;
  let members: Record<'api' | 'worker' | 'all', Member>;
  beforeAll(async () => {
    postgres = await startPostgres();
    store = await postgres.create();
    cluster = openTestCluster({ TOOLWRIGHT_STORE: store });
    const [api, worker, all] = await Promise.all(['api', 'worker', 'all'].map((role) => cluster.start(role)));
    members = { api, worker, all } as typeof members;
  });
  afterAll(async () => {
    await cluster?.stop();
    await postgres?.stop();
  });

  const run = async ({ url }: Member, key: string, line: string) => {
    const json = { code: `await callMCPTool('effects__append', { line: '${line}' }); return '${line}'`, check: false };
    const { status, body } = await ask(`${url}/execute`, { json, headers: { 'idempotency-key': key } });
    return [status, body.value ?? body.code];
  };
  const isReady = async ({ url }: Member) => (await ask(`${url}/ready`)).status === 200;
  /** Asks everything again until it works: each process, with an earlier key and a new one. */
  const askAgain = async (name: string, keys: Readonly<Record<string, string>>) => {
    for (const place of ['api', 'all'] as const) {
      const line = `${place} before`;
      await until(async () => (await run(members[place], keys[place] ?? '', line))[1] === line, WAIT_MS);
      const [key, next] = [randomUUID(), `${place} ${name}`];
      await until(async () => (await run(members[place], key, next))[1] === next, WAIT_MS);
    }
    await until(async () => (await Promise.all(Object.values(members).map(isReady))).every(Boolean), WAIT_MS);
  };
  /** Returns the living leases of processes for keys. */
  const leases = () =>
    Number(
      postgres.sql(
        store,
        `select count(*) from toolwright.namespaces where name > 'process:' and name < 'process;' and expires_at > clock_timestamp()`,
      ),
    );

  it('takes new leases, serves every request, and repeats no effect', async () => {
    const keys = { api: randomUUID(), all: randomUUID() };
    for (const place of ['api', 'all'] as const) {
      expect(await run(members[place], keys[place], `${place} before`)).toEqual([200, `${place} before`]);
    }
    expect(leases()).toBe(2);
    for (const { child } of Object.values(members)) child.kill('SIGSTOP');
    await until(() => leases() === 0, WAIT_MS);
    for (const { child } of Object.values(members)) child.kill('SIGCONT');
    await askAgain('continued', keys);

    await postgres.kill();
    await until(async () => !(await isReady(members.api)), WAIT_MS);
    await postgres.restart();
    // The leases of its last moment have expired.
    postgres.sql(
      store,
      `update toolwright.namespaces set expires_at = clock_timestamp() where name > 'process:' and name < 'process;'`,
    );
    await askAgain('reconnected', keys);
    const lines = ['before', 'continued', 'reconnected'].flatMap((name) => [`all ${name}`, `api ${name}`]);
    expect(cluster.effects()).toEqual(lines.sort());
  });
});
