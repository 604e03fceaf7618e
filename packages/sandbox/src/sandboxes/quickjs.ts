import { join } from 'node:path';
import { GUEST_FOLDER } from './guest-folder.ts';
import { type ProcessEnd, spawnGuest } from './guest-process.ts';
import { nodePermissionFlags, packagePaths } from './package-paths.ts';
import { createPooledSandbox, type PoolSettings } from './pooled.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** Default 8 processes; each takes about 45 MB, shared pages included. */
export type QuickjsSandboxOptions = PoolSettings;

/** The guest's own deadline ends it first; the process is killed this much later whatever it does. */
const WATCHDOG_GRACE_MS = 40;
const ABORTED_EXIT_CODE = 134;
/** V8's stack in the child, KiB: room for the interpreter below the 8 MiB that systems give a main thread. */
const CHILD_STACK_KIB = 6_800;
/** V8's heap in the child, MiB: its own code, and messages on their way. The guest's memory lies outside. */
const CHILD_HEAP_MIB = 256;
export const GUEST_ENTRY: string = join(GUEST_FOLDER, 'quickjs.js');
/** The interpreter's packages, each with what it imports itself. */
const ENGINE_PACKAGES = {
  'quickjs-emscripten-core': ['@jitl/quickjs-ffi-types'],
  '@jitl/quickjs-wasmfile-release-sync': ['@jitl/quickjs-ffi-types'],
};

/**
 * A QuickJS interpreter in WebAssembly, inside a child process that the host can kill: needs nothing but npm.
 * Fresh context per program, one program at a time per process, one tenant per process.
 */
export function quickjsSandbox(options: QuickjsSandboxOptions = {}): Sandbox {
  return createPooledSandbox({
    name: 'quickjs',
    isolation:
      'WebAssembly interpreter in a killable child process with an empty environment and Node permission flags',
    languages: ['javascript'],
    pool: options,
    maxProcesses: 8,
    warm: 1,
    reusable: () => true,
    start: ({ memoryBytes }) => spawnGuest(process.execPath, [...nodeFlags(), GUEST_ENTRY, String(memoryBytes)]),
    graceMs: () => WATCHDOG_GRACE_MS,
    isOutOfMemory: ({ code, signal }: ProcessEnd) => code === ABORTED_EXIT_CODE || signal === 'SIGABRT',
  });
}

/** Tells whether this sandbox can run here. It needs nothing but its npm packages. */
export async function probeQuickjs(): Promise<SandboxProbe> {
  try {
    packagePaths(GUEST_ENTRY, ENGINE_PACKAGES);
    return { available: true, reason: 'WebAssembly interpreter from npm in a child process' };
  } catch {
    return { available: false, reason: 'the packages of the interpreter are not installed', fix: 'run: npm ci' };
  }
}

/** The second layer: what even a guest that broke out of the interpreter may read, and that it may start nothing. */
export function nodeFlags(): string[] {
  return [
    ...nodePermissionFlags(GUEST_ENTRY, ENGINE_PACKAGES),
    '--no-warnings',
    '--disable-proto=delete',
    `--stack-size=${CHILD_STACK_KIB}`,
    `--max-old-space-size=${CHILD_HEAP_MIB}`,
  ];
}
