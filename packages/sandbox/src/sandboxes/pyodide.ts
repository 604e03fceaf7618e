import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type ProcessEnd, spawnGuest } from './guest-process.ts';
import { nodePermissionFlags } from './package-paths.ts';
import { createPooledSandbox, type PoolSettings } from './pooled.ts';
import { openSnapshot } from './pyodide/snapshot.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** Default 4 processes; each takes about 130 MB. */
export interface PyodideSandboxOptions extends PoolSettings {
  /** Folder for the snapshot, 30 MB. Default `$XDG_CACHE_HOME/toolwright`, or `~/.cache/toolwright`. */
  readonly cacheDir?: string;
}

/** The version that the guest files were written for; another one has other imports and another library. */
export const PYODIDE_VERSION = '314.0.7';
export const PYODIDE_ENTRY: string = fileURLToPath(new URL('../guest/pyodide.js', import.meta.url));
/** The guest's own deadline ends it first; the process is killed this much later whatever it does. */
const WATCHDOG_GRACE_MS = 300;
/** V8's stack in the child, KiB: room for the interpreter below the 8 MiB that systems give a main thread. */
const CHILD_STACK_KIB = 6_800;
/** V8's heap in the child, MiB: code, names of files, messages on their way. The interpreter's memory lies outside. */
const CHILD_HEAP_MIB = 192;
const ABORTED_EXIT_CODE = 134;

/**
 * CPython in WebAssembly (Pyodide's build), inside a child process that the host can kill: needs nothing but npm. One
 * program per process. The first use on a machine makes a snapshot of the interpreter, which takes some seconds; from
 * then on each process starts from it. Raises `SANDBOX_UNAVAILABLE` when that does not work.
 */
export async function pyodideSandbox(options: PyodideSandboxOptions = {}): Promise<Sandbox> {
  const snapshot = await openSnapshot(options.cacheDir, () =>
    spawnGuest(process.execPath, [...nodeFlags(), PYODIDE_ENTRY, 'snapshot']),
  );
  return createPooledSandbox({
    name: 'pyodide',
    isolation:
      'CPython in WebAssembly, cut off from JavaScript, in a killable child process with an empty environment and Node permission flags',
    languages: ['python'],
    pool: options,
    maxProcesses: 4,
    warm: 1,
    reusable: () => false,
    start({ memoryBytes }) {
      const flags = [...nodeFlags(), PYODIDE_ENTRY, 'run', String(memoryBytes)];
      return spawnGuest(process.execPath, flags, { descriptors: [snapshot.descriptor] });
    },
    graceMs: () => WATCHDOG_GRACE_MS,
    isOutOfMemory: ({ code, signal }: ProcessEnd) => code === ABORTED_EXIT_CODE || signal === 'SIGABRT',
    onDispose: () => snapshot.close(),
  });
}

/** Tells whether this sandbox can run here: whether Pyodide is installed, in the version that we know. */
export async function probePyodide(): Promise<SandboxProbe> {
  const version = installedVersion();
  if (version === PYODIDE_VERSION) return { available: true, reason: `CPython in WebAssembly, Pyodide ${version}` };
  const reason = version === undefined ? 'pyodide is not installed' : `pyodide ${version} is not the version it needs`;
  return { available: false, reason, fix: `npm install pyodide@${PYODIDE_VERSION}` };
}

function installedVersion(): string | undefined {
  try {
    const { version }: { version: string } = createRequire(PYODIDE_ENTRY)('pyodide/package.json');
    return version;
  } catch {
    return undefined;
  }
}

/** The second layer: what even a guest that broke out of WebAssembly may read, and that it may start nothing. */
export function nodeFlags(): string[] {
  return [
    ...nodePermissionFlags(PYODIDE_ENTRY, { pyodide: [] }),
    '--no-warnings',
    '--disable-proto=delete',
    '--disallow-code-generation-from-strings',
    `--stack-size=${CHILD_STACK_KIB}`,
    `--max-old-space-size=${CHILD_HEAP_MIB}`,
  ];
}
