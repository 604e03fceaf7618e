import { createHash, randomUUID } from 'node:crypto';
import type { Logger, Store } from '@toolwright/core';
import { type DueTimes, dueTimesOf } from '@toolwright/core/internal';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../problem.ts';
import { KEY_LIFETIME_MS, type KeyRecord, openKeyRecords } from './key-records.ts';

/** The most answers of one user in memory, and of all users. The oldest is removed; the store still has its key. */
const MAX_USER_KEYS = 1_000;
export const MAX_KEYS = 10_000;
/** The most characters of the JSON answers of one user, and of all users. The oldest answer is removed. */
export const MAX_USER_CHARACTERS: number = 16 * 1024 * 1024;
export const MAX_CHARACTERS: number = 128 * 1024 * 1024;
const MAX_KEY_CHARACTERS = 255;
const KEY = /^[\x21-\x7e]+$/;

/** A request that a client may repeat. */
export interface Repeatable<T> {
  readonly user: string;
  /** The `Idempotency-Key` header. */
  readonly key: string | undefined;
  /**
   * The content of the request, as JSON. A repeated request must have the same content. Absent parts count for nothing: a newer version can add
   * parts, and knows the requests of this one.
   */
  readonly request: readonly unknown[];
  /** Whether a copy waits for the outcome of the running first request, or is refused. */
  readonly meanwhile: 'wait' | 'refuse';
  /** Whether the store keeps the answer too. Otherwise `recover` returns it. */
  readonly isStored: boolean;
  /** Returns whether a failed request may have had effects. Its key is then never used again. */
  mayHaveEffects(): boolean;
  /** Returns the answer of earlier work by its id; `unknown` if there is no record of it. Starts nothing. */
  recover(id: string): Promise<{ readonly value: T } | 'running' | 'unknown'>;
}

/** Runs the work of an idempotency key once, also when the process is killed meanwhile. */
export interface Idempotency {
  /**
   * Runs work once per key. The key is in the store before the work starts, with the id that the work must use. Raises problems
   * 400 (bad key), 409 (the first request is running), 422 (another body).
   */
  once<T>(repeatable: Repeatable<T>, work: Work<T>): Promise<{ readonly value: T; readonly isReplay: boolean }>;
  /** Returns whether this process can own keys. It takes a new lease after a loss. */
  isReady(): boolean;
  /** Lets other processes take over keys whose work has not started. */
  close(): Promise<void>;
}

/**
 * Work under an id. `check` raises `OWNERSHIP_LOST` when another process may have taken the key over: the work must call it before
 * each effect.
 */
export type Work<T> = (id: string, check: () => void) => Promise<T>;

interface Answered {
  readonly value: unknown;
  readonly isReplay: boolean;
}

interface Entry {
  readonly fingerprint: string;
  readonly dueMs: number;
  readonly outcome: Promise<Answered>;
  isPending: boolean;
  /** Characters of the JSON answer; 0 while the work runs. */
  characters: number;
}

interface IdempotencyOptions {
  readonly store: Store;
  /** The data folder of the work. Without it, the store must belong to this process alone. */
  readonly dataDir?: string | undefined;
  readonly logger: Logger;
  /** When keys expire. Default: by the clock of the store or of the data folder. */
  readonly dueTimes?: DueTimes;
}

