import { MAX_PAYLOAD_BYTES, type Notifications, openNotifications } from '../postgres/notifications.ts';
import { type Bus, createListeners } from './bus.ts';
import { type MessageSealOptions, messageSeal } from './message-seal.ts';

export interface PostgresBusOptions extends MessageSealOptions {
  /** `postgres://user:password@host:5432/database`: processes with the same database share the bus. */
  readonly url: string;
}

/** The first character of a payload: the message ends with it, or goes on with the next one. */
const [LAST, MORE] = ['.', '+'];
const PART_CHARACTERS = MAX_PAYLOAD_BYTES - 1;
/** Characters of a sealed message. A longer one is not sent. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Opens a bus on a PostgreSQL database, by its notifications. A message that is longer than a payload is sent in parts. The database sees
 * neither topics nor messages: all of them are sealed here, and other messages are refused.
 */
export function postgresBus({ url, ...sealing }: PostgresBusOptions): Bus {
  const notifications = openNotifications({ url, logger: sealing.logger });
  const listeners = createListeners();
  const { nameOf, seal, open } = messageSeal(sealing);
  const channelOf = (topic: string) => `toolwright_${nameOf(topic)}`;
  const ends = new Map<string, () => void>();
  const listenTo = (topic: string) =>
    ends.set(
      topic,
      listenToMessages(notifications, channelOf(topic), (sealed) => {
        const message = open(topic, sealed);
        if (message !== undefined) listeners.deliver(topic, message);
      }),
    );
  return {
    name: 'postgres',
    publish(topic, message) {
      const sealed = seal(topic, message).toString('base64');
      if (sealed.length <= MAX_CHARACTERS) notifications.notify(channelOf(topic), partsOf(sealed));
    },
    subscribe(topic, listener) {
      // The same function may subscribe twice.
      const own = (message: string) => listener(message);
      if (listeners.add(topic, own)) listenTo(topic);
      return () => {
        if (!listeners.remove(topic, own)) return;
        ends.get(topic)?.();
        ends.delete(topic);
      };
    },
    onGap: notifications.onGap,
    async [Symbol.asyncDispose]() {
      listeners.clear();
      await notifications[Symbol.asyncDispose]();
    },
  };
}

function partsOf(sealed: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < sealed.length; start += PART_CHARACTERS) {
    const end = start + PART_CHARACTERS;
    parts.push(`${end < sealed.length ? MORE : LAST}${sealed.slice(start, end)}`);
  }
  return parts;
}

/** Puts the parts of messages together. No others come between the parts of one message. Returns the function that ends this. */
function listenToMessages(
  notifications: Notifications,
  channel: string,
  onMessage: (sealed: Buffer) => void,
): () => void {
  let parts = '';
  const { end } = notifications.listen(channel, (payload) => {
    parts += payload.slice(1);
    if (payload[0] === MORE && parts.length <= MAX_CHARACTERS) return;
    const sealed = Buffer.from(parts, 'base64');
    parts = '';
    onMessage(sealed);
  });
  const endGaps = notifications.onGap(() => {
    parts = '';
  });
  return () => {
    end();
    endGaps();
  };
}
