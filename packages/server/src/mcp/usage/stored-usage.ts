import { createHash } from 'node:crypto';
import type { Store } from '@toolwright/core';
import { type Costs, costsOf, nothing, type Usage } from './usage.ts';

/** The costs end so long after the last execution. */
const LIFETIME = { idleMs: 30 * 24 * 60 * 60 * 1_000 };
const NAMES = Object.keys(nothing());
const LAST = 'lastCompleted';

/**
 * Counts the costs of executions in a store, for all processes of a cluster. While the store does not answer, executions are not counted.
 * Reading raises `STORE_UNAVAILABLE` then.
 */
export function storedUsage(store: Store): Usage {
  const read = async (namespace: string, keys: readonly string[]) =>
    (await store.get(namespace, keys)).map((value) => value?.toString());
  return {
    async add(user, session, result) {
      const amounts: Partial<Record<string, number>> = costsOf(result);
      const given = amounts as Record<string, number>;
      const places = session === undefined ? [spaceOf(user)] : [spaceOf(user), spaceOf(user, session)];
      const counting = places.map((place) => store.increment(place, given, LIFETIME));
      const last = { key: LAST, value: result.executionId };
      const noting = result.status === 'completed' ? [store.put(lastSpaceOf(user), [last], LIFETIME)] : [];
      // The execution has ended: its result must not wait for a store that is away.
      await Promise.allSettled([...counting, ...noting]);
    },
    async of(user, session) {
      const values = await read(spaceOf(user, session), NAMES);
      return Object.fromEntries(NAMES.map((name, index) => [name, Number(values[index] ?? 0)])) as unknown as Costs;
    },
    async lastCompleted(user) {
      return (await read(lastSpaceOf(user), [LAST]))[0];
    },
  };
}

function spaceOf(user: string, session?: string): string {
  return `costs:${hashOf(session === undefined ? [user] : [user, session])}`;
}

function lastSpaceOf(user: string): string {
  return `last-execution:${hashOf([user])}`;
}

function hashOf(names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('base64url');
}
