import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Linux gives connections the ports from 32,768 on, and macOS from 49,152. */
const PORTS = { first: 20_000, count: 12_000 };
const given = new Set<number>();

/** Starts a program of Node, and waits for its first line. */
export async function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stderr: 'ignore' | number,
  cwd?: string,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', stderr], ...(cwd ? { cwd } : {}) });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${args[0]} ended with ${code}.`)));
  await Promise.race([once(lines, 'line'), ended]);
  ended.catch(() => undefined);
  return child;
}

/** Returns the environment of a program whose clock is wrong by some milliseconds. */
export function movedClock(ms: number): Record<string, string> {
  const module = fileURLToPath(new URL('moved-clock.mjs', import.meta.url));
  return { NODE_OPTIONS: `--import=${module}`, MOVED_CLOCK_MS: String(ms) };
}

/** Ends a program, and waits for its end. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/**
 * Returns a port of the loopback that no program uses. No connection gets it from the system either, so that a program that is
 * killed can start on it again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
