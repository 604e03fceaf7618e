import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A server on this machine, as its data folder names it. */
export interface RunningServer {
  /** The address that a browser opens. */
  readonly url: string;
  readonly pid: number;
  /** Absolute path of its configuration; absent without one. */
  readonly config?: string;
}

/** Where a server without `--port` listens. */
export const DEFAULT_URL = 'http://localhost:8377';
/** Maximum wait for an answer to `/health` in milliseconds. */
const ANSWER_MS = 3_000;

/** Names this process as the server of a data folder, until it is disposed. The newest server of a folder counts. */
export function announceServer(dataDir: string, { url, config }: Omit<RunningServer, 'pid'>): Disposable {
  const file = fileOf(dataDir);
  const own: RunningServer = { url: browserUrl(url), pid: process.pid, config };
  try {
    writeFileSync(file, `${JSON.stringify(own)}\n`, { mode: 0o600 });
  } catch {
    // It serves all the same: "toolwright dashboard --url" opens it.
  }
  return {
    [Symbol.dispose]() {
      if (read(file)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** Returns the server that a data folder names, if it answers; else a server at the default address. */
export async function findServer(dataDir: string): Promise<RunningServer | undefined> {
  const named = parsed(await readFile(fileOf(dataDir), 'utf8').catch(() => ''));
  if (named && (await answers(named.url))) return named;
  return (await answers(DEFAULT_URL)) ? { url: DEFAULT_URL, pid: 0 } : undefined;
}

/** Returns whether a Toolwright answers at an address. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('health', withSlash(url)), { signal: AbortSignal.timeout(ANSWER_MS) });
    const { status, running } = (await response.json()) as { status?: unknown; running?: unknown };
    return (status === 'ok' || status === 'draining') && typeof running === 'number';
  } catch {
    return false;
  }
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** A browser cannot open the address that stands for all addresses. */
function browserUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'server.json');
}

function read(file: string): RunningServer | undefined {
  try {
    return parsed(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function parsed(text: string): RunningServer | undefined {
  try {
    const value = JSON.parse(text) as RunningServer;
    return typeof value.pid === 'number' && /^http:\/\//.test(value.url) && URL.canParse(value.url) ? value : undefined;
  } catch {
    return undefined;
  }
}
