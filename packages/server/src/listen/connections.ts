import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fairQueue } from '@toolwright/sandbox/internal';
import { writeProblem } from '../http/requests/malformed-requests.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../http/requests/problem.ts';
import { requestIdOf } from '../http/requests/request-id.ts';
import type { ConnectionLimits } from './limits.ts';
import { PacedConnection } from './paced-connection.ts';

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

/** Refusals of a client within a second, above which its next requests wait. */
const PROMPT_REFUSALS = 20;
/** Milliseconds that a request of such a client waits. It is the shortest `Retry-After` of a refusal. */
const REFUSED_WAIT_MS = 1000;

/** The clients that send on although the server refuses their requests. */
interface RefusedClients {
  /** Counts a refused request of a client. */
  note(client: string): void;
  /** Returns whether the client was refused so often within the last second that its requests wait. */
  mustWait(client: string): boolean;
}

/** Requests that start in one turn of the event loop. In between, the server reads further requests. */
const STARTS_PER_TURN = 8;

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

/**
 * Creates an empty set. Refusing a request costs the server about a millisecond: a client that ignores `Retry-After` would
 * otherwise take the processor from the other users.
 */
function createRefusedClients(): RefusedClients {
  const refusals = new Map<string, number>();
  return {
    note(client) {
      refusals.set(client, (refusals.get(client) ?? 0) + 1);
      setTimeout(() => {
        const left = (refusals.get(client) ?? 0) - 1;
        if (left > 0) refusals.set(client, left);
        else refusals.delete(client);
      }, REFUSED_WAIT_MS).unref();
    },
    mustWait: (client) => (refusals.get(client) ?? 0) >= PROMPT_REFUSALS,
  };
}

/** Returns a function that starts work in a later turn of the event loop. Clients take turns. */
function createTurns(): (client: string, start: () => void) => void {
  const waiting = fairQueue<() => void>();
  let scheduled = 0;
  const startNext = () => {
    scheduled--;
    waiting.shift()?.();
    schedule();
  };
  const schedule = () => {
    for (; scheduled < Math.min(STARTS_PER_TURN, waiting.length); scheduled++) setImmediate(startNext);
  };
  return (client, start) => {
    waiting.push(client, start);
    schedule();
  };
}
