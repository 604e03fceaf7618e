/** Refusals of a client within a second, above which its next requests wait. */
const PROMPT_REFUSALS = 20;
/** Milliseconds that a request of such a client waits. It is the shortest `Retry-After` of a refusal. */
export const REFUSED_WAIT_MS = 1000;

/** The clients that send on although the server refuses their requests. */
export interface RefusedClients {
  /** Counts a refused request of a client. */
  note(client: string): void;
  /** Returns whether the client was refused so often within the last second that its requests wait. */
  mustWait(client: string): boolean;
}

/**
 * Creates an empty set. Refusing a request costs the server about a millisecond: a client that ignores `Retry-After` would
 * otherwise take the processor from the other users.
 */
export function createRefusedClients(): RefusedClients {
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
