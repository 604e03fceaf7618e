import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, BlockList, isIP, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { ServerNotifier } from '@modelcontextprotocol/server';
import { ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';
import { refusal } from './http/requests/failure.ts';
import { refuseMalformed, writeProblem } from './http/requests/malformed-requests.ts';
import { HttpProblem, problemResponse } from './http/requests/problem.ts';
import { currentRequestId, REQUEST_ID, requestIdOf, withRequestId } from './http/requests/request-id.ts';
import { type HttpOptions, httpApplication, type WebApplication } from './http.ts';
import { type Connections, createConnections } from './listen/connections.ts';
import { CONNECTION_LIMITS, type ConnectionLimits } from './listen/limits.ts';

/** Where a server listens. */
export interface ListenAddress {
  /** An address of this machine. Addresses other than loopback need keys. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Limits of connections that override {@link CONNECTION_LIMITS}. */
  readonly connections?: Partial<ConnectionLimits>;
}

export interface ListenOptions extends HttpOptions, ListenAddress {
  /** Whether clients must send a key. Without keys, only loopback addresses are allowed. */
  readonly hasKeys?: boolean;
  /** The command that creates a key, for messages. */
  readonly createKey?: string;
}

/** Milliseconds for clients to read their responses when the server closes. */
const FLUSH_MS = 2_000;
/** Wildcard addresses, which are not host names. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** A listening web application. */
export interface Listening {
  /** Notifies subscribed MCP clients of changes. */
  readonly notify: ServerNotifier;
  readonly url: string;
  /** Cancels running requests and frees the port. */
  close(): Promise<void>;
}

/** Serves the web application on a port. Raises `CONFIG_INVALID` when that fails. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, hostnames = [], hasKeys = false, createKey = 'toolwright keys create --user NAME' } = options;
  if (!hasKeys && !isLoopback(host)) {
    const message = `Host ${host} is refused: without API keys, the server listens on loopback only. Create a key with "${createKey}", or remove --host or HOST.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const named = ANY_ADDRESS.has(host) ? [] : [bracketed(host)];
  return listenWith(httpApplication({ ...options, hostnames: [...hostnames, ...named] }), options);
}

/** Serves an application on a port. Raises `CONFIG_INVALID` when that fails. */
export async function listenWith<Application extends WebApplication>(
  application: Application,
  options: ListenAddress,
): Promise<Application & { readonly url: string }> {
  const { host, port } = options;
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
    ...application,
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

/** Returns whether an address is a loopback address. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Milliseconds between two checks for slow connections and unread answers. */
const CHECK_INTERVAL_MS = 500;

/** Creates the HTTP server of an application. It does not listen yet. */
export function openServer({ fetch }: WebApplication, limits: ConnectionLimits): Server {
  const listener = getRequestListener((request, env) => fetch(request, 'incoming' in env ? (env as never) : {}), {
    errorHandler: (error) => problemResponse(refusal(error), currentRequestId()),
  });
  const connections = createConnections(limits);
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
    (incoming, outgoing) => {
      const id = requestIdOf(incoming.headers[REQUEST_ID]);
      outgoing.setHeader(REQUEST_ID, id);
      connections.start(outgoing, () => void withRequestId(id, () => listener(incoming, outgoing)));
    },
  );
  paceConnections(server, connections);
  const checks = setInterval(connections.closeUnread, CHECK_INTERVAL_MS).unref();
  server.on('close', () => clearInterval(checks));
  server.on('clientError', refuseMalformed);
  server.on('checkExpectation', (incoming) => {
    const detail = 'The only supported expectation is 100-continue. Remove the Expect header.';
    writeProblem(
      incoming.socket,
      new HttpProblem(417, 'EXPECTATION_FAILED', detail),
      requestIdOf(incoming.headers[REQUEST_ID]),
    );
  });
  server.on('connect', (incoming, socket) => {
    writeProblem(
      socket,
      new HttpProblem(405, 'METHOD_NOT_ALLOWED', 'This server is not a proxy. Send requests to its own paths.'),
      requestIdOf(incoming.headers[REQUEST_ID]),
    );
  });
  return server;
}

/** Passes paced streams to the HTTP parser instead of sockets. The parser accepts any duplex stream as a connection. */
function paceConnections(server: Server, connections: Connections): void {
  const serve = server.listeners('connection') as ((connection: unknown) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const connection = connections.open(socket);
    for (const listener of serve) if (connection) listener.call(server, connection);
  });
}
