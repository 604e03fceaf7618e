import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { refusal } from '../http/requests/failure.ts';
import { refuseMalformed, writeProblem } from '../http/requests/malformed-requests.ts';
import { HttpProblem, problemResponse } from '../http/requests/problem.ts';
import { currentRequestId, REQUEST_ID, requestIdOf, withRequestId } from '../http/requests/request-id.ts';
import type { WebApplication } from '../http.ts';
import { type Connections, createConnections } from './connections.ts';
import type { ConnectionLimits } from './limits.ts';

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
