import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '@toolwright/core/command';
import { startProcess } from '@toolwright/sandbox/processes';
import { findServer, type RunningServer } from '../dashboard/running-server.ts';

const DEFAULT_PORT = 8377;
/** Maximum wait for the start in milliseconds, and the time between two looks. */
const START_MS = 60_000;
const LOOK_MS = 100;
/** Lines of its log in an error. */
const SHOWN_LINES = 5;

/** A server that this command started, or found. */
export interface BackgroundServer extends RunningServer {
  /** Absolute path of its log; absent for a server that ran already. */
  readonly log?: string;
}

/** Returns the port to listen on: the given one, else the default, else 0 for any free one. Raises `UsageError` for a given port in use. */
export async function portToUse(given: number | undefined, err: (text: string) => void): Promise<number> {
  const port = given ?? DEFAULT_PORT;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('--port takes a number from 0 to 65535.');
  if (port === 0 || (await isFree(port))) return port;
  if (given !== undefined)
    throw new UsageError(`Port ${port} is in use by another program. Choose another --port, or leave it out.`);
  err(`Port ${port} is in use by another program: the dashboard gets a free port.`);
  return 0;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}

/** Starts `toolwright serve` as a process of its own, and waits until it answers. Raises `UsageError` with the end of its log. */
export async function startServer(
  { file, port, cli }: { readonly file: string; readonly port: number; readonly cli: string },
  dataDir: string,
): Promise<BackgroundServer> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const log = join(dataDir, 'server.log');
  const output = openSync(log, 'w', 0o600);
  let isEnded = false;
  const args = [cli, 'serve', '--port', String(port), '--config', file];
  const child = startProcess(process.execPath, args, { detached: true, stdio: ['ignore', output, output] }, () => {
    isEnded = true;
  });
  closeSync(output);
  child.once('exit', () => {
    isEnded = true;
  });
  child.unref();
  for (let waited = 0; waited < START_MS && !isEnded; waited += LOOK_MS) {
    const found = await findServer(dataDir);
    if (found && found.pid === child.pid) return { ...found, log };
    await sleep(LOOK_MS);
  }
  if (!isEnded) child.kill();
  const lines = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-SHOWN_LINES);
  throw new UsageError(`The dashboard did not start. Its log is ${log}:\n${lines.join('\n')}`);
}
