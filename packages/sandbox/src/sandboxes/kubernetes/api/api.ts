import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { ClusterAccess } from './access.ts';
import { ApiError } from './api-error.ts';

/** Parameters of a request. A list has one parameter per item. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

export interface CallContent {
  readonly query?: Query;
  readonly body?: object;
  /** Milliseconds without an answer after which the call fails. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** An event of a watch: `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`, and its object. */
export interface WatchEvent {
  readonly type: unknown;
  readonly object: unknown;
}

/** The API server of a cluster. */
export interface KubernetesApi {
  /** Its address, for people. */
  readonly address: string;
  /** Returns the milliseconds since the epoch by the clock of the API server. */
  now(): number;
  /**
   * Calls the API and resolves to the JSON of the answer. A call that the server refuses for now (429, 503) is repeated. Rejects
   * with an `ApiError`.
   */
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, content?: CallContent): Promise<unknown>;
  /** Follows the changes of a collection until the server ends the watch. Rejects with an `ApiError`. */
  watch(path: string, query: Query, signal: AbortSignal): AsyncIterable<WatchEvent>;
  /** Executes a command in a pod. Resolves to the open connection. Rejects with an `ApiError`. */
  exec(path: string, query: Query): Promise<WebSocket>;
  /** Closes idle connections. */
  close(): void;
}

const CALL_TIMEOUT_MS = 30_000;
const ATTEMPTS = 5;
const MAX_PAUSE_MS = 10_000;
const MAX_SOCKETS = 64;
/** A pod sends at most 32 KiB in a message, and 16 MiB is the largest message of any server that is known. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** The version that reports the end of one direction. Kubernetes has it since 1.30. */
export const EXEC_PROTOCOL = 'v5.channel.k8s.io';
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Creates a client of the API server. It connects with the first call. */
export function createApi(access: ClusterAccess): KubernetesApi {
  const { server, tls } = access;
  const agent = isTls(server)
    ? new HttpsAgent({ ...tls, keepAlive: true, maxSockets: MAX_SOCKETS })
    : new HttpAgent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  let skewMs = 0;

  const headers = async (): Promise<Record<string, string>> => {
    const token = await access.token();
    if (token === undefined) return {};
    if (!isTls(server) && !LOOPBACK.test(server.hostname)) {
      throw new ApiError(`${server.origin} has no TLS: a token is sent only to an address that begins with https://`);
    }
    return { authorization: `Bearer ${token}` };
  };
  const send = async (method: string, path: string, { query, body, timeoutMs, signal }: CallContent & Abortable) => {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const sent = (isTls(server) ? requestHttps : requestHttp)(urlOf(server, path, query), {
      agent,
      method,
      timeout: timeoutMs ?? CALL_TIMEOUT_MS,
      signal,
      headers: {
        accept: 'application/json',
        ...(await headers()),
        ...(json === undefined
          ? {}
          : { 'content-type': contentType(method), 'content-length': String(Buffer.byteLength(json)) }),
      },
    });
    sent.on('timeout', () =>
      sent.destroy(new ApiError(`no answer within ${(timeoutMs ?? CALL_TIMEOUT_MS) / 1_000} s`)),
    );
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', (error) => reject(ApiError.from(error)));
      sent.end(json);
    });
    const date = Date.parse(answer.headers.date ?? '');
    if (!Number.isNaN(date)) skewMs = date - Date.now();
    return answer;
  };

  return {
    address: server.origin,
    now: () => Date.now() + skewMs,
    async call(method, path, content = {}) {
      for (let attempt = 1; ; attempt++) {
        const answer = await send(method, path, content);
        const body = await textOf(answer).catch((error: unknown) => Promise.reject(ApiError.from(error)));
        const status = answer.statusCode ?? 0;
        if (status < 400) return parsed(body);
        const pauseMs = attempt < ATTEMPTS ? pauseOf(status, attempt, answer) : undefined;
        if (pauseMs === undefined) throw ApiError.fromAnswer(status, body);
        await sleep(pauseMs, undefined, { ref: false });
      }
    },
    async *watch(path, query, signal) {
      const answer = await send('GET', path, { query: { ...query, watch: '1' }, signal });
      if ((answer.statusCode ?? 0) >= 400) throw ApiError.fromAnswer(answer.statusCode ?? 0, await textOf(answer));
      answer.setTimeout(0);
      try {
        for await (const line of createInterface({ input: answer })) if (line !== '') yield Object(parsed(line));
      } catch (error) {
        throw ApiError.from(error);
      } finally {
        answer.destroy();
      }
    },
    exec: async (path, query) => openWebSocket(urlOf(server, path, query), access, await headers()),
    close: () => agent.destroy(),
  };
}

interface Abortable {
  readonly signal?: AbortSignal;
}

function isTls({ protocol }: URL): boolean {
  return protocol === 'https:';
}

function urlOf(server: URL, path: string, query: Query = {}): URL {
  const url = new URL(server.href.replace(/\/$/, '') + path);
  for (const [name, value] of Object.entries(query)) {
    for (const item of typeof value === 'string' ? [value] : value) url.searchParams.append(name, item);
  }
  return url;
}

function contentType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}

/** Returns the milliseconds until a refused call is repeated; `undefined` if it is not. */
function pauseOf(status: number, attempt: number, { headers }: IncomingMessage): number | undefined {
  // The token may have been replaced between its reading and this answer.
  if (status === 401) return attempt === 1 ? 0 : undefined;
  if (status !== 429 && status !== 503) return undefined;
  const seconds = Number(headers['retry-after'] ?? 'NaN');
  return Math.min(MAX_PAUSE_MS, Number.isNaN(seconds) ? 100 * 2 ** attempt : seconds * 1_000);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new ApiError('the answer is not JSON: is this the address of a Kubernetes API server?', { cause });
  }
}

async function openWebSocket(url: URL, { tls }: ClusterAccess, headers: Record<string, string>): Promise<WebSocket> {
  const { WebSocket } = await import('./websocket-library.ts');
  const address = url.href.replace(/^http/, 'ws');
  const socket = new WebSocket(address, [EXEC_PROTOCOL], {
    ...tls,
    headers,
    handshakeTimeout: CALL_TIMEOUT_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(socket));
    socket.on('error', (error) => reject(ApiError.from(error)));
    socket.on('unexpected-response', (_request, answer) => {
      void textOf(answer)
        .catch(() => '')
        .then((body) => reject(ApiError.fromAnswer(answer.statusCode ?? 0, body)))
        .finally(() => socket.terminate());
    });
  });
}
