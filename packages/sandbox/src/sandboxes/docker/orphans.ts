import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startWatcher, type Watcher } from '../../processes/watcher.ts';
import type { Engine } from './engine.ts';
import { HOST_LABEL, isOrphan } from './owner.ts';

const WATCH = fileURLToPath(new URL('watch.js', import.meta.url));
/** The variables that the engine's client reads. The child process gets no others. */
const CLIENT_VARIABLES = [
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'DOCKER_PATH_PREFIX',
  'SSH_AUTH_SOCK',
  'HOME',
];
const REMOVAL_POLL_MS = 50;
const REMOVAL_LIMIT_MS = 10_000;

/** Removes the containers of ended processes that neither the process nor its watcher removed. */
export async function removeOrphans(engine: Engine): Promise<void> {
  const orphans = (await listContainers(engine, HOST_LABEL)).filter(({ labels }) => isOrphan(labels));
  await Promise.all(orphans.map(({ id }) => removeContainer(engine, id)));
}

/** Removes all containers of one sandbox object. Resolves once there is none. */
export async function removeContainersOf(host: string, engine: Engine): Promise<void> {
  for (const deadline = performance.now() + REMOVAL_LIMIT_MS; performance.now() < deadline; ) {
    const left = await listContainers(engine, `${HOST_LABEL}=${host}`);
    if (left.length === 0) return;
    await Promise.all(left.map(({ id }) => removeContainer(engine, id)));
    await sleep(REMOVAL_POLL_MS);
  }
}

/** A child process that removes the containers of a sandbox object when this process ends, even on SIGKILL. */
export interface Watch {
  /** Starts the process if it does not run. Call it before you create a container. */
  start(engine: Engine): void;
  /** Ends the process without removing containers. */
  stop(): void;
}

/** Creates the watcher for the containers with the host label `host`. */
export function watchOver(host: string): Watch {
  let child: Watcher | undefined;
  return {
    start({ socketPath }) {
      if (child) return;
      const env = Object.fromEntries(CLIENT_VARIABLES.map((name) => [name, process.env[name]]));
      const args = [WATCH, `${HOST_LABEL}=${host}`, ...(socketPath ? [socketPath] : [])];
      child = startWatcher(process.execPath, args, env, (ended) => {
        if (child === ended) child = undefined;
      });
    },
    stop() {
      child?.kill('SIGKILL');
      child = undefined;
    },
  };
}

interface Listed {
  readonly id: string;
  readonly labels: Readonly<Record<string, unknown>>;
}

async function listContainers(engine: Engine, label: string): Promise<Listed[]> {
  const query = { all: '1', filters: JSON.stringify({ label: [label] }) };
  const listed = await engine.call('GET', '/containers/json', { query });
  return (Array.isArray(listed) ? listed : []).map((entry) => ({ id: String(entry.Id), labels: Object(entry.Labels) }));
}

/** Removes a container. A container that does not exist, or is being removed, is not an error. */
async function removeContainer(engine: Engine, id: string): Promise<void> {
  await engine.call('DELETE', `/containers/${id}`, { query: { force: '1', v: '1' } }).catch(() => undefined);
}
