import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

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

/** Ends a program, and waits for its end. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Returns a port of the loopback that no program uses. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}
