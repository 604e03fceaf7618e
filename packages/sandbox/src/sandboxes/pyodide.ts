import { createRequire } from 'node:module';
import { join } from 'node:path';
import { descriptorShortage, isDescriptorShortage } from '../processes/descriptors.ts';
import { GUEST_FOLDER } from './guest-folder.ts';
import { type ProcessEnd, spawnGuest } from './guest-process.ts';
import { nodePermissionFlags } from './package-paths.ts';
import { createPooledSandbox, type PoolSettings } from './pool/pooled.ts';
import { openSnapshot } from './pyodide/snapshot.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** Settings of the sandbox. Default 4 processes; each uses about 100 MB, and its limit. */
export interface PyodideSandboxOptions extends PoolSettings {
  /** Folder for the snapshot, 30 MB. Default `$XDG_CACHE_HOME/toolwright`, or `~/.cache/toolwright`. */
  readonly cacheDir?: string;
  /** Folder of a layer with Python packages. Programs can import those without compiled code. Default: none. */
  readonly packages?: string | undefined;
}

/** The version that the guest files need. Other versions have other imports and another library. */
export const PYODIDE_VERSION = '314.0.7';
export const PYODIDE_ENTRY: string = join(GUEST_FOLDER, 'pyodide.js');
/** The guest enforces the time limit first. The host kills the process this much later. */
const WATCHDOG_GRACE_MS = 300;
/** V8's stack in the child, KiB: enough for the interpreter, and below the usual 8 MiB of a main thread. */
const CHILD_STACK_KIB = 6_800;
/** V8's heap in the child, MiB: for code, file names and messages. The interpreter's memory is outside of it. */
const CHILD_HEAP_MIB = 64;
/** V8's new objects in the child, MiB: for short-lived texts. The default takes up to 48. */
const CHILD_NEW_OBJECTS_MIB = 1;
const MIB = 1024 * 1024;
/** Resident memory of a guest, in addition to the limit of its program. Idle, it has 98 MiB on Node 20, 39 of them shared. */
const OVERHEAD_BYTES = 128 * MIB;
/** Memory for compiling the interpreter's code while a program runs. On a Node that needs more when idle, it is added to that. */
const COMPILER_BYTES = 29 * MIB;
const ABORTED_EXIT_CODE = 134;

/**
 * Creates a sandbox with CPython in WebAssembly (Pyodide) in a child process. It needs only the npm package, and runs one
 * program per process. The first use on a machine creates a snapshot of the interpreter, which takes some seconds; later
 * processes start from it. Raises `SANDBOX_UNAVAILABLE` if that fails.
 */
export async function pyodideSandbox(options: PyodideSandboxOptions = {}): Promise<Sandbox> {
  const snapshot = await openSnapshot(options.cacheDir, () =>
    spawnGuest(process.execPath, [...nodeFlags(), PYODIDE_ENTRY, 'snapshot']),
  );
  return createPooledSandbox({
    name: 'pyodide',
    isolation:
      'CPython in WebAssembly, without access to JavaScript, in a killable child process with an empty environment and Node permission flags',
    languages: ['python'],
    pool: options,
    maxProcesses: 4,
    warm: 1,
    reusable: () => false,
    start({ memoryBytes }) {
      const { packages } = options;
      const folder = packages === undefined ? [] : [packages];
      const flags = [...nodeFlags(), ...folder.map((path) => `--allow-fs-read=${path}/*`)];
      return spawnGuest(process.execPath, [...flags, PYODIDE_ENTRY, 'run', String(memoryBytes), ...folder], {
        descriptors: [snapshot.descriptor],
      });
    },
    graceMs: () => WATCHDOG_GRACE_MS,
    maxResidentBytes: ({ memoryBytes }, idleBytes) =>
      memoryBytes + Math.max(OVERHEAD_BYTES, idleBytes + COMPILER_BYTES),
    isOutOfMemory: ({ code, signal }: ProcessEnd) => code === ABORTED_EXIT_CODE || signal === 'SIGABRT',
    onDispose: () => snapshot.close(),
  });
}

/** Returns whether this sandbox works on this machine: whether the right version of Pyodide is installed. */
export async function probePyodide(): Promise<SandboxProbe> {
  const version = installedVersion();
  if (version === PYODIDE_VERSION) return { available: true, reason: `CPython in WebAssembly, Pyodide ${version}` };
  const reason =
    version === undefined
      ? 'pyodide is not installed'
      : `pyodide ${version} is installed, but ${PYODIDE_VERSION} is required`;
  return { available: false, reason, fix: `npm install pyodide@${PYODIDE_VERSION}` };
}

function installedVersion(): string | undefined {
  try {
    const { version }: { version: string } = createRequire(PYODIDE_ENTRY)('pyodide/package.json');
    return version;
  } catch (error) {
    if (isDescriptorShortage(error)) throw descriptorShortage(error);
    return undefined;
  }
}

/** Returns the flags for a second layer: a guest that escapes WebAssembly can read few files and start no process. */
export function nodeFlags(): string[] {
  return [
    ...nodePermissionFlags(PYODIDE_ENTRY, { pyodide: [] }),
    // The zones of the host, for `zoneinfo`.
    '--allow-fs-read=/usr/share/zoneinfo/*',
    '--no-warnings',
    '--disable-proto=delete',
    '--disallow-code-generation-from-strings',
    `--stack-size=${CHILD_STACK_KIB}`,
    `--max-old-space-size=${CHILD_HEAP_MIB}`,
    `--max-semi-space-size=${CHILD_NEW_OBJECTS_MIB}`,
    // Each compilation takes up to 25 MiB, and each thread keeps its memory.
    '--wasm-num-compilation-tasks=1',
    '--v8-pool-size=1',
    // The guest collects replaced contents of files, and removes the function before it starts the interpreter.
    '--expose-gc',
  ];
}
