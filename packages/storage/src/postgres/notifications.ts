import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { prepared } from '../database.ts';
import type { Logger } from '../log.ts';
import { parsePostgresUrl } from './address.ts';
import { openPostgres } from './connection.ts';
import { openClient } from './pool.ts';

/** Short texts between the processes that use one database, by `NOTIFY` and `LISTEN`. All of them may be lost. */
export interface Notifications extends AsyncDisposable {
  /** Whether notifications of other processes arrive now. */
  readonly isConnected: boolean;
  /**
   * Sends payloads to the listeners of a channel in all processes, in one transaction: no others of this channel come between them. A payload
   * has {@link MAX_PAYLOAD_BYTES} at most. Never throws, and waits for nothing.
   */
  notify(channel: string, payloads: readonly string[]): void;
  /** Calls a listener with each payload of a channel. */
  listen(channel: string, listener: (payload: string) => void): NotificationListener;
  /** Calls a listener after notifications may have been lost: when the connection is back. Returns the function that ends this. */
  onGap(listener: () => void): () => void;
}

export interface NotificationListener {
  /** Resolves when notifications arrive for the first time. Never rejects. */
  readonly ready: Promise<void>;
  end(): void;
}

export interface NotificationsOptions {
  /** `postgres://user:password@host:5432/database`. */
  readonly url: string;
  readonly logger: Logger;
}

/** Bytes of a payload: PostgreSQL allows less than 8,000. */
export const MAX_PAYLOAD_BYTES = 7_900;
/** Characters of one statement, and of all payloads that wait. Further ones are dropped. */
const MAX_CHARACTERS = { ofStatement: 500_000, waiting: 16_000_000 };
/** Milliseconds between two proofs that notifications arrive, and for the answer to a statement. */
const PROOF_MS = 10_000;
const TIMEOUT_MS = 5_000;
const RECONNECT_MS = 250;
const CLOSE_MS = 1_000;
const OPTIONS = { application_name: 'toolwright listener', query_timeout: TIMEOUT_MS, keepAlive: true };
const NOTHING_ARRIVES =
  'notifications of PostgreSQL do not arrive: processes find changes by looking, which is slower. A pooler such as PgBouncer must pool by session';

// It writes nothing, so its commit does not wait for the disk while it has the lock of all commits with notifications.
const NOTIFY = prepared(
  'select count(pg_notify(channel, payload)) from unnest($1::text[], $2::text[]) as n (channel, payload)',
);

/**
 * Opens the notifications of a database. All users in this process share one connection, which listens, reconnects by itself, and does not
 * keep the process alive. It connects with the first listener. Behind a pooler that does not pool by session nothing arrives, and the log
 * has a warning.
 */
export function openNotifications({ url, logger }: NotificationsOptions): Notifications {
  const shared = connections.get(url) ?? { connection: createConnection(url, logger), users: 0 };
  connections.set(url, shared);
  shared.users++;
  const { connection } = shared;
  const sender = createSender(url);
  const ends = new Set<() => void>();
  const kept = (end: () => void) => {
    const endOnce = () => void (ends.delete(endOnce) && end());
    ends.add(endOnce);
    return endOnce;
  };
  return {
    get isConnected() {
      return connection.isConnected;
    },
    notify: sender.notify,
    listen(channel, listener) {
      const { ready, end } = connection.listen(channel, listener);
      return { ready, end: kept(end) };
    },
    onGap(listener) {
      // The same function may be passed twice.
      const own = () => listener();
      connection.gaps.add(own);
      return kept(() => connection.gaps.delete(own));
    },
    async [Symbol.asyncDispose]() {
      for (const end of [...ends]) end();
      await sender[Symbol.asyncDispose]();
      if (--shared.users > 0) return;
      connections.delete(url);
      await connection.close();
    },
  };
}

interface Message {
  readonly channel: string;
  readonly payloads: readonly string[];
}

/** Sends messages in their order. Those that wait meanwhile share a statement. */
function createSender(url: string) {
  const database = openPostgres({ url });
  let waiting: Message[] = [];
  let characters = 0;
  let sending: Promise<void> | undefined;
  const sizeOf = ({ payloads }: Message) => payloads.reduce((sum, { length }) => sum + length, 0);
  const take = (): Message[] => {
    let [size, count] = [0, 0];
    while (count < waiting.length && (count === 0 || size < MAX_CHARACTERS.ofStatement))
      size += sizeOf(waiting[count++] as Message);
    characters -= size;
    return waiting.splice(0, count);
  };
  const send = async () => {
    // Messages of the same turn share a statement.
    await Promise.resolve();
    while (waiting.length > 0) {
      const messages = take();
      const channels = messages.flatMap(({ channel, payloads }) => payloads.map(() => channel));
      const payloads = messages.flatMap((message) => message.payloads);
      try {
        await database.write(NOTIFY, [channels, payloads]);
      } catch {
        // While the database does not answer, nobody needs old messages.
        waiting = [];
        characters = 0;
      }
    }
    sending = undefined;
  };
  return {
    notify(channel: string, payloads: readonly string[]) {
      const message = { channel, payloads };
      const size = sizeOf(message);
      if (characters + size > MAX_CHARACTERS.waiting) return;
      characters += size;
      waiting.push(message);
      sending ??= send();
    },
    async [Symbol.asyncDispose]() {
      await sending;
      await database[Symbol.asyncDispose]();
    },
  };
}

