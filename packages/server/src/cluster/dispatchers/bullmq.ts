import { type Logger, ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';
import type { Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Dispatcher, Listening } from './dispatcher.ts';

export interface BullmqOptions {
  /** `redis://`, `rediss://` or the path of a Unix socket. */
  readonly url: string;
  /** The start of all keys: one per cluster. Default: `toolwright`. */
  readonly cluster?: string;
  /** Returns the name in Redis of the id of a work. */
  readonly nameOf: (id: string) => string;
  readonly logger: Pick<Logger, 'warn'>;
}

const QUEUE = 'work';
/** Milliseconds that an answer of Redis may take. */
const COMMAND_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_MS = { first: 50, longest: 1_000 };
/** Reports whose answers are missing. Further ones are dropped until Redis answers. */
const MAX_PENDING = 1_000;
/** A job only takes as long as a claim. */
const LOCK_MS = 10_000;
const STALLED_INTERVAL_MS = 5_000;
/** A job that is lost any number of times is still harmless: it only makes a worker look. */
const MAX_STALLED = 1_000_000;
/** Milliseconds after which another worker gets a report that reached a full one. */
const PASS_ON_MS = 25;

/**
 * Opens a dispatcher of BullMQ on Redis. A job has the keyed name of its work, and means that some work is ready. It decides nothing:
 * anyone with Redis can only make workers look. While Redis is away, reports are
 * lost. Logs the fix if Redis may evict keys. Rejects with `STORE_UNAVAILABLE` when `bullmq` or `ioredis` is not installed.
 */
export async function bullmqDispatcher(options: BullmqOptions): Promise<Dispatcher> {
  const { url, cluster = 'toolwright', nameOf, logger } = options;
  const { bullmq, Client } = await loadPackages();
  const prefix = `${cluster}:jobs`;
  const retryStrategy = (times: number) => Math.min(RECONNECT_MS.first * times, RECONNECT_MS.longest);
  const connection = { lazyConnect: true, connectTimeout: CONNECT_TIMEOUT_MS, retryStrategy };
  const open = (more: object): Redis => {
    const client = new Client(url, { ...connection, ...more });
    // Each failed command rejects with the reason. Without a listener the client prints the error as well.
    client.on('error', () => undefined);
    return client;
  };
  const producer = open({ enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS });
  let queue: Queue | undefined;
  let isChecked = false;
  producer.on('ready', () => {
    queue ??= createQueue(bullmq.Queue, producer, prefix);
    if (!isChecked) void checkEviction(producer, logger);
    isChecked = true;
  });
  await producer.connect().catch((error: unknown) => {
    logger.warn({ reason: messageOf(error) }, 'Redis does not answer: workers find work by looking, which is slower');
  });
  let pending = 0;
  return {
    name: 'bullmq',
    get isConnected() {
      return producer.status === 'ready';
    },
    notify(work) {
      if (!queue || producer.status !== 'ready' || pending >= MAX_PENDING || work.length === 0) return;
      pending++;
      void queue
        .addBulk(work.map(({ id, delayMs }) => jobOf(nameOf(id), delayMs)))
        .catch(() => undefined)
        .finally(() => pending--);
    },
    listen: (onReady) => listenTo({ open, bullmq, prefix, onReady }),
    async [Symbol.asyncDispose]() {
      await queue?.close().catch(() => undefined);
      producer.disconnect();
    },
  };
}

type Bullmq = typeof import('bullmq');

interface Consumer {
  readonly open: (more: object) => Redis;
  readonly bullmq: Bullmq;
  readonly prefix: string;
  readonly onReady: () => Promise<void>;
}

function listenTo({ open, bullmq, prefix, onReady }: Consumer): Listening {
  const client = open({ maxRetriesPerRequest: null });
  let isPaused = false;
  const process = async (job: Job, token?: string) => {
    if (isPaused) {
      await job.moveToDelayed(Date.now() + PASS_ON_MS, token);
      throw new bullmq.DelayedError();
    }
    await onReady().catch(() => undefined);
  };
  let worker: Worker | undefined;
  // BullMQ gives up when its first connection fails, so it starts with a connected client.
  client.once('ready', () => {
    worker = new bullmq.Worker(QUEUE, process, {
      connection: client as never,
      prefix,
      concurrency: 1,
      skipVersionCheck: true,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_INTERVAL_MS,
      maxStalledCount: MAX_STALLED,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    // A flushed or restarted Redis makes jobs fail, whose work is found again.
    worker.on('error', () => undefined);
    if (isPaused) ignore(worker.pause(true));
  });
  void client.connect().catch(() => undefined);
  return {
    pause() {
      if (isPaused) return;
      isPaused = true;
      ignore(worker?.pause(true));
    },
    resume() {
      if (!isPaused) return;
      isPaused = false;
      ignore(worker?.resume());
    },
    async close() {
      isPaused = true;
      await worker?.close(true).catch(() => undefined);
      client.disconnect();
    },
  };
}

function ignore(step: Promise<unknown> | undefined): void {
  void step?.catch(() => undefined);
}

function createQueue(Constructor: Bullmq['Queue'], client: Redis, prefix: string): Queue {
  const queue = new Constructor(QUEUE, {
    connection: client as never,
    prefix,
    skipVersionCheck: true,
    skipWaitingForReady: true,
    skipMetasUpdate: true,
    streams: { events: { maxLen: 100 } },
  });
  queue.on('error', () => undefined);
  return queue;
}

/** A job that exists is not added again. A time has a job of its own: the work may be ready before. */
function jobOf(name: string, delayMs = 0) {
  const due = delayMs > 0 ? { jobId: `${name}-due`, delay: Math.ceil(delayMs) } : { jobId: name };
  return { name: 'ready', data: null, opts: { ...due, removeOnComplete: true, removeOnFail: true } };
}

async function checkEviction(client: Redis, logger: Pick<Logger, 'warn'>): Promise<void> {
  const [, policy] = /maxmemory_policy:(\S+)/.exec(await client.info('memory').catch(() => '')) ?? [];
  if (policy === undefined || policy === 'noeviction') return;
  const fix =
    'Set "maxmemory-policy noeviction" in redis.conf, or run: redis-cli config set maxmemory-policy noeviction';
  logger.warn(
    { policy },
    `Redis may evict jobs of the cluster, which delays work: its maxmemory-policy is ${policy}. ${fix}`,
  );
}

async function loadPackages(): Promise<{ bullmq: Bullmq; Client: typeof Redis }> {
  try {
    const [bullmq, ioredis] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Client: ioredis.Redis };
  } catch (cause) {
    const message =
      'A cluster with Redis needs the packages bullmq and ioredis, which are not installed. Run: npm install bullmq ioredis';
    throw new ToolwrightError('STORE_UNAVAILABLE', message, { cause });
  }
}
