import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GUEST_FOLDER } from './guest-folder.ts';
import { type ProcessEnd, spawnGuest } from './guest-process.ts';
import { nodePermissionFlags } from './package-paths.ts';
import { createPooledSandbox, type PoolSettings } from './pool/pooled.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** Settings of the pool. Default 8 processes; each uses about 45 MB, shared pages included. */
export type QuickjsSandboxOptions = PoolSettings;

/** The guest enforces the time limit first. The host kills the process this much later. */
const WATCHDOG_GRACE_MS = 40;
const ABORTED_EXIT_CODE = 134;
/** V8's stack in the child, KiB: enough for the interpreter, and below the usual 8 MiB of a main thread. */
const CHILD_STACK_KIB = 6_800;
/** V8's heap in the child, MiB: for code and messages. The guest's memory is outside of it. */
const CHILD_HEAP_MIB = 256;
export const GUEST_ENTRY: string = join(GUEST_FOLDER, 'quickjs.js');

/**
 * Creates a sandbox with QuickJS, a JavaScript interpreter in WebAssembly, in a child process. It needs nothing else. Each
 * program finds a fresh engine; a process runs one program at a time and serves one tenant.
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

/** Returns whether this sandbox works on this machine: whether its guest was built. */
export async function probeQuickjs(): Promise<SandboxProbe> {
  if (existsSync(GUEST_ENTRY)) return { available: true, reason: 'WebAssembly interpreter in a child process' };
  return { available: false, reason: 'the guest is not built', fix: 'run: npm run build' };
}

/** Returns the flags for a second layer: a guest that escapes the interpreter can read few files and start no process. */
export function nodeFlags(): string[] {
  return [
    ...nodePermissionFlags(GUEST_ENTRY, {}),
    '--no-warnings',
    '--disable-proto=delete',
    `--stack-size=${CHILD_STACK_KIB}`,
    `--max-old-space-size=${CHILD_HEAP_MIB}`,
  ];
}
