import { randomUUID } from 'node:crypto';
import { seal, unseal } from '@toolwright/pii/internal';
import { derivedSealingKey, keyedName } from '../data-folder/integrity.ts';
import type { Logger } from '../log.ts';

/** Seals the messages of one sender, and opens those of all senders of its cluster. */
export interface MessageSeal {
  /** Returns the name of a topic for others, who cannot compute the topic from it. */
  nameOf(topic: string): string;
  seal(topic: string, message: string): Buffer;
  /** Returns a message; undefined for one that was forged, altered, moved to another topic, or sent again. */
  open(topic: string, sealed: Buffer): string | undefined;
}

export interface MessageSealOptions {
  /** The key of journals, which all processes of a cluster share. */
  readonly key: Buffer;
  readonly logger: Logger;
  /** Returns milliseconds since 1970. */
  readonly now?: () => number;
}

/** Milliseconds by which the clock of a sender may differ, and so the longest time in which a new process accepts an old message. */
const WINDOW_MS = 15 * 60_000;
/** Milliseconds between two log lines about the same reason: a flood of messages must not fill the log. */
const LOG_INTERVAL_MS = 10 * 60_000;

const REASONS = {
  seal: 'it was not sealed by a process of this cluster for this topic',
  repeat: 'it was sent again',
  time: 'it is too old or too new: check the clocks of the machines',
} as const;

/**
 * Creates the seal of one sender. A sealed message has its sender, a number that grows with each message of the sender, and its time. The
 * topic is authenticated with it. A process accepts each number of a sender once. It forgets a sender whose messages are all too old.
 */
export function messageSeal({ key, logger, now = Date.now }: MessageSealOptions): MessageSeal {
  const sealing = derivedSealingKey(key, { id: 'messages', key: 'messages of a cluster' });
  const sender = randomUUID();
  let count = 0;
  const senders = new Map<string, { number: number; at: number }>();
  const refuse = refusals(logger, now);
  const isOutside = (at: number) => Math.abs(now() - at) > WINDOW_MS;
  const read = (topic: string, sealed: Buffer): unknown => {
    try {
      return JSON.parse(unseal(sealing, placeOf(topic), sealed).toString());
    } catch {
      return undefined;
    }
  };
  return {
    nameOf: (topic) => keyedName(key, topic),
    seal(topic, message) {
      const content = [sender, ++count, now(), message];
      return seal(sealing, placeOf(topic), Buffer.from(JSON.stringify(content)));
    },
    open(topic, sealed) {
      const content = read(topic, sealed) as readonly [from: string, number: number, at: number, message: string];
      if (content === undefined) return refuse('seal', topic);
      const [from, number, at, message] = content;
      if (isOutside(at)) return refuse('time', topic);
      const known = senders.get(from);
      if (known && number <= known.number) return refuse('repeat', topic);
      if (!known) for (const [id, last] of senders) if (isOutside(last.at)) senders.delete(id);
      senders.set(from, { number, at });
      return message;
    },
  };
}

function placeOf(topic: string): readonly string[] {
  return ['message', topic];
}

/** Returns a function that logs refused messages. */
function refusals(logger: Logger, now: () => number) {
  const logged = new Map<string, { at: number; refused: number }>();
  return (reason: keyof typeof REASONS, topic: string): undefined => {
    const last = logged.get(reason);
    const refused = (last?.refused ?? 0) + 1;
    if (last && now() - last.at < LOG_INTERVAL_MS) {
      last.refused = refused;
      return;
    }
    logged.set(reason, { at: now(), refused: 0 });
    logger.warn({ topic, refused }, `refused a message to the cluster: ${REASONS[reason]}`);
  };
}
