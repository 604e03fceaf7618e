import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CredentialPlace, Credentials } from '@toolwright/connectors/oauth';
import { type SealingKey, seal, unseal } from '@toolwright/pii/internal';
import type { Store } from '@toolwright/storage';
import { ToolwrightError } from '../errors.ts';

/** The prefix of the namespaces in the store. */
const NAMESPACES = 'oauth:';
const LOCKS = 'oauth-lock:';
const LOCK_KEY = 'owner';
/** Milliseconds after which the lock of a dead process is free: longer than any request to an issuer. */
const LOCK_MS = 60_000;
/** Milliseconds between two looks at a lock of another process. */
const LOCK_PAUSE_MS = 25;

/** The keys that seal records. A record starts with the id of its key. */
export interface CredentialKeys {
  /** Returns the key for new records. */
  current(): Promise<SealingKey>;
  /** Returns the keys that may have sealed older records. */
  all(): Promise<readonly SealingKey[]>;
}

/** Opens the records about logins in a store. Names and contents are sealed: a copy of the store shows no user and no token. */
export function sealedCredentials(store: Store, keys: CredentialKeys): Credentials {
  const running = new Map<string, Promise<unknown>>();

  async function opened<Value>(place: readonly string[], value: Buffer): Promise<Value | undefined> {
    for (const key of await keys.all()) {
      try {
        return JSON.parse(unseal(key, place, value).toString('utf8'));
      } catch {
        // Another key has sealed it.
      }
    }
    return undefined;
  }

  async function find<Value>(place: CredentialPlace): Promise<{ raw: Buffer | undefined; value: Value | undefined }> {
    const [raw] = await store.get(namespaceOf(place), [keyOf(place)]);
    return { raw, value: raw && (await opened<Value>(sealPlace(place.kind, place.server, keyOf(place)), raw)) };
  }

  const credentials: Credentials = {
    read: async <Value>(place: CredentialPlace) => (await find<Value>(place)).value,
    async write(place, value, lifetimeMs) {
      const text = Buffer.from(JSON.stringify(value));
      const sealed = seal(await keys.current(), sealPlace(place.kind, place.server, keyOf(place)), text);
      const lifetime = lifetimeMs === undefined ? undefined : { maxMs: lifetimeMs };
      await store.put(namespaceOf(place), [{ key: keyOf(place), value: sealed }], lifetime);
    },
    delete: (place) => store.delete(namespaceOf(place), [keyOf(place)]),
    async take<Value>(place: CredentialPlace) {
      const { raw, value } = await find<Value>(place);
      if (raw === undefined) return undefined;
      // Of two processes that read the record, only one replaces it.
      const [isOwn] = await store.put(namespaceOf(place), [{ key: keyOf(place), value: randomUUID(), was: raw }]);
      if (!isOwn) return undefined;
      await credentials.delete(place);
      return value;
    },
    async list<Value>(kind: CredentialPlace['kind'], server: string) {
      const found: Value[] = [];
      for await (const page of store.list(namespaceOf({ kind, server, name: '' }))) {
        for (const { key, value } of page) {
          const record = await opened<Value>(sealPlace(kind, server, key), value);
          if (record !== undefined) found.push(record);
        }
      }
      return found;
    },
    async exclusive<Value>(place: CredentialPlace, work: () => Promise<Value>) {
      const key = hash([namespaceOf(place), keyOf(place)]);
      const before = running.get(key) ?? Promise.resolve();
      const own = before.catch(() => undefined).then(() => withLock(store, key, work));
      running.set(key, own);
      try {
        return await own;
      } finally {
        if (running.get(key) === own) running.delete(key);
      }
    },
  };
  return credentials;
}

/**
 * Runs work under a lock that all processes of the store see. It ends by the clock of the store: those of machines differ. Raises
 * `STORE_UNAVAILABLE`.
 */
async function withLock<Value>(store: Store, key: string, work: () => Promise<Value>): Promise<Value> {
  const own = randomUUID();
  const lock = LOCKS + key;
  const deadlineMs = performance.now() + 2 * LOCK_MS;
  for (;;) {
    const [held] = await store.get(lock, [LOCK_KEY]);
    const change = { key: LOCK_KEY, value: own, was: null };
    const [isOwn] = held === undefined ? await store.put(lock, [change], { maxMs: LOCK_MS }) : [false];
    if (isOwn) break;
    if (performance.now() > deadlineMs) {
      const message = `Another process renews the same token for over ${2 * LOCK_MS} ms. Try again.`;
      throw new ToolwrightError('STORE_UNAVAILABLE', message);
    }
    await sleep(LOCK_PAUSE_MS);
  }
  try {
    return await work();
  } finally {
    const [held] = await store.get(lock, [LOCK_KEY]);
    if (held?.toString() === own) await store.delete(lock);
  }
}

/** A sealed record opens at its own place only: nobody can move a token to another user. */
function sealPlace(kind: string, server: string, key: string): string[] {
  return ['oauth', kind, server, key];
}

function namespaceOf({ kind, server }: CredentialPlace): string {
  return `${NAMESPACES}${kind}:${hash([server])}`;
}

function keyOf({ name }: CredentialPlace): string {
  return hash([name]);
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
