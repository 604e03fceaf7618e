import { openClient, REDIS_TIMEOUT_MS } from '../redis/redis-connection.ts';
import { type Bus, createListeners } from './bus.ts';
import { type MessageSealOptions, messageSeal } from './message-seal.ts';

export interface RedisBusOptions extends MessageSealOptions {
  /** `redis://`, `rediss://` or the path of a Unix socket. */
  readonly url: string;
  /** The start of every channel: one per cluster. Default: `toolwright:`. */
  readonly prefix?: string;
}

const DEFAULT_PREFIX = 'toolwright:';

/**
 * Opens a bus on a Redis server, by its publish and subscribe. It has two connections, which reconnect by themselves. Redis sees neither
 * topics nor messages: all of them are sealed here, and other messages are refused. Rejects with `STORE_UNAVAILABLE` when `ioredis` is not
 * installed.
 */
export async function redisBus({ url, prefix = DEFAULT_PREFIX, ...sealing }: RedisBusOptions): Promise<Bus> {
  const publisher = await openClient(url, REDIS_TIMEOUT_MS);
  const subscriber = publisher.duplicate({ lazyConnect: true, maxRetriesPerRequest: null, autoResubscribe: true });
  const listeners = createListeners();
  const gaps = new Set<() => void>();
  const { nameOf, seal, open } = messageSeal(sealing);
  const channelOf = (topic: string) => `${prefix}${nameOf(topic)}`;
  /** The subscribed topics by their channels. */
  const topics = new Map<string, string>();
  let isFirst = true;
  subscriber.on('error', () => undefined);
  subscriber.on('messageBuffer', (channel: Buffer, sealed: Buffer) => {
    const topic = topics.get(channel.toString());
    const message = topic === undefined ? undefined : open(topic, sealed);
    if (topic !== undefined && message !== undefined) listeners.deliver(topic, message);
  });
  subscriber.on('ready', () => {
    if (!isFirst) for (const listener of [...gaps]) listener();
    isFirst = false;
  });
  void subscriber.connect().catch(() => undefined);
  return {
    name: 'redis',
    publish: (topic, message) => void publisher.publish(channelOf(topic), seal(topic, message)).catch(() => undefined),
    subscribe(topic, listener) {
      // The same function may subscribe twice.
      const own = (message: string) => listener(message);
      const channel = channelOf(topic);
      if (listeners.add(topic, own)) {
        topics.set(channel, topic);
        void subscriber.subscribe(channel).catch(() => undefined);
      }
      return () => {
        if (!listeners.remove(topic, own)) return;
        topics.delete(channel);
        void subscriber.unsubscribe(channel).catch(() => undefined);
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
