import { createHash } from 'node:crypto';
import { HttpProblem } from './problem.ts';

/** Milliseconds for which the answer of a key is kept. */
export const KEY_LIFETIME_MS: number = 24 * 60 * 60 * 1000;
/** The most keys of one user, and of all users. The oldest key is removed. */
export const MAX_USER_KEYS = 1_000;
export const MAX_KEYS = 10_000;
/** The most characters of the JSON answers of one user, and of all users. The oldest answer is removed. */
export const MAX_USER_CHARACTERS: number = 16 * 1024 * 1024;
export const MAX_CHARACTERS: number = 128 * 1024 * 1024;
const MAX_KEY_CHARACTERS = 255;
const KEY = /^[\x21-\x7e]+$/;

/** A request that a client may repeat. */
export interface Repeatable {
  readonly user: string;
  /** The `Idempotency-Key` header. */
  readonly key: string | undefined;
  /** The content of the request, as JSON. A repeated request must have the same content. */
  readonly request: unknown;
  /** Whether a copy waits for the outcome of the running first request, or is refused. */
  readonly meanwhile: 'wait' | 'refuse';
}

/** Runs the work of an idempotency key once. After a failure, the key is free again. */
export interface Idempotency {
  /** Runs work once per key. Raises problems 400 (bad key), 409 (the first request is running), 422 (another body). */
  once<T>(repeatable: Repeatable, work: () => Promise<T>): Promise<{ readonly value: T; readonly isReplay: boolean }>;
}

interface Entry {
  readonly fingerprint: string;
  readonly expiresAtMs: number;
  readonly outcome: Promise<unknown>;
  isPending: boolean;
  /** Characters of the JSON answer; 0 while the work runs. */
  characters: number;
}

/** Creates the idempotency keys of this process. A restart forgets them. */
export function createIdempotency(now: () => number = Date.now): Idempotency {
  const users = new Map<string, Map<string, Entry>>();
  let count = 0;
  let characters = 0;

  const remove = (user: string, key: string): void => {
    const keys = users.get(user);
    const kept = keys?.get(key);
    if (!keys || !kept) return;
    keys.delete(key);
    count--;
    characters -= kept.characters;
    if (keys.size === 0) users.delete(user);
  };
  /**
   * Removes the oldest ended entry of a user. Returns false without one: a running entry stays, so that a copy finds it.
   */
  const removeOldest = (user: string): boolean => {
    const oldest = [...(users.get(user) ?? [])].find(([, kept]) => !kept.isPending)?.[0];
    if (oldest !== undefined) remove(user, oldest);
    return oldest !== undefined;
  };
  const removeOldestOfAnyUser = (): boolean => [...users.keys()].some(removeOldest);
  const removeOverLimit = (user: string): void => {
    if ((users.get(user)?.size ?? 0) >= MAX_USER_KEYS) removeOldest(user);
    if (count >= MAX_KEYS) removeOldestOfAnyUser();
  };
  const charactersOf = (user: string): number =>
    [...(users.get(user)?.values() ?? [])].reduce((sum, kept) => sum + kept.characters, 0);
  /** Keeps the answer of ended work, and removes older answers over the limits. */
  const keepAnswer = (user: string, entry: Entry, value: unknown): void => {
    entry.isPending = false;
    entry.characters = JSON.stringify(value)?.length ?? 0;
    characters += entry.characters;
    while (charactersOf(user) > MAX_USER_CHARACTERS && removeOldest(user));
    while (characters > MAX_CHARACTERS && removeOldestOfAnyUser());
  };

  return {
    async once<T>({ user, key, request, meanwhile }: Repeatable, work: () => Promise<T>) {
      if (key === undefined) return { value: await work(), isReplay: false };
      requireKey(key);
      const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('base64');
      const kept = users.get(user)?.get(key);
      if (kept && (kept.isPending || kept.expiresAtMs > now())) {
        requireSame(kept, fingerprint, meanwhile);
        return { value: (await kept.outcome) as T, isReplay: true };
      }
      remove(user, key);
      removeOverLimit(user);
      const outcome = work();
      const entry: Entry = {
        fingerprint,
        expiresAtMs: now() + KEY_LIFETIME_MS,
        outcome,
        isPending: true,
        characters: 0,
      };
      const keys = users.get(user) ?? new Map<string, Entry>();
      users.set(user, keys.set(key, entry));
      count++;
      try {
        const value = await outcome;
        keepAnswer(user, entry, value);
        return { value, isReplay: false };
      } catch (error) {
        if (users.get(user)?.get(key) === entry) remove(user, key);
        throw error;
      }
    },
  };
}

function requireKey(key: string): void {
  if (key.length <= MAX_KEY_CHARACTERS && KEY.test(key)) return;
  const detail = `An Idempotency-Key must have 1 to ${MAX_KEY_CHARACTERS} visible ASCII characters.`;
  throw new HttpProblem(400, 'BAD_REQUEST', detail);
}

/** Raises a problem for a key of another request, and for a copy that must not wait for the first request. */
function requireSame(kept: Entry, fingerprint: string, meanwhile: Repeatable['meanwhile']): void {
  if (kept.fingerprint !== fingerprint) {
    const detail = 'This Idempotency-Key was used for another request. Use a new key.';
    throw new HttpProblem(422, 'IDEMPOTENCY_MISMATCH', detail);
  }
  if (kept.isPending && meanwhile === 'refuse') {
    const detail = 'The first request with this Idempotency-Key is still running. Retry when it has ended.';
    throw new HttpProblem(409, 'IDEMPOTENCY_CONFLICT', detail, { headers: { 'retry-after': '1' } });
  }
}
