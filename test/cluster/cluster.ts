import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { postgresStore } from '../../packages/storage/src/postgres.ts';
import { sqliteStore } from '../../packages/storage/src/sqlite.ts';
import type { Store } from '../../packages/storage/src/store.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { createRandom } from '../fixtures/random.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { end, freePort, start } from '../soak/programs.ts';
import type { User } from '../soak/served.ts';
import type { Fault } from './recovery.ts';

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
  /** False while it is paused, or starts again after a crash. */
  readonly isUp: boolean;
  /** How often it has ended by itself. */
  readonly ends: number;
  /** Ends the process without a warning, and starts it again. Resolves when it answers. */
  crash(): Promise<void>;
  /** Stops the process for some milliseconds, like a machine without a processor. */
  pause(ms: number): Promise<void>;
  stop(signal: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
}

/** Processes of Toolwright that share their state. */
export interface Nodes {
  readonly nodes: readonly ClusterNode[];
  readonly users: readonly User[];
  /** Absent for the processes of one data folder. */
  readonly postgres?: TestPostgres;
  /** Absent without Redis. */
  readonly redis?: TestRedis | undefined;
  /** The file with the effects of all tools. */
  readonly effects: string;
  /** The kills and pauses of processes until now. */
  readonly faults: readonly Fault[];
  /** Returns the milliseconds by which the clock of a process is wrong. */
  wrongBy(pid: number): number;
  /** Returns the URL of any process that serves requests, as a balancer does that takes out those that do not answer. */
  url(): string;
  close(): Promise<void>;
}

/** Processes of Toolwright on one PostgreSQL, and on one Redis if wanted. */
export interface Cluster extends Nodes {
  readonly apis: readonly ClusterNode[];
  readonly workers: readonly ClusterNode[];
  readonly postgres: TestPostgres;
  /** The URL of the database. */
  readonly store: string;
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
  const [postgres, redis] = await Promise.all([startPostgres(), hasRedis ? startRedis() : undefined]);
  const store = await postgres.create();
  const names = [...roles('api', apis), ...roles('worker', workers), ...roles('all', whole)];
  const shared = { TOOLWRIGHT_STORE: store, ...(redis ? { TOOLWRIGHT_REDIS: redis.url } : {}) };
  const started = await startNodes(names, {
    ...{ count, seed, envOf, keyStore: postgresStore({ url: store }), env: { ...shared, ...env } },
    dataDir: (name) => join(name, 'data'),
  });
  const { nodes } = started;
  return {
    ...{ ...started, postgres, redis, store },
    apis: nodes.filter(({ role }) => role !== 'worker'),
    workers: nodes.filter(({ role }) => role !== 'api'),
    async close() {
      await started.close();
      await redis?.stop();
      await postgres.stop();
    },
  };
}

/** Starts two processes on one data folder. */
export async function startFolder({ users: count, seed = 1, envOf = () => ({}) }: FolderOptions): Promise<Folder> {
  const dataDir = temporaryFolder();
  const keyStore = sqliteStore({ path: join(dataDir, 'store.db') });
  const names = roles('all', 2);
  const started = await startNodes(names, { count, seed, envOf, keyStore, env: {}, dataDir: () => dataDir });
  return { ...started, dataDir };
}

interface FolderOptions extends Pick<ClusterOptions, 'users' | 'seed' | 'envOf'> {}

/** Two processes on one data folder. */
export interface Folder extends Nodes {
  readonly dataDir: string;
}

interface NodesOptions {
  /** Of the users. */
  readonly count: number;
  readonly seed: number;
  readonly envOf: (name: string) => Readonly<Record<string, string>>;
  /** The store of the keys, which this closes. */
  readonly keyStore: Store;
  readonly env: Readonly<Record<string, string>>;
  /** Returns the data folder of a process, in its own folder. */
  readonly dataDir: (folder: string) => string;
}

/** Starts the server of the tools, and the processes. */
async function startNodes(
  names: ReturnType<typeof roles>,
  { count, seed, envOf, keyStore, env, dataDir }: NodesOptions,
): Promise<Nodes> {
  const folder = temporaryFolder();
  const effects = join(folder, 'effects');
  writeFileSync(effects, '');
  const toolPort = await freePort();
  const tools = await start([EFFECTS, String(toolPort)], { ...process.env, EFFECTS: effects }, 'ignore');
  const desk = openDesk();
  writeConfiguration(desk, toolPort);
  Object.assign(desk.env, {
    TOOLWRIGHT_MASTER_KEY: randomBytes(32).toString('hex'),
    LLM_MODEL: `scripted/${desk.write('script.json', SCRIPT)}`,
    ...env,
  });
  const users: User[] = [];
  for (let index = 0; index < count; index++) users.push(await createUser(keyStore, `user-${index}`));
  await keyStore[Symbol.asyncDispose]();
  const faults: Fault[] = [];
  const clocks = new Map<number, number>();
  const nodes = await Promise.all(
    names.map((node) => {
      const own = join(folder, node.name);
      const env = { TOOLWRIGHT_DATA_DIR: dataDir(own), ...envOf(node.name) };
      return startNode(desk, own, { ...node, env, faults, clocks });
    }),
  );
  const served = nodes.filter(({ role }) => role !== 'worker');
  const random = createRandom(seed);
  return {
    ...{ nodes, users, effects, faults },
    wrongBy: (pid) => clocks.get(pid) ?? 0,
    url() {
      const up = served.filter(({ isUp }) => isUp);
      return random.pick(up.length > 0 ? up : served).url;
    },
    async close() {
      await Promise.all(nodes.map((node) => node.stop('SIGKILL')));
      await end(tools, 'SIGKILL');
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

interface NodeOptions {
  readonly role: Role;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Gets the kills and pauses of the process. */
  readonly faults: Fault[];
  /** Gets the milliseconds by which the clock of each process is wrong, by its number. */
  readonly clocks: Map<number, number>;
}

async function startNode(
  desk: Desk,
  folder: string,
  { role, name, env: own, faults, clocks }: NodeOptions,
): Promise<ClusterNode> {
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  const log = join(folder, 'log');
  const logFile = openSync(log, 'a');
  const port = await freePort();
  const env = { ...desk.env, TMPDIR: join(folder, 'tmp'), ...own };
  const words = [desk.cli, 'serve', '--role', role, '--port', String(port)];
  const ended = new WeakSet<ChildProcess>();
  let ends = 0;
  const serve = async () => {
    const started = await start(words, env, logFile, desk.folder);
    clocks.set(started.pid ?? 0, Number(own.MOVED_CLOCK_MS ?? 0));
    started.once('exit', () => {
      if (!ended.has(started)) ends++;
    });
    return started;
  };
  let child = await serve();
  let isUp = true;
  const stop = (signal: NodeJS.Signals) => {
    ended.add(child);
    return end(child, signal);
  };
  return {
    ...{ name, role, log, stop },
    url: `http://127.0.0.1:${port}`,
    get pid() {
      return child.pid ?? 0;
    },
    get isUp() {
      return isUp;
    },
    get ends() {
      return ends;
    },
    async start() {
      child = await serve();
    },
    async crash() {
      isUp = false;
      faults.push({ kind: 'kill', pid: child.pid ?? 0, atMs: Date.now() });
      await stop('SIGKILL');
      child = await supervised(serve);
      isUp = true;
    },
    async pause(ms) {
      isUp = false;
      faults.push({ kind: 'pause', pid: child.pid ?? 0, atMs: Date.now() });
      child.kill('SIGSTOP');
      await sleep(ms);
      child.kill('SIGCONT');
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
