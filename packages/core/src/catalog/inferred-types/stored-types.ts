import { parseJson } from '@toolwright/connectors/internal';
import type { Store } from '@toolwright/storage';
import { folderName } from '@toolwright/storage/internal';
import { mergeShapes, type ObservedShape, readShape } from './shape.ts';
import { type Known, MAX_TYPES, type OpenUserTypes, type UserTypes, WRITE_DELAY_MS } from './user-types.ts';

/** The start of the namespaces in the store, each with the types of one user. */
const NAMESPACES = 'inferred-types:';
/** Milliseconds after which the types are read again, because another process may have changed them. */
const FRESH_MS = 60_000;
/** Types that nobody used for so long are deleted. */
const LIFETIME = { idleMs: 180 * 24 * 60 * 60 * 1_000 };
/** Attempts to write a type that other processes change at the same time. */
const MAX_ATTEMPTS = 5;

export interface StoredTypesOptions {
  readonly store: Store;
  readonly log: { warn(details: object, message: string): void };
}

/** Records types in a store, for all processes of a cluster. While the store does not answer, the types stay in memory. */
export function storedTypes(options: StoredTypesOptions): OpenUserTypes {
  return (userId) => openNamespace(NAMESPACES + folderName('user', userId), options);
}

function openNamespace(namespace: string, { store, log }: StoredTypesOptions): UserTypes {
  const known = new Map<string, Known>();
  const waiting = new Set<string>();
  let reading: Promise<void> | undefined;
  let readAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const warn = (err: unknown) => log.warn({ err }, 'inferred types could not be shared; this process keeps its own');

  const find = (hash: string): Known => {
    const found = known.get(hash) ?? { shape: undefined, unchanged: 0 };
    known.set(hash, found);
    return found;
  };
  const learn = (hash: string, shape: ObservedShape) => {
    const entry = find(hash);
    entry.shape = entry.shape ? mergeShapes(entry.shape, shape) : shape;
  };
  async function readAll(): Promise<void> {
    for await (const page of store.list(namespace)) {
      for (const { key, value } of page) {
        const shape = readShape(parseJson(value.toString()));
        if (shape) learn(key, shape);
      }
    }
  }
  async function writeOne(hash: string): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const [there] = await store.get(namespace, [hash]);
      const other = there && readShape(parseJson(there.toString()));
      if (other) learn(hash, other);
      const change = { key: hash, value: JSON.stringify(find(hash).shape), was: there ?? null };
      const [isWritten] = await store.put(namespace, [change], LIFETIME);
      if (isWritten) return;
    }
  }
  async function writeAll(): Promise<void> {
    const hashes = [...waiting];
    waiting.clear();
    // The oldest types are those that this process read first.
    const extra = [...known.keys()]
      .filter((hash) => !hashes.includes(hash))
      .slice(0, Math.max(0, known.size - MAX_TYPES));
    for (const hash of extra) known.delete(hash);
    try {
      if (extra.length > 0) await store.delete(namespace, extra);
      for (const hash of hashes) await writeOne(hash);
    } catch (error) {
      warn(error);
    }
  }
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.size > 0) writing = writing.then(writeAll);
    return writing;
  };
  return {
    ready() {
      if (reading === undefined || performance.now() - readAtMs >= FRESH_MS) {
        readAtMs = performance.now();
        const next = readAll().catch(warn);
        // The first reading delays its callers, later ones do not.
        reading ??= next;
      }
      return reading;
    },
    find,
    flush,
    write(hash) {
      waiting.add(hash);
      timer ??= setTimeout(() => void flush(), WRITE_DELAY_MS).unref();
    },
  };
}
