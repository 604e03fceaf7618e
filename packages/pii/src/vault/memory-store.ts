import { PiiError } from '../errors.ts';
import { addTo, type Change, type Entry, expiry, type Lifetime, PAGE_ENTRIES, remainder, type Store } from './store.ts';

/** Writes between two removals of expired namespaces. */
const WRITES_BETWEEN_PURGES = 1_000;

const NEVER = Number.POSITIVE_INFINITY;

interface Namespace {
  readonly entries: Map<string, Buffer>;
  expiresAt: number;
  endsAt: number;
}

/** Creates a store in the memory of this process. Use it for tests and for values that must not be kept. */
export function memoryStore(): Store {
  const namespaces = new Map<string, Namespace>();
  let writes = 0;
  let closed = false;

  function find(name: string): Namespace | undefined {
    if (closed) throw new PiiError('CLOSED', 'The store is closed. Create a new one.');
    const namespace = namespaces.get(name);
    if (namespace === undefined || namespace.expiresAt > Date.now()) return namespace;
    namespaces.delete(name);
    return undefined;
  }

  function make(name: string): Namespace {
    const known = find(name);
    if (known) return known;
    writes += 1;
    if (writes % WRITES_BETWEEN_PURGES === 0) for (const other of namespaces.keys()) find(other);
    const namespace = { entries: new Map(), expiresAt: NEVER, endsAt: NEVER };
    namespaces.set(name, namespace);
    return namespace;
  }

  function settle(name: string, namespace: Namespace, lifetime: Lifetime | undefined): void {
    if (lifetime) Object.assign(namespace, expiry(lifetime, Date.now(), namespace.endsAt));
    if (namespace.entries.size === 0) namespaces.delete(name);
  }

  return {
    name: 'memory',
    isEmpty: (name) => find(name) === undefined,
    async get(name, keys) {
      return valuesOf(find(name)?.entries, keys);
    },
    async put(name, changes, lifetime) {
      const namespace = make(name);
      const written = changes.map((change) => write(namespace.entries, change));
      settle(name, namespace, lifetime);
      return written;
    },
    async increment(name, amounts, lifetime) {
      const namespace = make(name);
      const sums = Object.entries(amounts).map(([key, amount]): [string, number] => {
        return [key, addTo(namespace.entries.get(key)?.toString() ?? '0', amount, key)];
      });
      for (const [key, sum] of sums) namespace.entries.set(key, Buffer.from(String(sum)));
      settle(name, namespace, lifetime);
      return Object.fromEntries(sums);
    },
    async delete(name, keys) {
      const namespace = find(name);
      if (namespace === undefined) return;
      if (keys === undefined) namespace.entries.clear();
      for (const key of keys ?? []) namespace.entries.delete(key);
      settle(name, namespace, undefined);
    },
    async *list(name) {
      yield* pagesOf(find(name)?.entries ?? []);
    },
    async *namespaces(prefix) {
      for (const name of [...namespaces.keys()]) if (name.startsWith(prefix) && find(name)) yield name;
    },
    async touch(name, lifetime) {
      const namespace = find(name);
      if (namespace) settle(name, namespace, lifetime);
      return namespace !== undefined;
    },
    async remaining(name) {
      const namespace = find(name);
      return namespace && remainder(Date.now(), namespace);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      namespaces.clear();
    },
  };
}

function* pagesOf(entries: Iterable<[string, Buffer]>): Generator<Entry[]> {
  let page: Entry[] = [];
  for (const [key, value] of entries) {
    page.push({ key, value: Buffer.from(value) });
    if (page.length < PAGE_ENTRIES) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Returns copies: the caller may write to them. */
function valuesOf(entries: ReadonlyMap<string, Buffer> | undefined, keys: readonly string[]): (Buffer | undefined)[] {
  const values: (Buffer | undefined)[] = [];
  for (const key of keys) {
    const value = entries?.get(key);
    values.push(value && Buffer.from(value));
  }
  return values;
}

function write(entries: Map<string, Buffer>, { key, value, was }: Change): boolean {
  const present = entries.get(key);
  if (was === null && present !== undefined) return false;
  if (was && !present?.equals(was)) return false;
  entries.set(key, Buffer.from(value));
  return true;
}
