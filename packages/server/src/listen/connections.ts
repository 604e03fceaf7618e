import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { writeProblem } from '../http/requests/malformed-requests.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../http/requests/problem.ts';
import { requestIdOf } from '../http/requests/request-id.ts';
import type { ConnectionLimits } from './limits.ts';
import { PacedConnection } from './paced-connection.ts';
import { createRefusedClients, REFUSED_WAIT_MS } from './refused-clients.ts';
import { createTurns } from './turns.ts';

/** The open connections of a server. */
export interface Connections {
  /** Adds a socket. Returns its connection, or refuses it and returns `undefined` when no other connection can be replaced. */
  open(socket: Socket): PacedConnection | undefined;
  /**
   * Starts a request when its client is in turn, unless it has disconnected. A client is a credential, or a connection without
   * one. The requests of a client that is often refused wait, a second each time.
   */
  start(answer: ServerResponse, begin: () => void): void;
  /** Closes connections until the unread answers of all connections are within the limit. */
  closeUnread(): void;
}

const TOO_MANY_REQUESTS = 429;

/** Creates an empty set of connections. */
export function createConnections(limits: ConnectionLimits): Connections {
  /** The id of each connection, oldest connection first. */
  const open = new Map<PacedConnection, string>();
  const turns = createTurns();
  const refused = createRefusedClients();
  const refuse = createRefusal(limits.max);
  let opened = 0;
  return {
    open(socket) {
      if (open.size >= limits.max && !closeIdle(open.keys())) {
        refuse(socket);
        return undefined;
      }
      const connection = new PacedConnection(socket, limits);
      open.set(connection, `${opened++}`);
      connection.once('close', () => open.delete(connection));
      return connection;
    },
    start(answer, begin) {
      const connection = answer.req.socket as unknown as PacedConnection;
      connection.track(answer);
      const client = answer.req.headers.authorization ?? open.get(connection) ?? '';
      answer.once('close', () => {
        if (answer.statusCode === TOO_MANY_REQUESTS) refused.note(client);
      });
      const startInTurn = () =>
        turns(client, () => {
          if (connection.destroyed) return;
          if (refused.mustWait(client)) setTimeout(startInTurn, REFUSED_WAIT_MS).unref();
          else begin();
        });
      startInTurn();
    },
    closeUnread() {
      const unread = [...open.keys()].map((connection) => ({ connection, bytes: connection.unreadBytes }));
      unread.sort((a, b) => b.bytes - a.bytes);
      let total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
      for (const { connection, bytes } of unread) {
        if (total <= limits.totalUnreadBytes) return;
        connection.destroy();
        total -= bytes;
      }
    },
  };
}

/** Closes the oldest connection without a request in flight. Returns false if there is none. */
function closeIdle(connections: Iterable<PacedConnection>): boolean {
  for (const connection of connections) {
    if (connection.inFlight > 0 || connection.destroyed) continue;
    connection.destroy();
    return true;
  }
  return false;
}

/** Refused connections that stay open for the moment in which their clients read the reason. Further ones are closed at once. */
const MAX_REFUSED = 32;

/** Returns a function that answers 503 to a socket before it reads a request, and closes it. */
function createRefusal(max: number): (socket: Socket) => void {
  let lingering = 0;
  const detail = `All ${max} connections of this server have a request in flight. Try again later.`;
  const problem = new HttpProblem(503, 'BUSY', detail, { headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` } });
  return (socket) => {
    socket.on('error', () => undefined);
    if (lingering >= MAX_REFUSED) {
      socket.destroy();
      return;
    }
    lingering++;
    socket.once('close', () => lingering--);
    // Unread input would make the system discard the answer.
    socket.resume();
    writeProblem(socket, problem, requestIdOf(undefined));
  };
}
