import type { Connector } from '../connector.ts';

/** Milliseconds without a call after which an own connection is closed. */
const IDLE_MS = 600_000;

/** A connection that only some calls of a server use, such as those of one user. */
export interface OwnConnection {
  readonly connector: Connector;
  running: number;
  usedAtMs: number;
}

/** Runs work on a connection, which is in use until the work ends. */
export async function useOwn<T>(own: OwnConnection, work: (connector: Connector) => Promise<T>): Promise<T> {
  own.running++;
  try {
    return await work(own.connector);
  } finally {
    own.running--;
    own.usedAtMs = performance.now();
  }
}

/** Calls a function from time to time for each connection that had no call for ten minutes. Returns the timer. */
export function purgeIdle<Own extends OwnConnection>(
  owned: ReadonlyMap<string, Own>,
  close: (key: string, own: Own) => void,
): NodeJS.Timeout {
  const purge = () => {
    const idle = [...owned].filter(
      ([, { running, usedAtMs }]) => running === 0 && performance.now() - usedAtMs >= IDLE_MS,
    );
    for (const [key, own] of idle) close(key, own);
  };
  return setInterval(purge, IDLE_MS / 10).unref();
}
