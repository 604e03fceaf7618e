import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type Modem from 'docker-modem';
import type { ConnectionSettings } from 'docker-modem';
import { EngineError, noClient, noEngine } from './engine-error.ts';

/** A container engine that answers: Docker, or Podman with its Docker-compatible API. */
export interface Engine {
  /** Its command line program. */
  readonly command: 'docker' | 'podman';
  /** Name, version and address, for people. */
  readonly description: string;
  /** Its Unix socket; absent if `DOCKER_HOST` has another kind of address. */
  readonly socketPath: string | undefined;
  /** Calls the API and resolves to the JSON of the answer. Rejects with an `EngineError`. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, content?: CallContent): Promise<unknown>;
  /** Calls an operation that answers when a container ends. It has no time limit. */
  wait(path: string, query: Query): Promise<unknown>;
  /** Makes a call and returns its connection as a stream, for the standard streams of a container. */
  hijack(path: string, query: Query): Promise<Duplex>;
}

export interface CallContent {
  readonly query?: Query;
  readonly body?: object;
}

type Query = Readonly<Record<string, string>>;

/** An engine that sends nothing for this time hangs. */
const CALL_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects to the engine at `socketPath`, else at `DOCKER_HOST`, else at the first usual socket of Docker or Podman that
 * answers. Rejects with an `EngineError` that names the attempts.
 */
export async function connectEngine(socketPath?: string): Promise<Engine> {
  const Client = await loadClient();
  const places = socketPath
    ? [socketPath]
    : process.env.DOCKER_HOST
      ? [namedSocket(process.env.DOCKER_HOST)]
      : usualSockets();
  const refusals: EngineError[] = [];
  for (const place of places) {
    const address = place ?? process.env.DOCKER_HOST ?? '';
    try {
      const modem = new Client({ socketPath: place });
      const version = await call(modem, 'GET', '/version', {}, CONNECT_TIMEOUT_MS);
      return openEngine(modem, version, place);
    } catch (error) {
      refusals.push(EngineError.at(address, error));
    }
  }
  throw noEngine(refusals);
}

function openEngine(modem: Modem, version: unknown, socketPath: string | undefined): Engine {
  const text = JSON.stringify(version);
  const podman = /podman/i.test(text);
  const [, number = '?'] = /"Version":"([^"]+)"/.exec(text) ?? [];
  return {
    command: podman ? 'podman' : 'docker',
    description: `${podman ? 'Podman' : 'Docker'} ${number} at ${socketPath ?? process.env.DOCKER_HOST}`,
    socketPath,
    call: (method, path, content = {}) => call(modem, method, path, content, CALL_TIMEOUT_MS),
    wait: async (path, query) => read(await dial(modem, 'POST', path, { query })),
    hijack: (path, query) => {
      const abortSignal = AbortSignal.timeout(CALL_TIMEOUT_MS);
      // An empty file is a body of no bytes. For any other body, or none, the client sends bytes that Podman passes to the
      // container's standard input.
      return dial(modem, 'POST', path, { query }, { hijack: true, file: Buffer.alloc(0), abortSignal });
    },
  };
}

async function call(modem: Modem, method: string, path: string, content: CallContent, timeoutMs: number) {
  const abortSignal = AbortSignal.timeout(timeoutMs);
  return read(await dial(modem, method, path, content, { abortSignal }));
}

/** Statuses of a success; 304 means that nothing had to change. */
const SUCCESS = { 101: true, 200: true, 201: true, 204: true, 304: true } as const;

function dial(
  modem: Modem,
  method: string,
  path: string,
  { query = {}, body = {} }: CallContent,
  settings: ConnectionSettings = {},
): Promise<Duplex> {
  // The client replaces the last character of a path with a question mark by the query.
  const asked = Object.keys(query).length > 0 ? `${path}?` : path;
  const options = { _query: query, _body: body };
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new EngineError('The engine did not answer in time.'));
    settings.abortSignal?.addEventListener('abort', refuse, { once: true });
    // As a stream: otherwise the client waits forever for the end of an aborted answer.
    const dialed = { method, path: asked, options, statusCodes: SUCCESS, isStream: true, ...settings };
    modem.dial(dialed, (error, answer) => {
      settings.abortSignal?.removeEventListener('abort', refuse);
      if (error) reject(EngineError.from(error));
      else resolve(answer);
    });
  });
}

async function read(answer: Duplex): Promise<unknown> {
  const json = await textOf(answer).catch((error: unknown) => {
    throw EngineError.from(error);
  });
  return json === '' ? undefined : JSON.parse(json);
}

/** Loads the client library at its first use: it is an optional peer dependency. */
async function loadClient(): Promise<typeof Modem> {
  try {
    return (await import('docker-modem')).default;
  } catch (error) {
    throw noClient(error);
  }
}

/** Returns the path of the Unix socket in `DOCKER_HOST`, if it is one. */
function namedSocket(host: string): string | undefined {
  return host.startsWith('unix://') ? host.slice('unix://'.length) : undefined;
}

/** Returns the existing sockets of Docker and Podman, of the system and of this user. */
function usualSockets(): string[] {
  const runtime = process.env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.() ?? 0}`;
  const sockets =
    process.platform === 'win32'
      ? ['//./pipe/docker_engine', '//./pipe/podman-machine-default']
      : [
          '/var/run/docker.sock',
          join(homedir(), '.docker/run/docker.sock'),
          join(runtime, 'docker.sock'),
          join(runtime, 'podman/podman.sock'),
          '/run/podman/podman.sock',
        ];
  return sockets.filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
}
