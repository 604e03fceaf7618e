import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** A process that outlives this one for as long as it takes to clean up after it. */
export type Watcher = ChildProcess & { readonly stdin: Writable };

/**
 * Starts a process in a session of its own that watches over us: its stdin ends when this process has ended, in whatever
 * way. It keeps nobody alive, and that it failed is known to nobody but `onEnd`. `env` is all that it gets.
 */
export function startWatcher(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onEnd: (watcher: Watcher) => void = () => undefined,
): Watcher {
  const watcher: Watcher = spawn(command, args, { detached: true, cwd: '/', env, stdio: ['pipe', 'ignore', 'ignore'] });
  watcher.on('error', () => onEnd(watcher));
  watcher.on('exit', () => onEnd(watcher));
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  // The pipe is a socket, which would keep this process alive.
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref();
  return watcher;
}
