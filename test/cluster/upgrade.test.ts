import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Answer, ask } from '../fixtures/http-server.ts';
import { needsPostgres } from '../fixtures/postgres.ts';
import { createRandom } from '../fixtures/random.ts';
import { needsRedis } from '../fixtures/redis.ts';
import type { Work } from '../soak/clients.ts';
import { createLedger } from '../soak/ledger.ts';
import { atMost, type Figure, shown, tableOf } from '../soak/report.ts';
import { requestsOf, type Tally } from '../soak/requests.ts';
import { session } from '../soak/stored-data.ts';
import { approval, twentyCalls } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';

const MIGRATIONS = fileURLToPath(new URL('../../packages/storage/src/migrations/postgres', import.meta.url));
const CLIENTS = 4;
const PAUSE_MS = 500;
/** A migration of the next version, which this one can use: it changes no function, and new columns may be empty. */
const NEXT_MIGRATION = `begin;
  alter table toolwright.work add column next_version text default 'next';
  create index work_next_version on toolwright.work (next_version);
  alter table toolwright.executions add column next_version text;
  alter table toolwright.journal_lines add column next_version jsonb;
  alter table toolwright.sessions add column next_version text;
  create table toolwright.next_version (id uuid primary key);
  insert into toolwright.migrations (name, run_on) values ('9001_next_version', now());
  commit`;

needsPostgres.describe('a rolling upgrade', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ apis: 2, workers: 2, users: 2 });
  });
  afterAll(() => cluster?.close());

  needsRedis.it('under load fails no request, and loses and doubles nothing', async () => {
    const tally: Tally = new Map();
    const ledger = createLedger(cluster.effects);
    const failed: string[] = [];
    const ending = new AbortController();
    const count = (name: string) => void tally.set(name, (tally.get(name) ?? 0) + 1);
    const onAnswer = (path: string, { status, body }: Answer) => {
      if (status === 503 && body.code === 'CLOSED') count('refused by an ending process');
      else if (status >= 500) failed.push(`${path}: ${status} ${JSON.stringify(body)}`);
      // The program goes on elsewhere: a client that repeats its request receives the result.
      else if (body?.status === 'interrupted') count('handed over before the result');
    };
    const clients = Array.from({ length: CLIENTS }, async (_, index) => {
      const user = cluster.users[index % cluster.users.length];
      if (!user) return;
      const service = {
        get url() {
          return cluster.url();
        },
      };
      const requests = requestsOf(service, user, tally, onAnswer);
      const work: Work = { requests, ledger, random: createRandom(index) };
      const kinds = [twentyCalls, approval, session];
      while (!ending.signal.aborted) await work.random.pick(kinds)(work);
    });
    await sleep(PAUSE_MS);
    for (const [index, node] of [...cluster.workers, ...cluster.apis].entries()) {
      await node.stop('SIGTERM');
      if (index === 0) cluster.postgres.sql(cluster.store, NEXT_MIGRATION);
      await node.start();
      await sleep(PAUSE_MS);
    }
    ending.abort();
    await Promise.all(clients);
    const balance = await ledger.balance();
    const figures: Figure[] = [
      ...[...tally].map(([name, count]) => shown(name, count)),
      shown('acknowledged executions, effects and files', balance.acknowledged),
      atMost('failed requests', failed.length, 0),
      atMost('lost', balance.lost.length, 0),
      atMost('doubled effects', balance.doubled.length, 0),
      atMost('requests without a definite answer', tally.get('no definite answer') ?? 0, 0),
      atMost('executions without an end in a minute', tally.get('executions without an end') ?? 0, 0),
    ];
    console.log(`\n${tableOf(figures)}\n`);
    expect([failed.slice(0, 5), balance.lost, balance.doubled]).toEqual([[], [], []]);
    expect(figures.filter(({ holds }) => !holds)).toEqual([]);
    expect(balance.acknowledged).toBeGreaterThan(50);
    const ready = await Promise.all(cluster.nodes.map(async ({ url }) => (await ask(`${url}/ready`)).status));
    expect(ready).toEqual(cluster.nodes.map(() => 200));
    const migrations = cluster.postgres.sql(cluster.store, 'select count(*) from toolwright.migrations');
    expect(migrations).toBe(String(readdirSync(MIGRATIONS).length + 1));
  });
});