interface Channel {
  readonly listeners: Set<(payload: string) => void>;
  readonly ready: Promise<void>;
  readonly setReady: () => void;
}

interface Connection {
  readonly isConnected: boolean;
  readonly gaps: Set<() => void>;
  listen(channel: string, listener: (payload: string) => void): NotificationListener;
  close(): Promise<void>;
}

/** The connections of this process, by their URLs. */
const connections = new Map<string, { readonly connection: Connection; users: number }>();

/** Creates the connection that listens to a database. */
function createConnection(url: string, logger: NotificationsOptions['logger']): Connection {
  const channels = new Map<string, Channel>();
  const gaps = new Set<() => void>();
  const closing = new AbortController();
  const pause = (ms: number) => sleep(ms, true, { ref: false, signal: closing.signal }).catch(() => false);
  let client: Client | undefined;
  let isConnected = false;
  let isFirst = true;
  let isRunning = false;
  let last: Promise<unknown> = Promise.resolve();
  /** Runs a statement after the others: the client takes one at a time. */
  const query = (opened: Client, text: string): Promise<unknown> => {
    const own = last.then(() => opened.query(text));
    last = own.catch(() => undefined);
    return own;
  };
  const listenTo = async (names: readonly string[]) => {
    if (!client || names.length === 0) return;
    await query(client, names.map((name) => `listen "${name}"`).join('; '));
    for (const name of names) channels.get(name)?.setReady();
  };
  const use = async (opened: Client) => {
    opened.on('notification', ({ channel, payload = '' }) => {
      for (const listener of [...(channels.get(channel)?.listeners ?? [])]) listener(payload);
    });
    // The types of the client lack it.
    Object(opened).unref();
    const ended = new Promise<false>((resolve) => opened.once('end', () => resolve(false)));
    const prove = createProof(opened, (text) => query(opened, text), logger);
    last = Promise.resolve();
    client = opened;
    await listenTo([...channels.keys()]);
    if (!isFirst) for (const listener of [...gaps]) listener();
    isFirst = false;
    do isConnected = await prove();
    while (await Promise.race([ended, pause(PROOF_MS)]));
  };
  const run = async () => {
    while (!closing.signal.aborted) {
      // A failure ends with the next round.
      await openClient(parsePostgresUrl(url).url, TIMEOUT_MS, OPTIONS)
        .then((opened) => use(opened).finally(() => void opened.end().catch(() => undefined)))
        .catch(() => undefined);
      client = undefined;
      isConnected = false;
      await pause(RECONNECT_MS);
    }
  };
  return {
    gaps,
    get isConnected() {
      return isConnected;
    },
    listen(name, listener) {
      const channel = channels.get(name) ?? newChannel();
      if (channel.listeners.size === 0) {
        channels.set(name, channel);
        listenTo([name]).catch(() => undefined);
      }
      channel.listeners.add(listener);
      if (!isRunning) void run();
      isRunning = true;
      return {
        ready: channel.ready,
        end() {
          channel.listeners.delete(listener);
          if (channel.listeners.size > 0) return;
          channels.delete(name);
          if (client) query(client, `unlisten "${name}"`).catch(() => undefined);
        },
      };
    },
    async close() {
      closing.abort();
      if (client) await endClient(client);
    },
  };
}

/** Ends a connection, which keeps the process alive until then. A server that hangs does not delay it for longer. */
async function endClient(client: Client): Promise<void> {
  const ended = new AbortController();
  // The types of the client lack both.
  Object(client).ref();
  const given = sleep(CLOSE_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([client.end().catch(() => undefined), given]);
  ended.abort();
  Object(client).unref();
}

function newChannel(): Channel {
  let setReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    setReady = resolve;
  });
  return { listeners: new Set(), ready, setReady };
}

const warned = new WeakSet<object>();

/** Returns a function that sends a notification to its own connection, and returns whether it has arrived. Logs one warning if it has not. */
function createProof(
  client: Client,
  query: (text: string) => Promise<unknown>,
  logger: NotificationsOptions['logger'],
): () => Promise<boolean> {
  const own = `toolwright_proof_${randomUUID()}`;
  let hasArrived = false;
  client.on('notification', ({ channel }) => {
    if (channel === own) hasArrived = true;
  });
  return async () => {
    hasArrived = false;
    await query(`listen "${own}"; notify "${own}"`);
    if (!hasArrived && !warned.has(logger)) {
      warned.add(logger);
      logger.warn({}, NOTHING_ARRIVES);
    }
    return hasArrived;
  };
}
