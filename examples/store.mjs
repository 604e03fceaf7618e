// A store of your own: implements the port `Store` in memory, and runs its conformance suite.

import { runStoreCase, storeCases } from '@toolwright/conformance/store';
import { createToolwright, ToolwrightError } from 'toolwright';

function mapStore() {
  const spaces = new Map();
  let closed = false;
  /** Runs a step on a namespace, sets its lifetime, and removes it when it is empty. */
  const step = async (name, work, lifetime) => {
    if (closed) throw new ToolwrightError('CLOSED', 'The store is closed.');
    const known = spaces.get(name);
    const isLive = known !== undefined && known.expiresAt > Date.now();
    const space = isLive ? known : { entries: new Map(), expiresAt: Infinity, endsAt: Infinity };
    const result = work(space.entries, isLive);
    if (lifetime) {
      space.endsAt = Math.min(space.endsAt, Date.now() + (lifetime.maxMs ?? Infinity));
      space.expiresAt = Math.min(space.endsAt, Date.now() + (lifetime.idleMs ?? Infinity));
    }
    if (space.entries.size > 0) spaces.set(name, space);
    else spaces.delete(name);
    return result;
  };
  const matches = (now, was) => was === undefined || (was === null ? !now : now?.equals(was) === true);
  return {
    name: 'map',
    get: (name, keys) => step(name, (entries) => keys.map((key) => entries.get(key) && Buffer.from(entries.get(key)))),
    put: (name, changes, lifetime) =>
      step(
        name,
        (entries) =>
          changes.map(({ key, value, was }) => {
            const isWritten = matches(entries.get(key), was);
            if (isWritten) entries.set(key, Buffer.from(value));
            return isWritten;
          }),
        lifetime,
      ),
    increment: (name, amounts, lifetime) =>
      step(
        name,
        (entries) => {
          const sums = Object.entries(amounts).map(([key, amount]) => [key, Number(entries.get(key) ?? 0) + amount]);
          const isNumber = sums.every(([, sum]) => Number.isSafeInteger(sum));
          if (!isNumber) throw new ToolwrightError('STORE_UNAVAILABLE', 'An entry is not a number.');
          for (const [key, sum] of sums) entries.set(key, Buffer.from(String(sum)));
          return Object.fromEntries(sums);
        },
        lifetime,
      ),
    delete: (name, keys) =>
      step(name, (entries) => {
        for (const key of keys ?? [...entries.keys()]) entries.delete(key);
      }),
    touch: (name, lifetime) => step(name, (_entries, isLive) => isLive, lifetime),
    async *list(name) {
      const entries = await step(name, (found) => [...found]);
      if (entries.length > 0) yield entries.map(([key, value]) => ({ key, value: Buffer.from(value) }));
    },
    async *namespaces(prefix) {
      for (const [name, { expiresAt }] of spaces) if (name.startsWith(prefix) && expiresAt > Date.now()) yield name;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      spaces.clear();
    },
  };
}

for (const testCase of storeCases) {
  const store = mapStore();
  await runStoreCase(() => store, testCase);
}
const toolwright = await createToolwright({ store: mapStore() });
console.log((await toolwright.execute('return 1 + 1')).status);
await toolwright.close();
