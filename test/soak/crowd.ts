import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { openDesk } from '../fixtures/command-line.ts';
import { end } from './programs.ts';

/** The answer to one program. `status` is 0 if the connection was cut without one. */
export interface CrowdAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects to be there
  readonly body: any;
}

/** A server in a process of its own with few file descriptors. */
export interface CrowdedServer {
  readonly pid: number;
  /** The log. */
  readonly logged: readonly string[];
  /** Returns how many descriptors it has open. Only Linux has this figure. */
  descriptors(): number;
  hasEnded(): boolean;
  /** Opens connections that send nothing. */
  connectIdle(count: number): Promise<readonly Socket[]>;
  /** Sends programs at once, each on a connection of its own. */
  run(count: number): Promise<readonly CrowdAnswer[]>;
  /** Ends it as a supervisor does, and returns its exit code. */
  close(): Promise<number | null>;
}

const CONNECT_AT_ONCE = 50;
/** Every fifth program is Python. */
const PYTHON_EACH = 5;

/** Starts a server whose process may have at most `limit` descriptors. */
export async function startCrowded(limit: number): Promise<CrowdedServer> {
  const desk = openDesk({});
  const words = [process.execPath, desk.cli, 'serve', '--port', '0'];
  const child = spawn('/bin/sh', ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, ...words], {
    cwd: desk.folder,
    env: desk.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logged: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => logged.push(line));
  const { hostname, port } = new URL(await firstUrl(child));
  return {
    pid: child.pid ?? 0,
    logged,
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async connectIdle(count) {
      const sockets: Socket[] = [];
      while (sockets.length < count) {
        const some = Array.from({ length: Math.min(CONNECT_AT_ONCE, count - sockets.length) }, () =>
          connect(Number(port), hostname).on('error', () => undefined),
        );
        await Promise.all(some.map((socket) => once(socket, 'connect')));
        sockets.push(...some);
      }
      return sockets;
    },
    run: (count) => Promise.all(Array.from({ length: count }, (_, index) => send(hostname, port, index))),
    async close() {
      await end(child, 'SIGTERM');
      return child.exitCode;
    },
  };
}

async function firstUrl(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The server did not start.')));
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  ended.catch(() => undefined);
  return /http:\S+/.exec(line)?.[0] ?? '';
}

function send(hostname: string, port: string, index: number): Promise<CrowdAnswer> {
  const isPython = index % PYTHON_EACH === 0;
  const code = isPython ? `result = ${index}` : `return ${index}`;
  const body = JSON.stringify({ code, language: isPython ? 'python' : 'typescript' });
  return new Promise((resolve) => {
    const asked = request(
      {
        hostname,
        port,
        path: '/execute',
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json' },
      },
      async (response) => {
        const answer = await text(response).catch(() => '');
        const retryAfter = response.headers['retry-after'];
        resolve({ status: response.statusCode ?? 0, retryAfter, body: answer === '' ? undefined : JSON.parse(answer) });
      },
    );
    asked.on('error', (error) => resolve({ status: 0, retryAfter: undefined, body: error.message }));
    asked.end(body);
  });
}

/** Returns the answers that are neither a result nor a refusal with its reason and the time to try again. */
export function unexplained(answers: readonly CrowdAnswer[]): CrowdAnswer[] {
  return answers.filter(({ status, retryAfter, body }) => {
    if (status === 200) return body.status !== 'completed';
    return status !== 503 || !/BUSY$/.test(body.code) || body.detail === '' || Number(retryAfter) < 1;
  });
}

/** Returns the sandboxes that ran programs. */
export function sandboxesOf(answers: readonly CrowdAnswer[]): string[] {
  return [...new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.stats.sandbox))].sort();
}
