import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { monotonicMs } from '../clocks/machine-clock.ts';
import { endNativeCalls, shareNativeCalls } from '../sqlite/native-calls.ts';
import { RENEWAL_ENTRY } from './renewal-entry.ts';
import {
  ALIVE_MS,
  type RenewalAnswer,
  type RenewalOrder,
  type RenewalReport,
  type RenewalThread,
  type RowRenewal,
} from './renewal-orders.ts';

/** A renewal that the thread repeats. */
export interface KeptRenewal {
  /** Sets the rows to renew. Without any, the thread does nothing. */
  setIds(ids: readonly string[]): void;
  /** Delivers the reports that wait for the event loop, which may have been busy. */
  catchUp(): void;
  /** Ends the renewal. Resolves when the thread has closed its files, or has not answered for a while. */
  stop(): Promise<void>;
}

interface Job {
  readonly renewal: RowRenewal;
  readonly onReport: (report: RenewalReport) => void;
  ids: readonly string[];
}

interface Thread extends RenewalThread {
  readonly worker: Worker;
}

/** V8's heap of the thread, MiB. The client of PostgreSQL takes less than 10. */
const MAX_HEAP_MIB = 64;
/** Milliseconds after the last renewal, after which the thread ends. */
const IDLE_MS = 2_000;
/** Longest wait for the thread to close its files: it may wait for the lock of another process. */
const MAX_STOP_MS = 5_000;

const jobs = new Map<number, Job>();
/** The renewals that the thread is asked to end. */
const stopping = new Map<number, () => void>();
let thread: Thread | undefined;
let lastKey = 0;
let alive: NodeJS.Timeout | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Repeats a renewal in the one thread of this process that does nothing else: a busy event loop loses no lease. When the event loop of the
 * main thread has not run for two minutes, it counts as hanging, and its leases expire. A thread that ends is started again.
 */
export function keepRenewing(renewal: RowRenewal, onReport: Job['onReport'] = () => undefined): KeptRenewal {
  const key = ++lastKey;
  const job: Job = { renewal, onReport, ids: [] };
  const sinceMs = monotonicMs();
  jobs.set(key, job);
  clearTimeout(idle);
  alive ??= setInterval(showLife, ALIVE_MS).unref();
  if (thread) send({ key, add: renewal });
  else start();
  return {
    setIds(ids) {
      job.ids = ids;
      send({ key, ids });
    },
    catchUp() {
      for (let found = receive(); found; found = receive()) deliver(found.message);
    },
    async stop() {
      if (!jobs.delete(key)) return;
      if (jobs.size === 0) idle = setTimeout(end, IDLE_MS).unref();
      send({ key, remove: true });
      // Before its first time, it has opened nothing. A short program does not wait for the start of the thread.
      if (thread && monotonicMs() - sinceMs >= renewal.everyMs) await stopped(key);
    },
  };
}

function stopped(key: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => stopping.get(key)?.(), MAX_STOP_MS);
    stopping.set(key, () => {
      clearTimeout(timer);
      stopping.delete(key);
      resolve();
    });
  });
}

function start(): void {
  const { port1: port, port2 } = new MessageChannel();
  const calls = shareNativeCalls();
  try {
    const workerData: RenewalThread = { port: port2, calls };
    const worker = new Worker(RENEWAL_ENTRY, {
      execArgv: [],
      workerData,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    const own = { worker, port, calls };
    const endCalls = () => endNativeCalls(calls);
    process.once('exit', endCalls);
    worker.unref();
    // The next sign of life starts another one. Meanwhile the main thread renews its leases itself.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      process.off('exit', endCalls);
      if (thread === own) thread = undefined;
      // A thread that was started meanwhile still answers.
      if (!thread) for (const resolve of [...stopping.values()]) resolve();
      port.close();
    });
    port.on('message', deliver);
    port.unref();
    thread = own;
  } catch {
    // The system has no thread for it.
    return;
  }
  for (const [key, { renewal, ids }] of jobs) {
    send({ key, add: renewal });
    send({ key, ids });
  }
}

function end(): void {
  clearInterval(alive);
  alive = undefined;
  if (thread) endNativeCalls(thread.calls);
  void thread?.worker.terminate();
  thread = undefined;
}

function showLife(): void {
  if (thread) send('alive');
  else start();
}

function send(order: RenewalOrder): void {
  thread?.port.postMessage(order);
}

function receive(): { message: RenewalAnswer } | undefined {
  return thread && receiveMessageOnPort(thread.port);
}

function deliver(answer: RenewalAnswer): void {
  if ('isRemoved' in answer) stopping.get(answer.key)?.();
  else jobs.get(answer.key)?.onReport(answer);
}
