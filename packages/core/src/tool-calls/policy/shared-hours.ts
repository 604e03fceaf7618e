import { createHash } from 'node:crypto';
import type { Store } from '@toolwright/storage';

/** Milliseconds in which calls count together. */
export const HOUR_MS = 3_600_000;

/** The calls of one rule and user in the current hour. */
export interface Hour {
  readonly count: number;
  /** Milliseconds until the hour ends. */
  readonly endsInMs: number;
}

/** The counts of an hour that the processes of a cluster share. All methods raise `STORE_UNAVAILABLE`. */
export interface SharedHours {
  /** Returns the current hour; undefined before its first call. */
  read(name: string): Promise<Hour | undefined>;
  /** Counts one call. */
  add(name: string): Promise<Hour>;
}

const COUNT = 'count';

/** Opens the counts in a store, whose clock ends the hours. */
export function sharedHours(store: Pick<Store, 'get' | 'increment' | 'remaining'>): SharedHours {
  const hourOf = async (space: string, count: number): Promise<Hour> => {
    const { maxMs = HOUR_MS } = (await store.remaining?.(space)) ?? {};
    return { count, endsInMs: maxMs };
  };
  return {
    async read(name) {
      const space = spaceOf(name);
      const [count] = await store.get(space, [COUNT]);
      return count && hourOf(space, Number(count.toString()));
    },
    async add(name) {
      const space = spaceOf(name);
      const { count = 1 } = await store.increment(space, { [COUNT]: 1 }, { maxMs: HOUR_MS });
      return hourOf(space, count);
    },
  };
}

function spaceOf(name: string): string {
  return `policy-hour:${createHash('sha256').update(name).digest('base64url')}`;
}