/** Creates the idempotency keys of a server: all of them in its store, and the exact answers of this process in memory. */
export function createIdempotency({
  store,
  dataDir,
  logger,
  dueTimes = dueTimesOf(store, dataDir),
}: IdempotencyOptions): Idempotency {
  const records = openKeyRecords(store, dataDir, dueTimes);
  const memory = answersInMemory();

  async function runOnce<T>(
    fingerprint: string,
    key: string,
    repeatable: Repeatable<T>,
    work: Work<T>,
  ): Promise<{ value: T; isReplay: boolean }> {
    const { user, isStored } = repeatable;
    const id = randomUUID();
    let claim = await records.claim(user, key, { fingerprint, id });
    if ('earlier' in claim) {
      const { earlier } = claim;
      requireSame(earlier.fingerprint, fingerprint);
      const found = await earlierAnswer(earlier, repeatable);
      if (found !== 'unknown') return { value: found.value, isReplay: true };
      // Its process died before the work started, so it had no effect.
      if (!(await records.hasLostOwner(earlier))) throw conflict();
      // It may have started the work just before it died.
      const late = await earlierAnswer(earlier, repeatable);
      if (late !== 'unknown') return { value: late.value, isReplay: true };
      claim = await records.claim(user, key, { fingerprint, id }, earlier);
      if ('earlier' in claim) throw conflict();
    }
    const { check } = claim;
    try {
      check();
      const value = await work(id, check);
      await records.end(user, key, isStored ? value : undefined).catch((error: unknown) => {
        logger.error({ err: error }, 'the answer of an idempotency key was not stored; its journal has it');
      });
      return { value, isReplay: false };
    } catch (error) {
      // A key that cannot be freed in the store belongs to this process, which takes it over at the next request.
      if (!repeatable.mayHaveEffects()) await records.release(user, key).catch(() => undefined);
      throw error;
    }
  }

  return {
    async once<T>(repeatable: Repeatable<T>, work: Work<T>) {
      const { user, key, request, meanwhile } = repeatable;
      if (key === undefined) return { value: await work(randomUUID(), () => undefined), isReplay: false };
      requireKey(key);
      const content = JSON.stringify(request.filter((part) => part !== undefined));
      const fingerprint = createHash('sha256').update(content).digest('base64');
      const kept = memory.get(user, key);
      if (kept && (kept.isPending || dueTimes.leftMs(kept.dueMs) > 0)) {
        requireSame(kept.fingerprint, fingerprint);
        if (kept.isPending && meanwhile === 'refuse') throw conflict();
        return { value: (await kept.outcome).value as T, isReplay: true };
      }
      const outcome = runOnce(fingerprint, key, repeatable, work);
      const dueMs = dueTimes.dueIn(KEY_LIFETIME_MS);
      const entry: Entry = { fingerprint, dueMs, outcome, isPending: true, characters: 0 };
      memory.add(user, key, entry);
      try {
        const answered = await outcome;
        // An answer from the store is read again each time: an execution elsewhere can still end.
        if (answered.isReplay) memory.remove(user, key);
        else memory.keepAnswer(user, entry, answered.value);
        return answered;
      } catch (error) {
        if (memory.get(user, key) === entry) memory.remove(user, key);
        throw error;
      }
    },
    isReady: records.isReady,
    close: records.close,
  };
}

/** Returns the answer of an earlier request. Raises a problem 409 while it runs. */
async function earlierAnswer<T>(
  { id, answer }: KeyRecord,
  { recover }: Repeatable<T>,
): Promise<{ readonly value: T } | 'unknown'> {
  if (answer !== undefined) return { value: answer as T };
  const found = await recover(id);
  if (found === 'running') throw conflict();
  return found;
}

function conflict(): HttpProblem {
  const detail =
    'The first request with this Idempotency-Key has not ended, as far as this server knows. Retry when it has ended.';
  const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` };
  return new HttpProblem(409, 'IDEMPOTENCY_CONFLICT', detail, { headers });
}

function requireKey(key: string): void {
  if (key.length <= MAX_KEY_CHARACTERS && KEY.test(key)) return;
  const detail = `An Idempotency-Key must have 1 to ${MAX_KEY_CHARACTERS} visible ASCII characters.`;
  throw new HttpProblem(400, 'BAD_REQUEST', detail);
}

/** Raises a problem for a key of another request. */
function requireSame(known: string, fingerprint: string): void {
  if (known === fingerprint) return;
  const detail = 'This Idempotency-Key was used for another request. Use a new key.';
  throw new HttpProblem(422, 'IDEMPOTENCY_MISMATCH', detail);
}

/** The answers of this process, within their limits. */
function answersInMemory() {
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
  const charactersOf = (user: string): number =>
    [...(users.get(user)?.values() ?? [])].reduce((sum, kept) => sum + kept.characters, 0);

  return {
    get: (user: string, key: string) => users.get(user)?.get(key),
    remove,
    /** Adds an entry instead of one with the same key, and removes older ones over the limits. */
    add(user: string, key: string, entry: Entry): void {
      remove(user, key);
      if ((users.get(user)?.size ?? 0) >= MAX_USER_KEYS) removeOldest(user);
      if (count >= MAX_KEYS) removeOldestOfAnyUser();
      const keys = users.get(user) ?? new Map<string, Entry>();
      users.set(user, keys.set(key, entry));
      count++;
    },
    /** Keeps the answer of ended work, and removes older answers over the limits. */
    keepAnswer(user: string, entry: Entry, value: unknown): void {
      entry.isPending = false;
      entry.characters = JSON.stringify(value)?.length ?? 0;
      characters += entry.characters;
      while (charactersOf(user) > MAX_USER_CHARACTERS && removeOldest(user));
      while (characters > MAX_CHARACTERS && removeOldestOfAnyUser());
    },
  };
}
