import { messageOf, ToolwrightError } from './errors.ts';
import { type Connection, connect, REDIS_TIMEOUT_MS } from './redis/redis-connection.ts';
import { INCREMENT, PUT, REMAINING, REMOVE, TOUCH } from './redis/redis-scripts.ts';
import { type Change, type Entry, type Lifetime, PAGE_ENTRIES, type Store, unavailable } from './store.ts';

export interface RedisStoreOptions {
  /** `redis://`, `rediss://` or the path of a Unix socket; may contain a user, a password and a database number. */
  readonly url: string;
  /** The prefix of every key. Default: `toolwright:`. */
  readonly prefix?: string;
  /** Milliseconds that one answer may take. Default: 500. */
  readonly timeoutMs?: number;
}

const DEFAULT_PREFIX = 'toolwright:';

/**
 * Creates a store on a Redis or Valkey server (6.2 or later), for any number of machines. A namespace is one hash. The
 * store connects when it is first used, and reconnects in the background. While the server does not answer, calls fail at
 * once. It needs the package `ioredis`: without it the
 * first call rejects with `STORE_UNAVAILABLE` and names the command that installs it.
 */
export function redisStore({ url, prefix = DEFAULT_PREFIX, timeoutMs = REDIS_TIMEOUT_MS }: RedisStoreOptions): Store {
  const { send, close } = openCommands(url, timeoutMs);
  const keyOf = (namespace: string) => prefix + namespace;
  const run = (script: string, namespace: string, ...values: (string | number | Buffer)[]) =>
    send('EVAL', script, 1, keyOf(namespace), ...values);

  return {
    name: 'redis',
    async get(namespace, keys) {
      if (keys.length === 0) return [];
      const values = Object(await send('HMGET', keyOf(namespace), ...keys.map(field)));
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
      await (keys === undefined ? send('DEL', keyOf(namespace)) : run(REMOVE, namespace, ...keys.map(field)));
    },
    async *list(namespace) {
      for await (const page of scan(send, 'HSCAN', keyOf(namespace), 'CURSOR', 'COUNT', String(PAGE_ENTRIES))) {
        const entries = toEntries(page);
        if (entries.length > 0) yield entries;
      }
    },
    async *namespaces(start) {
      const pattern = `${keyOf(start).replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
      const seen = new Set<string>();
      for await (const page of scan(send, 'SCAN', 'CURSOR', 'MATCH', pattern, 'COUNT', String(PAGE_ENTRIES))) {
        for (const key of page.map((name) => name.toString().slice(prefix.length))) {
          if (!seen.has(key)) yield key;
          seen.add(key);
        }
      }
    },
    async remaining(namespace) {
      const [idleMs, maxMs] = Array.from(Object(await run(REMAINING, namespace)), Number);
      if (idleMs === undefined || maxMs === undefined) return undefined;
      return { idleMs: idleMs < 0 ? undefined : idleMs, maxMs: maxMs < 0 ? undefined : maxMs };
    },
    async touch(namespace, lifetime) {
      return Number(await run(TOUCH, namespace, ...times(lifetime))) === 1;
    },
    [Symbol.asyncDispose]: close,
  };
}

type Send = (...command: [string, ...(string | number | Buffer)[]]) => Promise<unknown>;

/** Connects with the first command. `send` rejects with `STORE_UNAVAILABLE`, and with `CLOSED` after `close`. */
function openCommands(url: string, timeoutMs: number): { readonly send: Send; close(): Promise<void> } {
  let connecting: Promise<Connection> | undefined;
  let isClosed = false;
  return {
    async send(...command) {
      if (isClosed) throw new ToolwrightError('CLOSED', 'This store is closed.');
      connecting ??= connect(url, timeoutMs);
      const connection = await connecting.catch((error: unknown) => {
        connecting = undefined;
        throw error;
      });
      try {
        return await connection.call(...command);
      } catch (error) {
        const message = `Redis at ${connection.address} failed: ${messageOf(error)}`;
        throw unavailable(`${message}. Check that it runs and has free memory.`, error);
      }
    },
    async close() {
      isClosed = true;
      const connection = await connecting?.catch(() => undefined);
      connection?.close();
    },
  };
}

/** Runs a `SCAN` command, whose argument `CURSOR` is replaced by the cursor of each page. */
async function* scan(send: Send, ...command: [string, ...string[]]): AsyncGenerator<Buffer[]> {
  const at = command.indexOf('CURSOR');
  let cursor = '0';
  do {
    const [next, page] = Object(await send(...(command.with(at, cursor) as typeof command)));
    cursor = String(next);
    yield page;
  } while (cursor !== '0');
}

/** Converts a page of `HSCAN`, in which keys and values alternate. */
function toEntries(page: readonly Buffer[]): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < page.length; at += 2) {
    const [name, value] = [page[at]?.toString() ?? '', page[at + 1] ?? Buffer.alloc(0)];
    if (name.startsWith(':')) entries.push({ key: name.slice(1), value });
  }
  return entries;
}

/** Adds a prefix to a key, so that no key has the name of the hash's own field "end". */
function field(key: string): string {
  return `:${key}`;
}

function times({ idleMs, maxMs }: Lifetime = {}): [number | string, number | string] {
  return [idleMs ?? '', maxMs ?? ''];
}

/** Returns the arguments of one change: key, value, mode of the condition, and the bytes of the condition. */
function toArguments({ key, value, was }: Change): (string | Buffer)[] {
  const mode = was === undefined ? 'always' : was === null ? 'absent' : 'was';
  return [field(key), Buffer.from(value), mode, Buffer.from(was ?? [])];
}
