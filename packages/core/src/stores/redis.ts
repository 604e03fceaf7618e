import { messageOf, ToolwrightError } from '../errors.ts';
import { type Connection, connect } from './redis-connection.ts';
import { INCREMENT, PUT, REMOVE, TOUCH } from './redis-scripts.ts';
import { type Change, type Entry, type Lifetime, PAGE_ENTRIES, type Store, unavailable } from './store.ts';

export interface RedisStoreOptions {
  /** `redis://`, `rediss://` or the path of a Unix socket; may hold a user, a password and a database. */
  readonly url: string;
  /** In front of every key. Default: `toolwright:`. */
  readonly prefix?: string;
  /** How long one answer may take, in milliseconds. Default: 5,000. */
  readonly timeoutMs?: number;
}

const DEFAULT_PREFIX = 'toolwright:';
const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * State on a Redis or Valkey server (6.2 or later) that any number of machines use at once: a namespace is one hash.
 * Needs the package `ioredis`; without it the first call rejects with `STORE_UNAVAILABLE` and says what to install. The
 * connection is made when first needed, and again, in the background, when it was lost.
 */
export function redisStore({ url, prefix = DEFAULT_PREFIX, timeoutMs = DEFAULT_TIMEOUT_MS }: RedisStoreOptions): Store {
  let connecting: Promise<Connection> | undefined;
  let closed = false;

  /** One command, or one script. */
  async function step(...command: [string, ...(string | number | Buffer)[]]): Promise<unknown> {
    if (closed) throw new ToolwrightError('CLOSED', 'This store is closed.');
    connecting ??= connect(url, timeoutMs);
    const connection = await connecting.catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    try {
      return await connection.call(...command);
    } catch (error) {
      const what = `Redis at ${connection.address} did not do what was asked: ${messageOf(error)}`;
      throw unavailable(`${what}. Check that it runs and has memory.`, error);
    }
  }

  const run = (script: string, namespace: string, ...values: (string | number | Buffer)[]) =>
    step('EVAL', script, 1, prefix + namespace, ...values);

  /** Pages of one of the scans. */
  async function* scan(...command: [string, ...string[]]): AsyncGenerator<Buffer[]> {
    const at = command.indexOf('CURSOR');
    let cursor = '0';
    do {
      const [next, page] = Object(await step(...(command.with(at, cursor) as typeof command)));
      cursor = String(next);
      yield page;
    } while (cursor !== '0');
  }

  return {
    name: 'redis',
    async get(namespace, keys) {
      if (keys.length === 0) return [];
      const values = Object(await step('HMGET', prefix + namespace, ...keys.map(field)));
      return Array.from(values, (value: Buffer | null) => value ?? undefined);
    },
    async put(namespace, changes, lifetime) {
      const written = await run(PUT, namespace, ...times(lifetime), ...changes.flatMap(toArguments));
      return Array.from(Object(written), (flag) => Number(flag) === 1);
    },
    async increment(namespace, amounts, lifetime) {
      const names = Object.keys(amounts);
      const values = Object.entries(amounts).flatMap(([key, amount]) => [field(key), amount]);
      const sums = Object(await run(INCREMENT, namespace, ...times(lifetime), ...values));
      return Object.fromEntries(names.map((name, index) => [name, Number(sums[index])]));
    },
    async delete(namespace, keys) {
      await (keys === undefined ? step('DEL', prefix + namespace) : run(REMOVE, namespace, ...keys.map(field)));
    },
    async *list(namespace) {
      for await (const page of scan('HSCAN', prefix + namespace, 'CURSOR', 'COUNT', String(PAGE_ENTRIES))) {
        const entries: Entry[] = [];
        for (let at = 0; at + 1 < page.length; at += 2) {
          const [name, value] = [page[at]?.toString() ?? '', page[at + 1] ?? Buffer.alloc(0)];
          if (name.startsWith(':')) entries.push({ key: name.slice(1), value });
        }
        if (entries.length > 0) yield entries;
      }
    },
    async *namespaces(start) {
      const pattern = `${(prefix + start).replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
      const seen = new Set<string>();
      for await (const page of scan('SCAN', 'CURSOR', 'MATCH', pattern, 'COUNT', String(PAGE_ENTRIES))) {
        for (const key of page.map((name) => name.toString().slice(prefix.length))) {
          if (!seen.has(key)) yield key;
          seen.add(key);
        }
      }
    },
    async touch(namespace, lifetime) {
      return Number(await run(TOUCH, namespace, ...times(lifetime))) === 1;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      const connection = await connecting?.catch(() => undefined);
      connection?.close();
    },
  };
}

/** Keys have a mark in front, so that what a namespace needs for itself can have none. */
function field(key: string): string {
  return `:${key}`;
}

function times({ idleMs, maxMs }: Lifetime = {}): [number | string, number | string] {
  return [idleMs ?? '', maxMs ?? ''];
}

/** Key, value, the mode of the condition, and its bytes. */
function toArguments({ key, value, was }: Change): (string | Buffer)[] {
  const mode = was === undefined ? 'always' : was === null ? 'absent' : 'was';
  return [field(key), Buffer.from(value), mode, Buffer.from(was ?? [])];
}
