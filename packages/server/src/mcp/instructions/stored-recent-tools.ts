import { parseJson } from '@toolwright/connectors/internal';
import type { Store } from '@toolwright/core';
import { folderName } from '@toolwright/storage/internal';
import { type RecentTool, type RecentTools, readTools, withTools } from './recent-tools.ts';

/** The start of the namespaces in the store, each with the tools of one user. */
const NAMESPACES = 'recent-tools:';
const KEY = 'tools';
/** Milliseconds for which this process does not read the tools of a user again. */
const FRESH_MS = 5_000;
/** Tools that nobody used for so long are forgotten. */
const LIFETIME = { idleMs: 180 * 24 * 60 * 60 * 1_000 };
/** Maximum users whose tools are in memory. */
const MAX_USERS = 1_000;
const MAX_ATTEMPTS = 5;

interface Known {
  readonly tools: Promise<readonly RecentTool[]>;
  readonly readAtMs: number;
}

/** Keeps the recent tools in a store, for all processes of a cluster. While the store does not answer, they stay in memory. */
export function storedRecentTools(store: Store): RecentTools {
  const users = new Map<string, Known>();
  const keep = (user: string, tools: Promise<readonly RecentTool[]>) => {
    users.delete(user);
    users.set(user, { tools, readAtMs: performance.now() });
    const [oldest] = users.keys();
    if (users.size > MAX_USERS && oldest !== undefined) users.delete(oldest);
    return tools;
  };
  const read = async (user: string) => {
    const [stored] = await store.get(namespaceOf(user), [KEY]);
    return { stored, tools: (stored && readTools(parseJson(stored.toString()))) ?? [] };
  };
  const of = (user: string): Promise<readonly RecentTool[]> => {
    const known = users.get(user);
    if (known && performance.now() - known.readAtMs < FRESH_MS) return known.tools;
    return keep(
      user,
      read(user).then(
        ({ tools }) => tools,
        () => known?.tools ?? [],
      ),
    );
  };
  return {
    of,
    async add(user, tools) {
      const own = of(user).then((known) => withTools(known, tools));
      void keep(user, own);
      try {
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
          const { stored, tools: before } = await read(user);
          const after = withTools(before, tools);
          if (JSON.stringify(after) === JSON.stringify(before)) return;
          const change = { key: KEY, value: JSON.stringify(after), was: stored ?? null };
          const [isWritten] = await store.put(namespaceOf(user), [change], LIFETIME);
          if (isWritten) return void (await keep(user, Promise.resolve(after)));
        }
      } catch {
        // The tools of this process stay in memory.
      }
    },
  };
}

function namespaceOf(user: string): string {
  return NAMESPACES + folderName('user', user);
}
