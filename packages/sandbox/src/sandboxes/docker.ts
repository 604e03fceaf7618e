import { randomUUID } from 'node:crypto';
import { startContainer } from './docker/container.ts';
import { containerConfig } from './docker/container-config.ts';
import { diagnose } from './docker/diagnosis.ts';
import { connectEngine, type Engine } from './docker/engine.ts';
import { defaultImage, imageName } from './docker/image.ts';
import { removeContainersOf, removeOrphans, watchOver } from './docker/orphans.ts';
import { ownerLabels } from './docker/owner.ts';
import type { ProcessEnd } from './guest-process.ts';
import { createPooledSandbox, type PoolSettings } from './pool/pooled.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** The image and the engine of the containers. All settings are optional. */
export interface DockerSettings {
  /** The image with the guest files, default `toolwright-guest:<version of this package>`. */
  readonly image?: string;
  /** The engine's socket. Default: `DOCKER_HOST`, else the first usual socket of Docker or Podman that answers. */
  readonly socketPath?: string;
  /** An OCI runtime of the engine, such as `runsc` (gVisor). Default: the engine's default. */
  readonly runtime?: string;
}

/** Settings of the container sandbox. */
export interface DockerSandboxOptions extends PoolSettings, DockerSettings {
  /** Folder of a layer with Python packages, on the machine of the engine. Default: none. */
  readonly packages?: string | undefined;
}

const WATCHDOG_GRACE_MS = 250;
/** 134: V8 aborts when its heap is full. 101: `start.sh` reports that the kernel killed a process inside. */
const OUT_OF_MEMORY_CODES: readonly (number | null)[] = [134, 101];

/** Creates a sandbox that runs TypeScript, JavaScript and Python, each program in its own container. */
export function dockerSandbox(options: DockerSandboxOptions = {}): Sandbox {
  const { image = defaultImage(), socketPath, runtime, packages } = options;
  const host = randomUUID();
  const labels = ownerLabels(host);
  const watch = watchOver(host);
  let engine: Promise<Engine> | undefined;
  const connect = async () => {
    engine ??= connectAndRemoveOrphans(socketPath);
    const connected = await engine;
    watch.start(connected);
    return connected;
  };

  return createPooledSandbox({
    name: 'docker',
    isolation:
      'its own container per program: no network, no capabilities, read-only, not root, seccomp, limited memory and processes',
    languages: ['javascript', 'python'],
    pool: options,
    maxProcesses: 8,
    warm: 1,
    reusable: () => false,
    limitsProcessor: true,
    start(kind) {
      const config = (connected: Engine) => containerConfig(kind, { image, labels, runtime, packages }, connected);
      const container = startContainer(connect, { image, config });
      // The next program searches for the engine again: it may have restarted, on another socket.
      void container.ended.then(({ error }) => {
        if (error) engine = undefined;
      });
      return container;
    },
    graceMs: () => WATCHDOG_GRACE_MS,
    isOutOfMemory: ({ code }: ProcessEnd) => OUT_OF_MEMORY_CODES.includes(code),
    async onDispose() {
      const known = await engine?.catch(() => undefined);
      if (known) await removeContainersOf(host, known);
      watch.stop();
    },
  });
}

async function connectAndRemoveOrphans(socketPath?: string): Promise<Engine> {
  const engine = await connectEngine(socketPath);
  // The first program neither waits for this nor fails because of it.
  removeOrphans(engine).catch(() => undefined);
  return engine;
}

/** Returns whether an engine answers and has the image and the runtime. */
export async function probeDocker(options: DockerSettings = {}): Promise<SandboxProbe> {
  const { image = defaultImage(), socketPath, runtime } = options;
  let engine: Engine | undefined;
  try {
    engine = await connectEngine(socketPath);
    await engine.call('GET', `/images/${imageName(image, engine)}/json`);
    if (runtime !== undefined && !(await hasRuntime(engine, runtime))) {
      return {
        available: false,
        reason: `${engine.description} has no runtime "${runtime}"`,
        fix: `name it under "runtimes" in the engine's daemon.json`,
      };
    }
    return { available: true, reason: `${engine.description}, image ${image}` };
  } catch (error) {
    return { available: false, ...diagnose(error, image, engine?.command) };
  }
}

async function hasRuntime(engine: Engine, runtime: string): Promise<boolean> {
  const { Runtimes: runtimes } = Object(await engine.call('GET', '/info'));
  return Object.hasOwn(Object(runtimes), runtime);
}
