import { openClient, REDIS_TIMEOUT_MS } from '../redis-connection.ts';
import { type Bus, createListeners } from './bus.ts';

export interface RedisBusOptions {
  /** `redis://`, `rediss://` or the path of a Unix socket. */
  readonly url: string;
  /** The start of every channel: one per cluster. Default: `toolwright:`. */
  readonly prefix?: string;
}

const DEFAULT_PREFIX = 'toolwright:';

/**
 * Opens a bus on a Redis server, by its publish and subscribe. It has two connections, which reconnect by themselves. Rejects with
 * `STORE_UNAVAILABLE` when `ioredis` is not installed.
 */
export async function redisBus({ url, prefix = DEFAULT_PREFIX }: RedisBusOptions): Promise<Bus> {
  const publisher = await openClient(url, REDIS_TIMEOUT_MS);
  const subscriber = publisher.duplicate({ lazyConnect: true, maxRetriesPerRequest: null, autoResubscribe: true });
  const listeners = createListeners();
  const gaps = new Set<() => void>();
  let isFirst = true;
  subscriber.on('error', () => undefined);
  subscriber.on('message', (channel: string, message: string) =>
    listeners.deliver(channel.slice(prefix.length), message),
  );
  subscriber.on('ready', () => {
    if (!isFirst) for (const listener of [...gaps]) listener();
    isFirst = false;
  });
  void subscriber.connect().catch(() => undefined);
  return {
    name: 'redis',
    publish: (topic, message) => void publisher.publish(prefix + topic, message).catch(() => undefined),
    subscribe(topic, listener) {
      // The same function may subscribe twice.
      const own = (message: string) => listener(message);
      if (listeners.add(topic, own)) void subscriber.subscribe(prefix + topic).catch(() => undefined);
      return () => {
        if (listeners.remove(topic, own)) void subscriber.unsubscribe(prefix + topic).catch(() => undefined);
      };
    },
    onGap(listener) {
      gaps.add(listener);
      return () => void gaps.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      listeners.clear();
      gaps.clear();
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
