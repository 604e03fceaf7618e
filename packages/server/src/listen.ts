import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, BlockList, isIP } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';
import { refusal } from './http/failure.ts';
import { refuseMalformed, writeProblem } from './http/malformed-requests.ts';
import { HttpProblem, problemResponse } from './http/problem.ts';
import { type HttpApplication, type HttpOptions, httpApplication } from './http.ts';

export interface ListenOptions extends HttpOptions {
  /** An address of this machine. Addresses other than loopback need keys. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Whether clients must send a key. Without keys, only loopback addresses are allowed. */
  readonly hasKeys?: boolean;
  /** The command that creates a key, for messages. */
  readonly createKey?: string;
  /** Limits of connections that override {@link CONNECTION_LIMITS}. */
  readonly connections?: Partial<ConnectionLimits>;
}

/** Limits of HTTP connections. */
export interface ConnectionLimits {
  /** The most connections. Further ones are closed. */
  readonly max: number;
  /** Milliseconds to receive the headers of a request, and the whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Milliseconds that a connection waits for its next request. */
  readonly idleMs: number;
  /** Bytes of all headers together. */
  readonly headerBytes: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  max: 2_000,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 5_000,
  headerBytes: 16 * 1024,
};
/** Milliseconds between two checks for slow connections. */
const CHECK_INTERVAL_MS = 500;
/** Milliseconds for clients to read their responses when the server closes. */
const FLUSH_MS = 2_000;
/** Wildcard addresses, which are not host names. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** A listening web application. */
export interface Listening extends Pick<HttpApplication, 'notify'> {
  readonly url: string;
  /** Cancels running requests and frees the port. */
  close(): Promise<void>;
}

/** Serves the web application on a port. Raises `CONFIG_INVALID` when that fails. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, hostnames = [], hasKeys = false, createKey = 'toolwright keys create --user NAME' } = options;
  if (!hasKeys && !isLoopback(host)) {
    const message = `Host ${host} is refused: without API keys, the server listens on loopback only. Create a key with "${createKey}", or remove --host.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const named = ANY_ADDRESS.has(host) ? [] : [bracketed(host)];
  const application = httpApplication({ ...options, hostnames: [...hostnames, ...named] });
  const server = openServer(application, { ...CONNECTION_LIMITS, ...options.connections });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const message = `Cannot listen on ${host}, port ${port}: ${messageOf(error)}. Choose another --host or --port.`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause: error });
  }
  const address = server.address() as AddressInfo;
  return {
    notify: application.notify,
    url: `http://${bracketed(address.address)}:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      await application.close();
      server.closeIdleConnections();
      const flushed = setTimeout(() => server.closeAllConnections(), FLUSH_MS);
      await closed;
      clearTimeout(flushed);
    },
  };
}

function openServer({ fetch }: HttpApplication, limits: ConnectionLimits): Server {
  const listener = getRequestListener((request, env) => fetch(request, 'incoming' in env ? (env as never) : {}), {
    errorHandler: (error) => problemResponse(refusal(error), randomUUID()),
  });
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // A middleware checks the Host header.
      requireHostHeader: false,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  server.maxConnections = limits.max;
  server.on('clientError', refuseMalformed);
  server.on('checkExpectation', (incoming) => {
    const detail = 'The only supported expectation is 100-continue. Remove the Expect header.';
    writeProblem(incoming.socket, new HttpProblem(417, 'EXPECTATION_FAILED', detail));
  });
  server.on('connect', (_incoming, socket) => {
    writeProblem(
      socket,
      new HttpProblem(405, 'METHOD_NOT_ALLOWED', 'This server is not a proxy. Send requests to its own paths.'),
    );
  });
  return server;
}

/** Returns whether an address is a loopback address. */
function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
