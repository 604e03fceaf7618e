import type { Client } from '@modelcontextprotocol/client';
import { keepListening } from '../tools/list-subscription.ts';

/** The subscriptions of one connector to updates of resources. They stay over connections. */
export interface Subscriptions {
  /** Adds a listener, and subscribes at the server for the first listener of a URI. Returns a function that removes it. */
  add(client: Client, uri: string, onUpdate: () => void, timeoutMs: number): Promise<() => Promise<void>>;
  /** Receives an update that the server reported. */
  updated(uri: string): void;
  /** Subscribes on a new connection, and reports an update of each resource: one may have been missed. */
  renew(client: Client): void;
}

interface Subscription {
  readonly listeners: Set<() => void>;
  client: Client;
  close: () => Promise<void>;
}

/** Creates the subscriptions of one connector. */
export function createSubscriptions(): Subscriptions {
  const active = new Map<string, Promise<Subscription>>();

  const open = async (client: Client, uri: string, timeoutMs?: number): Promise<Subscription> => {
    const close = await subscribe(client, uri, () => updated(uri), timeoutMs);
    return { listeners: new Set(), client, close };
  };
  const updated = (uri: string) => {
    void active.get(uri)?.then(
      ({ listeners }) => {
        for (const listener of [...listeners]) listener();
      },
      () => undefined,
    );
  };
  return {
    updated,
    async add(client, uri, onUpdate, timeoutMs) {
      let opening = active.get(uri);
      if (!opening) {
        opening = open(client, uri, timeoutMs);
        active.set(uri, opening);
        opening.catch(() => active.delete(uri));
      }
      const subscription = await opening;
      // Two listeners may be the same function.
      const listener = () => onUpdate();
      subscription.listeners.add(listener);
      return async () => {
        subscription.listeners.delete(listener);
        if (subscription.listeners.size > 0 || active.get(uri) !== opening) return;
        active.delete(uri);
        await subscription.close().catch(() => undefined);
      };
    },
    renew(client) {
      for (const [uri, opening] of active) {
        void opening
          .then(async (subscription) => {
            if (subscription.client === client) return;
            subscription.client = client;
            subscription.close = await subscribe(client, uri, () => updated(uri));
            updated(uri);
          })
          .catch(() => undefined);
      }
    },
  };
}

/** Subscribes in the way of the protocol revision. Returns a function that ends the subscription. */
async function subscribe(
  client: Client,
  uri: string,
  onGap: () => void,
  timeoutMs?: number,
): Promise<() => Promise<void>> {
  if (client.getProtocolEra() === 'modern') {
    const end = new AbortController();
    await keepListening(client, { resourceSubscriptions: [uri] }, onGap, end.signal);
    return async () => end.abort();
  }
  const options = { timeout: timeoutMs };
  await client.subscribeResource({ uri }, options);
  return async () => {
    if (client.transport !== undefined) await client.unsubscribeResource({ uri }, options);
  };
}
