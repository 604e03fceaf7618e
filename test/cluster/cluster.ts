import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { postgresStore } from '../../packages/storage/src/postgres.ts';
import type { Store } from '../../packages/storage/src/store.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { createRandom } from '../fixtures/random.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { end, freePort, start } from '../soak/programs.ts';
import type { User } from '../soak/served.ts';

const EFFECTS = fileURLToPath(new URL('../soak/effects.mjs', import.meta.url));
const NO_QUOTA = { requestsPerMinute: 0, concurrentExecutions: 0, concurrentTasks: 0, tokensPerDay: 0 };
/** Starts of a process that a supervisor tries, and the pause between two. */
const MAX_STARTS = 10;
const RESTART_MS = 1_000;
const SCRIPT = [{ code: 'return 6 * 7' }, { text: 'It is {{result}}.' }];

export type Role = 'api' | 'worker' | 'all';

/** One process of the cluster, with a data folder of its own. */
export interface ClusterNode {
  readonly name: string;
  readonly role: Role;
  readonly url: string;
  readonly pid: number;
  readonly log: string;
  /** False while it starts again after a crash. */
  readonly isUp: boolean;
  /** Ends the process without a warning, and starts it again. Resolves when it answers. */
  crash(): Promise<void>;
  stop(signal: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
}

/** Processes of Toolwright on one PostgreSQL, and on one Redis if wanted. */
export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly apis: readonly ClusterNode[];
  readonly workers: readonly ClusterNode[];
  readonly users: readonly User[];
  readonly postgres: TestPostgres;
  /** Absent in a cluster without Redis. */
  readonly redis: TestRedis | undefined;
  /** The URL of the database. */
  readonly store: string;
  /** The file with the effects of all tools. */
  readonly effects: string;
  /** Returns the URL of any api process. */
  url(): string;
  close(): Promise<void>;
}

export interface ClusterOptions {
  readonly apis: number;
  readonly workers: number;
  /** Processes that serve requests and run programs. Default: 0. */
  readonly whole?: number;
  readonly users: number;
  /** Whether there is a Redis. Default: true. */
  readonly hasRedis?: boolean;
  readonly seed?: number;
  /** More of the environment of all processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** More of the environment of one process, by its name. */
  readonly envOf?: (name: string) => Readonly<Record<string, string>>;
}

/** Starts PostgreSQL, Redis, the server of the tools, and the processes. */
export async function startCluster({
  apis,
  workers,
  whole = 0,
  users: count,
  hasRedis = true,
  seed = 1,
  env = {},
  envOf = () => ({}),
}: ClusterOptions): Promise<Cluster> {
  const folder = temporaryFolder();
  const effects = join(folder, 'effects');
  writeFileSync(effects, '');
  const [postgres, redis] = await Promise.all([startPostgres(), hasRedis ? startRedis() : undefined]);
  const store = await postgres.create();
  const toolPort = await freePort();
  const tools = await start([EFFECTS, String(toolPort)], { ...process.env, EFFECTS: effects }, 'ignore');
  const desk = openDesk();
  writeConfiguration(desk, toolPort);
  Object.assign(desk.env, {
    TOOLWRIGHT_STORE: store,
    ...(redis ? { TOOLWRIGHT_REDIS: redis.url } : {}),
    TOOLWRIGHT_MASTER_KEY: randomBytes(32).toString('hex'),
    LLM_MODEL: `scripted/${desk.write('script.json', SCRIPT)}`,
    ...env,
  });
  const users: User[] = [];
  const keyStore = postgresStore({ url: store });
  for (let index = 0; index < count; index++) users.push(await createUser(keyStore, `user-${index}`));
  await keyStore[Symbol.asyncDispose]();
  const names = [...roles('api', apis), ...roles('worker', workers), ...roles('all', whole)];
  const nodes = await Promise.all(
    names.map((node) => startNode(desk, join(folder, node.name), { ...node, env: envOf(node.name) })),
  );
  const served = nodes.filter(({ role }) => role !== 'worker');
  const random = createRandom(seed);
  return {
    ...{
      nodes,
      apis: served,
      workers: nodes.filter(({ role }) => role !== 'api'),
      users,
      postgres,
      redis,
      store,
      effects,
    },
    url: () => random.pick(served).url,
    async close() {
      await Promise.all(nodes.map((node) => node.stop('SIGKILL')));
      await end(tools, 'SIGKILL');
      await redis?.stop();
      await postgres.stop();
    },
  };
}

function roles(role: Role, count: number): { readonly role: Role; readonly name: string }[] {
  return Array.from({ length: count }, (_, index) => ({ role, name: `${role}-${index + 1}` }));
}

function writeConfiguration(desk: Desk, toolPort: number): void {
  const web = { url: `http://127.0.0.1:${toolPort}/mcp`, type: 'http' };
  desk.write('toolwright.json', {
    rateLimits: { user: NO_QUOTA, key: NO_QUOTA },
    waits: { graceMs: 0 },
    policy: { rules: [{ name: 'a person decides', tools: 'asked__*', action: 'ask' }] },
    // One server under three names, as the clients of the soak test expect them.
    mcpServers: { pipe: web, web, asked: web },
  });
}

async function createUser(store: Store, name: string): Promise<User> {
  const { text } = await apiKeys(store).create({ user: name });
  return { name, headers: { authorization: `Bearer ${text}` } };
}

async function startNode(
  desk: Desk,
  folder: string,
  {
    role,
    name,
    env: own,
  }: { readonly role: Role; readonly name: string; readonly env: Readonly<Record<string, string>> },
): Promise<ClusterNode> {
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  const log = join(folder, 'log');
  const logFile = openSync(log, 'a');
  const port = await freePort();
  const env = { ...desk.env, TOOLWRIGHT_DATA_DIR: join(folder, 'data'), TMPDIR: join(folder, 'tmp'), ...own };
  const words = [desk.cli, 'serve', '--role', role, '--port', String(port)];
  const serve = () => start(words, env, logFile, desk.folder);
  let child = await serve();
  let isUp = true;
  const stop = (signal: NodeJS.Signals) => end(child, signal);
  return {
    ...{ name, role, log, stop },
    url: `http://127.0.0.1:${port}`,
    get pid() {
      return child.pid ?? 0;
    },
    get isUp() {
      return isUp;
    },
    async start() {
      child = await serve();
    },
    async crash() {
      isUp = false;
      await stop('SIGKILL');
      child = await supervised(serve);
      isUp = true;
    },
  };
}

/** Starts a program as a supervisor does: again, if it ends at once because its database restarts. */
async function supervised(serve: () => Promise<ChildProcess>): Promise<ChildProcess> {
  for (let left = MAX_STARTS; ; left--) {
    try {
      return await serve();
    } catch (error) {
      if (left === 1) throw error;
      await sleep(RESTART_MS);
    }
  }
}
