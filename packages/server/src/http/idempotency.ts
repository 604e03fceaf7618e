import { createHash } from 'node:crypto';
import { HttpProblem } from './problem.ts';

/** How long an answer is kept for a request that comes again, milliseconds. */
export const KEY_LIFETIME_MS: number = 24 * 60 * 60 * 1000;
/** Keys that are kept of one user, and of all; the oldest is forgotten. */
export const MAX_USER_KEYS = 1_000;
export const MAX_KEYS = 10_000;
/** Characters of their answers, as JSON, that are kept of one user, and of all; the oldest is forgotten. */
export const MAX_USER_CHARACTERS: number = 16 * 1024 * 1024;
export const MAX_CHARACTERS: number = 128 * 1024 * 1024;
const MAX_KEY_CHARACTERS = 255;
const KEY = /^[\x21-\x7e]+$/;

/** A request that may come twice. */
export interface Repeatable {
  readonly user: string;
  /** The `Idempotency-Key` header. */
  readonly key: string | undefined;
  /** What the request asks for. */
  readonly request: unknown;
  /** What a copy does while the first is under way: wait for its outcome, or be refused. */
  readonly meanwhile: 'wait' | 'refuse';
}

/** What requests with an idempotency key have begun. A key that failed is free again. */
export interface Idempotency {
  /** Does work once per key. Raises problems 400 (bad key), 409 (the first is under way), 422 (another body). */
  once<T>(repeatable: Repeatable, work: () => Promise<T>): Promise<{ readonly value: T; readonly isReplay: boolean }>;
}

interface Kept {
  readonly fingerprint: string;
  readonly expiresAtMs: number;
  readonly outcome: Promise<unknown>;
  isPending: boolean;
  /** Of its answer; 0 while there is none. */
  characters: number;
}

/** Keeps keys in this process, in the order in which they came. */
export function createIdempotency(now: () => number = Date.now): Idempotency {
  const users = new Map<string, Map<string, Kept>>();
  let count = 0;
  let characters = 0;

  const forget = (user: string, key: string): void => {
    const keys = users.get(user);
    const kept = keys?.get(key);
    if (!keys || !kept) return;
    keys.delete(key);
    count--;
    characters -= kept.characters;
    if (keys.size === 0) users.delete(user);
  };
  /** Forgets the oldest of a user; false when nothing can be: what is under way keeps its place, so that a copy finds it. */
  const forgetOldest = (user: string): boolean => {
    const oldest = [...(users.get(user) ?? [])].find(([, kept]) => !kept.isPending)?.[0];
    if (oldest !== undefined) forget(user, oldest);
    return oldest !== undefined;
  };
  const forgetAnyOldest = (): boolean => [...users.keys()].some(forgetOldest);
  const makeRoom = (user: string): void => {
    if ((users.get(user)?.size ?? 0) >= MAX_USER_KEYS) forgetOldest(user);
    if (count >= MAX_KEYS) forgetAnyOldest();
  };
  const charactersOf = (user: string): number =>
    [...(users.get(user)?.values() ?? [])].reduce((sum, kept) => sum + kept.characters, 0);
  /** Keeps an answer that has come, if need be in the place of older ones. */
  const keepAnswer = (user: string, entry: Kept, value: unknown): void => {
    entry.isPending = false;
    entry.characters = JSON.stringify(value)?.length ?? 0;
    characters += entry.characters;
    while (charactersOf(user) > MAX_USER_CHARACTERS && forgetOldest(user));
    while (characters > MAX_CHARACTERS && forgetAnyOldest());
  };

  return {
    async once<T>({ user, key, request, meanwhile }: Repeatable, work: () => Promise<T>) {
      if (key === undefined) return { value: await work(), isReplay: false };
      requireKey(key);
      const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('base64');
      const kept = users.get(user)?.get(key);
      if (kept && (kept.isPending || kept.expiresAtMs > now())) {
        if (kept.fingerprint !== fingerprint) {
          throw new HttpProblem(
            422,
            'IDEMPOTENCY_MISMATCH',
            'This Idempotency-Key was used for another request. Use a new key.',
          );
        }
        if (kept.isPending && meanwhile === 'refuse') {
          const detail = 'The first request with this Idempotency-Key is still running. Retry when it has ended.';
          throw new HttpProblem(409, 'IDEMPOTENCY_CONFLICT', detail, { headers: { 'retry-after': '1' } });
        }
        return { value: (await kept.outcome) as T, isReplay: true };
      }
      forget(user, key);
      makeRoom(user);
      const outcome = work();
      const entry: Kept = {
        fingerprint,
        expiresAtMs: now() + KEY_LIFETIME_MS,
        outcome,
        isPending: true,
        characters: 0,
      };
      const keys = users.get(user) ?? new Map<string, Kept>();
      users.set(user, keys.set(key, entry));
      count++;
      try {
        const value = await outcome;
        keepAnswer(user, entry, value);
        return { value, isReplay: false };
      } catch (error) {
        if (users.get(user)?.get(key) === entry) forget(user, key);
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
