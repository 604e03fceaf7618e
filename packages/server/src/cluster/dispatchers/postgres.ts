import { randomUUID } from 'node:crypto';
import type { Logger } from '@toolwright/core';
import { openNotifications, openPostgres, prepared } from '@toolwright/storage/internal';
import { createReportTimers, type Dispatcher, type Listening } from './dispatcher.ts';

export interface PostgresDispatcherOptions {
  /** The URL of the store. */
  readonly url: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Milliseconds between two signs of life of a listener, and after which one without them gets no reports. */
const BEAT_MS = 2_000;
const ALIVE_MS = 6_000;
/** Reports that wait for a listener. It finds more work by looking. */
const MOST_DUE = 64;
/** Rows of dead listeners are deleted after an hour. */
const FORGET = `delete from toolwright.work_listeners where seen_at < clock_timestamp() - interval '1 hour'`;
const LISTEN = prepared(`insert into toolwright.work_listeners (channel, is_paused) values ($1, $2)
  on conflict (channel) do update set is_paused = excluded.is_paused, seen_at = clock_timestamp()`);
const LEAVE = 'delete from toolwright.work_listeners where channel = $1';
// The free listeners share the reports, in a new order each time. One notification carries the number of reports for its listener.
const REPORT = prepared(`with free as (
    select channel, row_number() over (order by random()) as place, count(*) over () as total
      from toolwright.work_listeners where not is_paused and seen_at > clock_timestamp() - ${ALIVE_MS} * interval '1 millisecond'
  ), shares as (
    select channel, $1::bigint / total + case when place <= $1::bigint % total then 1 else 0 end as reports from free
  )
  select count(pg_notify(channel, reports::text)) from shares where reports > 0`);

/**
 * Opens a dispatcher on the database of a cluster without Redis. A table has the listeners that want reports. The database picks one for each
 * report, and sends it a notification without the work. Reports with a delay are sent by this process at their time; if it ends before,
 * workers find the work by looking.
 */
export function postgresDispatcher({ url, logger }: PostgresDispatcherOptions): Dispatcher {
  const database = openPostgres({ url });
  const notifications = openNotifications({ url, logger });
  const listeners = new Set<StoredListener>();
  let waiting = 0;
  let isSending = false;
  const send = async () => {
    isSending = true;
    // Reports of the same turn share a statement.
    await Promise.resolve();
    while (waiting > 0) {
      // The database must know which listeners of this process want reports.
      await Promise.all([...listeners].map(({ stored }) => stored()));
      const count = waiting;
      waiting = 0;
      await database.write(REPORT, [count]).catch(() => undefined);
    }
    isSending = false;
  };
  const report = (count = 1) => {
    waiting += count;
    if (!isSending) void send();
  };
  const timers = createReportTimers(report);
  return {
    name: 'postgres',
    get isConnected() {
      return notifications.isConnected;
    },
    notify: timers.add,
    listen(onReady): Listening {
      const channel = `toolwright_work_${randomUUID()}`;
      const reports = createReports(onReady, report);
      const { ready, end } = notifications.listen(channel, (count) => reports.add(Number(count)));
      const listener = storeListener(ready, async () => {
        await database.write(LISTEN, [channel, reports.isPaused]);
      });
      const setPaused = (isPaused: boolean) => {
        reports.isPaused = isPaused;
        listener.store();
      };
      listeners.add(listener);
      void database.write(FORGET).catch(() => undefined);
      const beat = setInterval(() => notifications.isConnected && listener.store(), BEAT_MS).unref();
      return {
        pause: () => setPaused(true),
        resume: () => setPaused(false),
        async close() {
          reports.isPaused = true;
          clearInterval(beat);
          end();
          listeners.delete(listener);
          await listener.close();
          await database.write(LEAVE, [channel]).catch(() => undefined);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      timers.clear();
      await notifications[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Passes reports to a function, one after the other. Those of a paused listener are passed on. */
function createReports(onReady: () => Promise<void>, passOn: (count: number) => void) {
  let due = 0;
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    for (; due > 0 && !reports.isPaused; due--) await onReady().catch(() => undefined);
    isRunning = false;
    if (due > 0) passOn(due);
    due = 0;
  };
  const reports = {
    isPaused: false,
    add(count: number) {
      due = Math.min(due + count, MOST_DUE);
      if (!isRunning) void run();
    },
  };
  return reports;
}

interface StoredListener {
  /** Stores the row again, one time after the other. */
  store(): void;
  /** Resolves when the row is that of the last call, or the database did not answer. */
  stored(): Promise<void>;
  close(): Promise<void>;
}

/** Keeps the row of a listener, from the time on when its notifications arrive. */
function storeListener(ready: Promise<void>, write: () => Promise<void>): StoredListener {
  let isChanged = true;
  let isClosed = false;
  const run = async () => {
    while (isChanged && !isClosed) {
      isChanged = false;
      // The next sign of life stores it.
      await write().catch(() => undefined);
    }
  };
  let isReady = false;
  let storing = ready.then(() => {
    isReady = true;
    return run();
  });
  return {
    store() {
      const isIdle = !isChanged;
      isChanged = true;
      if (isReady && isIdle) storing = storing.then(run);
    },
    stored: () => storing,
    async close() {
      isClosed = true;
      if (isReady) await storing;
    },
  };
}
