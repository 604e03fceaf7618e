import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { Writable } from 'node:stream';
import { startProcess } from './start-process.ts';

/** A process that outlives this one to clean up after it. */
export type Watcher = ChildProcess & { readonly stdin: Writable };

/**
 * Starts a process in its own session that watches this process: its stdin ends when this process ends, however that happens.
 * It does not keep this process alive. Its end, also a failed start, calls `onEnd`. `env` is its whole environment. Raises `BUSY` without a
 * free descriptor.
 */
export function startWatcher(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onEnd: (watcher: Watcher) => void = () => undefined,
): Watcher {
  const options: SpawnOptions = { detached: true, cwd: '/', env, stdio: ['pipe', 'ignore', 'ignore'] };
  const watcher = startProcess(command, args, options, () => onEnd(watcher)) as Watcher;
  watcher.on('exit', () => onEnd(watcher));
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  // The pipe is a socket, which would otherwise keep this process alive.
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref();
  return watcher;
}
