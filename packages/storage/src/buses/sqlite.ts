import type { Database } from '../database.ts';
import type { Bus } from './bus.ts';
import { memoryBus } from './memory.ts';

/** Milliseconds between two looks for changes of other processes. Each takes some 10 µs. */
const LOOK_MS = 200;

/** The messages of this process, by the URL of the tables. */
const buses = new Map<string, { readonly bus: Bus; users: number }>();

/**
 * Creates the bus of the users of the tables of a data folder. Messages reach those of this process. Each change by another process counts
 * as a lost message. The caller closes the database later.
 */
export function sqliteBus({ url, read }: Database): Bus {
  const shared = buses.get(url) ?? { bus: memoryBus(), users: 0 };
  buses.set(url, shared);
  shared.users++;
  const ends = new Set<() => void>();
  const gaps = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let seen: unknown;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    // A failure ends with the next look.
    const [row] = await read('pragma data_version').catch(() => []);
    isLooking = false;
    if (row === undefined || row.data_version === seen) return;
    seen = row.data_version;
    for (const listener of [...gaps]) listener();
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    name: 'sqlite',
    publish: shared.bus.publish,
    subscribe(topic, listener) {
      const end = shared.bus.subscribe(topic, listener);
      ends.add(end);
      return () => {
        ends.delete(end);
        end();
      };
    },
    onGap(listener) {
      const each = () => listener();
      gaps.add(each);
      timer ??= setInterval(look, LOOK_MS).unref();
      return () => {
        gaps.delete(each);
        if (gaps.size === 0) stop();
      };
    },
    async [Symbol.asyncDispose]() {
      stop();
      for (const end of ends) end();
      if (--shared.users > 0) return;
      buses.delete(url);
      await shared.bus[Symbol.asyncDispose]();
    },
  };
}
