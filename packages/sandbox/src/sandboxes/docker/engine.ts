import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type Modem from 'docker-modem';
import type { DialOptions } from 'docker-modem';
import { EngineError, noClient, noEngine } from './engine-error.ts';

/** A container engine that answered: Docker, or Podman by its Docker-compatible API. */
export interface Engine {
  /** The command line that belongs to it. */
  readonly command: 'docker' | 'podman';
  /** Name, version and address, for people. */
  readonly description: string;
  /** Its socket; absent when it is reached otherwise, as `DOCKER_HOST` tells. */
  readonly socketPath: string | undefined;
  /** Calls the API; resolves to the JSON of the answer. Rejects with an `EngineError`. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, content?: CallContent): Promise<unknown>;
  /** Calls what answers late: when a container ends. It has no time limit. */
  wait(path: string, query: Query): Promise<unknown>;
  /** Takes over the connection of a call: the standard streams of a container. */
  hijack(path: string, query: Query): Promise<Duplex>;
}

export interface CallContent {
  readonly query?: Query;
  readonly body?: object;
}

type Query = Readonly<Record<string, string>>;

/** An engine that says nothing for so long hangs. */
const CALL_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Finds the engine that answers: at `socketPath`, else at `DOCKER_HOST`, else at the first usual socket of Docker or
 * Podman that does. Rejects with an `EngineError` that says what was tried.
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
      const modem = new Client(place === undefined ? {} : { socketPath: place });
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
      // An empty file is a body of no bytes: with any other, or with none, the client sends something that Podman takes
      // for the container's input.
      return dial(modem, 'POST', path, { query }, { hijack: true, file: Buffer.alloc(0), abortSignal });
    },
  };
}

async function call(modem: Modem, method: string, path: string, content: CallContent, timeoutMs: number) {
  const abortSignal = AbortSignal.timeout(timeoutMs);
  return read(await dial(modem, method, path, content, { abortSignal }));
}

/** Statuses that are a success; 304 is "already so". */
const SUCCESS = { 101: true, 200: true, 201: true, 204: true, 304: true } as const;

function dial(
  modem: Modem,
  method: string,
  path: string,
  { query = {}, body = {} }: CallContent,
  settings: Pick<DialOptions, 'abortSignal' | 'hijack' | 'file'> = {},
): Promise<Duplex> {
  // The client replaces the last character of a path that has a question mark by the query.
  const asked = Object.keys(query).length > 0 ? `${path}?` : path;
  const options = { _query: query, _body: body };
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new EngineError('The engine did not answer in time.'));
    settings.abortSignal?.addEventListener('abort', refuse, { once: true });
    // As a stream: the client would wait for ever for the end of an answer that was cut off.
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

/** Loaded when first used: it is not installed together with this package. */
async function loadClient(): Promise<typeof Modem> {
  try {
    return (await import('docker-modem')).default;
  } catch (error) {
    throw noClient(error);
  }
}

/** The path of a Unix socket, when `DOCKER_HOST` names one. */
function namedSocket(host: string): string | undefined {
  return host.startsWith('unix://') ? host.slice('unix://'.length) : undefined;
}

/** Sockets that exist here, of Docker and Podman, of the system and of this user. */
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
