// Starts PostgreSQL and Redis for benchmarks of a cluster: the servers that Debian installs, with their default settings.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepChild } from './children.mjs';

const START_TIMEOUT_MS = 30_000;
/** The folders of Debian's packages, of which one has the newest version. */
const INSTALLED = '/usr/lib/postgresql';
/** The user `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

async function until(isReady, server, name) {
  for (const end = performance.now() + START_TIMEOUT_MS; performance.now() < end && server.exitCode === null; ) {
    if (isReady()) return;
    await sleep(20);
  }
  server.kill('SIGKILL');
  throw new Error(`${name} did not answer within ${START_TIMEOUT_MS} ms.`);
}

async function stop(server, signal, folder) {
  if (server.exitCode === null && server.signalCode === null) {
    server.kill(signal);
    await once(server, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Starts PostgreSQL, where each commit waits for the disk. `settings` are lines like `max_connections=300`. */
export async function startPostgres(settings = []) {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : [];
  if (versions.length === 0) throw new Error('This benchmark needs PostgreSQL. Run: apt-get install postgresql');
  const program = (name) => join(INSTALLED, versions[0], 'bin', name);
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o755);
  const options = { cwd: folder, env: { ...process.env, LC_ALL: 'C', HOME: folder }, stdio: 'ignore', ...user };
  const data = join(folder, 'data');
  execFileSync(program('initdb'), ['-D', data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--locale=C'], options);
  const flags = ['listen_addresses=', ...settings].flatMap((setting) => ['-c', setting]);
  const server = keepChild(spawn(program('postgres'), ['-D', data, '-k', folder, ...flags], options));
  const isReady = () => spawnSync(program('pg_isready'), ['-q', '-h', folder]).status === 0;
  await until(isReady, server, 'PostgreSQL');
  return {
    pid: server.pid,
    url: `postgres://owner@localhost/postgres?host=${encodeURIComponent(folder)}`,
    stop: () => stop(server, 'SIGQUIT', folder),
  };
}

/** Starts Redis without files. */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-redis-'));
  const url = join(folder, 'socket');
  const server = spawn('redis-server', ['--port', '0', '--unixsocket', url, '--save', '', '--dir', folder], {
    stdio: 'ignore',
  });
  keepChild(server);
  await once(server, 'spawn');
  await until(() => existsSync(url), server, 'Redis');
  return { pid: server.pid, url, stop: () => stop(server, 'SIGKILL', folder) };
}
