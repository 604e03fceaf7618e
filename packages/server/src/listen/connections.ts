import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionLimits } from './limits.ts';
import { PacedConnection } from './paced-connection.ts';
import { createRefusedClients, REFUSED_WAIT_MS } from './refused-clients.ts';
import { createTurns } from './turns.ts';

/** The open connections of a server. */
export interface Connections {
  /** Adds a socket. Returns its connection, or closes it and returns `undefined` when no other connection can be replaced. */
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
  let opened = 0;
  return {
    open(socket) {
      if (open.size >= limits.max && !closeIdle(open.keys())) {
        socket.destroy();
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
