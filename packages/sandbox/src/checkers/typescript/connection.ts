import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { messageOf } from '../../errors.ts';
import { startProcess } from '../../processes/start-process.ts';

/** A running compiler: JSON-RPC 2.0 over its stdin and stdout, with a `Content-Length` header per message. */
export interface Compiler {
  request(method: string, parameters: unknown): Promise<unknown>;
  /** True until its process has ended. Pending requests are rejected then. */
  alive(): boolean;
  /** Kills the process. */
  kill(): void;
}

/** Answers the compiler's requests for its view of the file system. */
export type Callbacks = Readonly<Record<string, (path: string) => unknown>>;

/** Address space of the compiler's process: Go reserves much more than it uses. */
const MAX_ADDRESS_SPACE_KIB = 4 * 1024 * 1024;
/** Above this size, Go collects garbage continuously before it grows. */
const SOFT_MEMORY_LIMIT = '768MiB';
const BLANK_LINE = '\r\n\r\n';

/** Starts the compiler, in the process group of this language worker: it ends with the worker. */
export function startCompiler(program: string, callbacks: Callbacks): Compiler {
  const args = ['--api', '--async', '--cwd', '/', `--callbacks=${Object.keys(callbacks).join(',')}`];
  let end: (reason: string) => void = () => undefined;
  const child = spawnLimited(program, args, (error) => end(messageOf(error)));
  const waiting = new Map<number, { resolve(value: unknown): void; reject(reason: unknown): void }>();
  let alive = true;
  let last = 0;

  end = (reason) => {
    alive = false;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };
  child.once('exit', (code, signal) => {
    end(`the compiler ended with ${signal ?? `code ${code}`}`);
  });
  child.stdin?.on('error', () => undefined);

  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}${BLANK_LINE}${body}`);
  };
  const kill = () => {
    end('the compiler was ended');
    child.kill('SIGKILL');
  };
  const receive = (message: Message) => {
    if (message.method !== undefined) {
      const result = callbacks[message.method]?.(String(message.params)) ?? null;
      if (message.id !== undefined) send({ id: message.id, result });
      return;
    }
    const request = waiting.get(Number(message.id));
    waiting.delete(Number(message.id));
    if (message.error) request?.reject(new Error(message.error.message));
    else request?.resolve(message.result);
  };
  child.stdout?.on(
    'data',
    readMessages((body) => {
      try {
        receive(JSON.parse(body));
      } catch {
        kill();
      }
    }),
  );
  // An idle compiler does not keep this process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream && 'unref' in stream) (stream as Unreferenced).unref();

  return {
    alive: () => alive,
    kill,
    request(method, params) {
      if (!alive) return Promise.reject(new Error('the compiler has ended'));
      const id = ++last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      });
    },
  };
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Unreferenced {
  unref(): void;
}

/** Returns a command that sets the limit in a shell, which the program replaces. Without `ulimit` there is no limit. */
function spawnLimited(program: string, args: readonly string[], onError: (error: Error) => void): ChildProcess {
  const options: SpawnOptions = {
    cwd: '/',
    env: { GOMEMLIMIT: SOFT_MEMORY_LIMIT },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  };
  if (process.platform === 'win32') return startProcess(program, args, options, onError);
  const limited = `ulimit -v ${MAX_ADDRESS_SPACE_KIB} 2>/dev/null; exec "$0" "$@"`;
  return startProcess('/bin/sh', ['-c', limited, program, ...args], options, onError);
}

function readMessages(take: (body: string) => void): (chunk: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (;;) {
      const head = held.indexOf(BLANK_LINE);
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(held.subarray(0, head).toString())?.[1]);
      const start = head + BLANK_LINE.length;
      if (!(held.length >= start + length)) return;
      const body = held.subarray(start, start + length).toString();
      held = held.subarray(start + length);
      take(body);
    }
  };
}
