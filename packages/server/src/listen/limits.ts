import { descriptorLimit } from '@toolwright/sandbox/processes';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits of HTTP connections. */
export interface ConnectionLimits {
  /**
   * The most connections. A further one replaces the oldest connection that has no request in flight. It is refused with 503
   * when there is none.
   */
  readonly max: number;
  /** Milliseconds to receive the headers of a request, and the whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Milliseconds that a connection waits for its next request. */
  readonly idleMs: number;
  /** Bytes of all headers together. */
  readonly headerBytes: number;
  /** The most requests of one connection in flight. The server does not read further requests until it has answered one. */
  readonly inFlight: number;
  /** Bytes of unread answers of one connection, above which the server reads no further request of it. */
  readonly unreadBytes: number;
  /** Bytes of unread answers of all connections. Above, the connection with the most of them is closed. */
  readonly totalUnreadBytes: number;
  /** Milliseconds after which a connection is closed when its client reads nothing. */
  readonly stalledMs: number;
}

const MAX_CONNECTIONS = 2_000;
/**
 * Descriptors that connections leave to the rest of the server. On all sandboxes, 32 programs that start and run use 170. The process
 * itself uses 40, and each connected server some more.
 */
const RESERVED_DESCRIPTORS = 384;
/** With a low limit, connections have this part of it. */
const LEAST_SHARE = 1 / 4;

/** Returns how many connections a process with a limit of file descriptors accepts. Default: the limit of this process. */
export function maxConnections(descriptors: number = descriptorLimit() ?? Number.POSITIVE_INFINITY): number {
  return Math.min(MAX_CONNECTIONS, Math.max(Math.floor(descriptors * LEAST_SHARE), descriptors - RESERVED_DESCRIPTORS));
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  max: maxConnections(),
  headersMs: 10_000,
  requestMs: 30_000,
  // Longer than the 60 s of load balancers: a request that meets the end of its connection fails.
  idleMs: 65_000,
  headerBytes: 16 * KIB,
  inFlight: 16,
  unreadBytes: MIB,
  totalUnreadBytes: 256 * MIB,
  stalledMs: 30_000,
};
