import { inSlices, type Steps } from '@toolwright/pii/internal';
import type { Store } from '@toolwright/storage';
import { type Entry, folderName } from '@toolwright/storage/internal';
import { HALF_LIFE_DAYS, type Lesson, learn, readRecord, recordText, type UsageRecord } from './record.ts';

/** The records of all users in the store, and in memory those of the users of this process. */
export interface UserRecords extends AsyncDisposable {
  /** Returns the record of a user, as a new object after each change. Never rejects. */
  of(userId: string): Promise<UsageRecord>;
  /** Adds the lesson of a call. It is stored within seconds, together with others. */
  add(userId: string, lesson: Lesson): void;
  /** Returns the stored records of all users, and deletes those whose uses are all forgotten. Never rejects. */
  all(): Promise<UsageRecord[]>;
}

export interface UserRecordsOptions {
  readonly store: Store;
  readonly log: { warn(details: object, message: string): void };
  /** Returns the time in milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** The namespace of the records in the store, with one entry per user. */
export const USAGE_NAMESPACE = 'search-usage';
/** Milliseconds before lessons are stored, so that several are stored together. */
const WRITE_DELAY_MS = 1_000;
/** Milliseconds after which a record is read again, because another process may have changed it. */
const FRESH_MS = 60_000;
/** Users whose records are in memory. */
const MAX_USERS = 100;
/** Records of users that are read to find the words that several users taught. */
const MAX_READ_USERS = 1_000;
/** Lessons of a user that wait for a store that does not answer. */
const MAX_WAITING = 1_000;
const MAX_ATTEMPTS = 5;
const LIFETIME = { idleMs: 12 * HALF_LIFE_DAYS * 24 * 60 * 60 * 1_000 };
const EMPTY: UsageRecord = new Map();

interface Known {
  record: UsageRecord;
  readAtMs: number;
  reading: Promise<void>;
  waiting: Lesson[];
}

/** Opens the records in a store. */
export function openUserRecords(options: UserRecordsOptions): UserRecords {
  const { nowMs } = options;
  const stored = createStoredRecords(options);
  const known = new Map<string, Known>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function read(userId: string, user: Known): Promise<void> {
    const record = await stored.read(keyOf(userId));
    if (record) user.record = user.waiting.reduce(learn, record);
  }

  function find(userId: string): Known {
    const user = known.get(userId) ?? {
      record: EMPTY,
      readAtMs: Number.NEGATIVE_INFINITY,
      reading: Promise.resolve(),
      waiting: [],
    };
    // The order of the map is the order of the last uses.
    known.delete(userId);
    known.set(userId, user);
    if (user.waiting.length === 0 && nowMs() - user.readAtMs >= FRESH_MS) {
      user.readAtMs = nowMs();
      user.reading = read(userId, user);
    }
    const [oldest] = [...known].find(([, each]) => each !== user && each.waiting.length === 0) ?? [];
    if (known.size > MAX_USERS && oldest !== undefined) known.delete(oldest);
    return user;
  }

  async function flush(): Promise<void> {
    for (const [userId, user] of known) {
      const lessons = user.waiting.splice(0);
      if (lessons.length === 0) continue;
      const record = await stored.add(keyOf(userId), lessons);
      if (record) user.record = user.waiting.reduce(learn, record);
      else user.waiting = [...lessons, ...user.waiting].slice(-MAX_WAITING);
    }
  }

  return {
    async of(userId) {
      const user = find(userId);
      await user.reading;
      return user.record;
    },
    add(userId, lesson) {
      const user = find(userId);
      user.record = learn(user.record, lesson);
      user.waiting = [...user.waiting, lesson].slice(-MAX_WAITING);
      timer ??= setTimeout(() => {
        timer = undefined;
        writing = writing.then(flush);
      }, WRITE_DELAY_MS).unref();
    },
    all: stored.all,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await writing.then(flush);
    },
  };
}

/** The records in the store, by key. No method rejects. */
interface StoredRecords {
  /** Returns undefined if the store fails. */
  read(key: string): Promise<UsageRecord | undefined>;
  /** Adds lessons to a record, which another process may change at the same time. Returns undefined if the store fails. */
  add(key: string, lessons: readonly Lesson[]): Promise<UsageRecord | undefined>;
  all(): Promise<UsageRecord[]>;
}

function createStoredRecords({ store, log, nowMs }: UserRecordsOptions): StoredRecords {
  const warn = (action: string, err: unknown): void =>
    log.warn({ err }, `search usage could not be ${action}; searches work without it`);

  function parse(value: Buffer, key: string): UsageRecord | undefined {
    const record = readRecord(value.toString('utf8'), nowMs());
    if (!record) log.warn({ record: key }, 'ignored a damaged record of search usage; the next use replaces it');
    return record;
  }

  function* parseAll(entries: readonly Entry[]): Steps<{ key: string; record: UsageRecord }[]> {
    const parsed: { key: string; record: UsageRecord }[] = [];
    for (const { key, value } of entries) {
      yield;
      const record = parse(value, key);
      if (record) parsed.push({ key, record });
    }
    return parsed;
  }

  async function find(key: string): Promise<{ value: Buffer | undefined; record: UsageRecord }> {
    const [value] = await store.get(USAGE_NAMESPACE, [key]);
    return { value, record: (value && parse(value, key)) ?? EMPTY };
  }

  return {
    async read(key) {
      try {
        return (await find(key)).record;
      } catch (error) {
        return void warn('read', error);
      }
    },
    async add(key, lessons) {
      try {
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
          const { value, record: before } = await find(key);
          const record = lessons.reduce(learn, before);
          const change = { key, value: recordText(record, nowMs()), was: value ?? null };
          const [isWritten] = await store.put(USAGE_NAMESPACE, [change], LIFETIME);
          if (isWritten) return record;
        }
      } catch (error) {
        warn('stored', error);
      }
      return undefined;
    },
    async all() {
      const records: UsageRecord[] = [];
      const forgotten: string[] = [];
      try {
        for await (const page of store.list(USAGE_NAMESPACE)) {
          const entries = page.slice(0, MAX_READ_USERS - records.length);
          for (const { key, record } of await inSlices(parseAll(entries))) {
            if (record.size > 0) records.push(record);
            else forgotten.push(key);
          }
          if (records.length >= MAX_READ_USERS) break;
        }
        if (forgotten.length > 0) await store.delete(USAGE_NAMESPACE, forgotten);
      } catch (error) {
        warn('read', error);
      }
      return records;
    },
  };
}

function keyOf(userId: string): string {
  return folderName('user', userId);
}
