import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { ask } from '../fixtures/http-server.ts';
import { createRandom } from '../fixtures/random.ts';
import { until } from '../fixtures/server.ts';
import type { Work } from '../soak/clients.ts';
import { createLedger } from '../soak/ledger.ts';
import { atMost, type Figure, shown, tableOf } from '../soak/report.ts';
import { requestsOf, type Tally } from '../soak/requests.ts';
import { session } from '../soak/stored-data.ts';
import { approval, sleeper, twentyCalls } from './clients.ts';
import type { ClusterNode, Nodes } from './cluster.ts';
import { breakCluster, type Faults } from './faults.ts';
import { followTask, mistakesOf } from './followers.ts';
import type { Recovery } from './recovery.ts';

const LONG_SECONDS = 600;
const SHORT_SECONDS = 20;
export const SECONDS = Number(process.env.TOOLWRIGHT_CLUSTER_SECONDS ?? SHORT_SECONDS);
export const SEED = Number(process.env.TOOLWRIGHT_CLUSTER_SEED ?? 1);
export const IS_LONG = SECONDS >= LONG_SECONDS;
/** The time of a whole test. */
export const LOAD_MS = SECONDS * 1_000 + 300_000;
/** Milliseconds by which clocks are wrong, to both sides. */
export const MOVED_MS = 10 * 60_000;
/** Users of the clients. */
export const USERS = 4;
const CLIENTS = 6;
/** The second is the bound in a test of a machine with other work. */
const RECOVERY_MS = IS_LONG ? 8_000 : 30_000;
/** A client sends a request again after this time, also to a process that is paused. */
const TIMEOUT_MS = 15_000;
const READY_MS = 60_000;
const MAX_SHOWN = 20;
const LOG_CHARACTERS = 3_000;

export interface LoadOptions {
  readonly faults: Faults;
  /** Reads how long executions stood still whose process died. */
  recovery(): Recovery;
  /** Returns parts of the report that explain a broken bound, besides the logs. */
  details?(): readonly string[];
}

/** Lets clients work while parts of a cluster fail, for {@link SECONDS}. Prints the figures, and raises an error with the broken bounds. */
export async function underLoad(cluster: Nodes, { faults, recovery, details }: LoadOptions): Promise<void> {
  const tally: Tally = new Map();
  const ledger = createLedger(cluster.effects);
  const mistakes: string[] = [];
  const ending = AbortSignal.timeout(SECONDS * 1_000);
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    workUntil(ending, index, { cluster, tally, ledger, mistakes }),
  );
  await breakCluster(ending, cluster, { faults, totalMs: SECONDS * 1_000, random: createRandom(SEED), tally });
  await Promise.all(clients);
  const balance = await ledger.balance();
  const notReady = await Promise.all(cluster.nodes.map(isNotReady));
  const moved = recovery();
  const figures: Figure[] = [
    ...[...tally].map(([name, count]) => shown(name, count)),
    shown('acknowledged executions, effects and files', balance.acknowledged),
    atMost('lost', balance.lost.length, 0),
    atMost('doubled effects', balance.doubled.length, 0),
    atMost('followers with a wrong or missing event', mistakes.length, 0),
    atMost('executions without an end in a minute', tally.get('executions without an end') ?? 0, 0),
    atMost('requests without a definite answer', tally.get('no definite answer') ?? 0, 0),
    atMost('processes that are not ready afterwards', notReady.filter(Boolean).length, 0),
    atMost(
      'ends of processes that nobody killed',
      cluster.nodes.reduce((sum, { ends }) => sum + ends, 0),
      0,
    ),
    shown('executions continued after a kill', moved.killed),
    shown('recovery after a kill, p50', `${Math.round(moved.p50Ms)} ms`),
    atMost('recovery after a kill, p99', moved.p99Ms, RECOVERY_MS, ' ms'),
    shown('recovery after a pause, the longest', `${Math.round(moved.pausedMs)} ms`),
  ];
  console.log(`\nSeed ${SEED}, ${SECONDS} s\n\n${tableOf(figures)}\n`);
  const broken = figures.filter(({ holds }) => !holds);
  if (broken.length > 0) {
    const found = [balance.lost, balance.doubled, mistakes].map((names) => names.slice(0, MAX_SHOWN));
    const logs = cluster.nodes.map(({ name, log }) => `${name}:\n${readFileSync(log, 'utf8').slice(-LOG_CHARACTERS)}`);
    console.log([JSON.stringify(found), ...(details?.() ?? []), ...logs].join('\n\n'));
  }
  expect(broken).toEqual([]);
}

/** Returns whether a process is not ready, however long one waits. */
function isNotReady({ url }: ClusterNode): Promise<boolean> {
  const isReady = async () => (await ask(`${url}/ready`).catch(() => undefined))?.status === 200;
  return until(isReady, READY_MS).then(
    () => false,
    () => true,
  );
}

interface Shared extends Pick<Work, 'ledger'> {
  readonly cluster: Nodes;
  readonly tally: Tally;
  readonly mistakes: string[];
}

/** Works like one client until the signal aborts. */
async function workUntil(
  signal: AbortSignal,
  index: number,
  { cluster, tally, ledger, mistakes }: Shared,
): Promise<void> {
  const user = cluster.users[index % cluster.users.length];
  if (!user) return;
  const service = {
    timeoutMs: TIMEOUT_MS,
    get url() {
      return cluster.url();
    },
  };
  const work: Work = { requests: requestsOf(service, user, tally), ledger, random: createRandom(SEED * 1_000 + index) };
  const kinds: readonly (readonly [string, () => Promise<void>])[] = [
    ['executions with 20 calls', () => twentyCalls(work)],
    ['executions with 20 calls', () => twentyCalls(work)],
    ['approvals', () => approval(work)],
    ['programs that sleep', () => sleeper(work)],
    ['sessions', () => session(work)],
    ['tasks', () => task(work, mistakes, cluster)],
  ];
  while (!signal.aborted) {
    const [name, run] = work.random.pick(kinds);
    await run();
    tally.set(name, (tally.get(name) ?? 0) + 1);
  }
}

/** Starts a task, follows it from process to process, and notes its answer. */
async function task({ requests, ledger, random }: Work, mistakes: string[], cluster: Nodes): Promise<void> {
  const headers = { prefer: 'respond-async', 'idempotency-key': ledger.newId() };
  const started = await requests.send('/task', { json: { task: 'Multiply six by seven.' }, headers });
  if (started?.status !== 202) return;
  const { taskId } = started.body;
  const followed = await followTask(cluster, requests.user, { task: taskId, random });
  mistakes.push(...mistakesOf(followed));
  const found = await requests.persist(`/tasks/${taskId}`);
  const { status, error } = found?.body ?? {};
  ledger.stored(`task ${taskId} (${status}, ${error?.message})`, async () => {
    return (await requests.persist(`/tasks/${taskId}`))?.body.status === 'completed';
  });
}
