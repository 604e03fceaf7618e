import type { Tool } from '@toolwright/connectors';
import { inSlices, isCommonWord, readPlaceholders, type Steps } from '@toolwright/pii/internal';
import type { Experience } from '../search/experience.ts';
import { hasRelatedTerms } from '../search/synonyms.ts';
import { terms } from '../search/terms.ts';
import { createExperience } from './evidence.ts';
import type { Lesson, ToolUse, UsageRecord } from './record.ts';
import { openUserRecords, type UserRecordsOptions } from './user-records.ts';

/** Learns from searches and successful calls. A user's calls change the searches of this user. */
export interface Usage extends AsyncDisposable {
  /** Returns the usage of one program, or of searches outside of programs. */
  forUser(userId: string): UserUsage;
  /** Resolves when the calls until now are learned; they may not be stored yet. */
  settled(): Promise<void>;
}

/** The searches and calls of one program, or outside of programs. */
export interface UserUsage {
  /** Returns the experience of the user until now. Never rejects. */
  experience(): Promise<Experience>;
  /** Notes a search and the ids of the tools that it found. `query` must not contain values of the user's sessions. */
  searched(query: string, found: Iterable<string>, isInCatalog: WordFilter['isInCatalog']): void;
  /** Learns from a successful call. It delays nothing. */
  called(tool: Tool): void;
}

interface UsageOptions extends Omit<UserRecordsOptions, 'nowMs'>, WordDetection {
  /** Default: `Date.now`. */
  readonly nowMs?: () => number;
}

/** Milliseconds after which the words that several users taught are collected again. */
const SHARED_MS = 10 * 60 * 1_000;

interface Derived {
  readonly own: UsageRecord;
  readonly shared: UsageRecord;
  readonly experience: Experience;
}

interface WordDetection {
  /** Finds personal data in a text. */
  readonly detect: (text: string) => Promise<readonly { readonly start: number; readonly end: number }[]>;
}

interface WordFilter extends WordDetection {
  /** Checks whether a tool of the catalog contains a term. */
  readonly isInCatalog: (term: string) => boolean;
}

/** Characters of a query that are read, and words that are kept of them. */
const MAX_QUERY_CHARS = 4_000;
const MAX_TERMS = 50;
/** Words of letters only. A part of an identifier with digits, an address or a path with a user name is none. */
const WORD = /(?<![\p{L}\p{M}\p{N}@/\\])[\p{L}\p{M}]{2,40}(?![\p{L}\p{M}\p{N}@\\])/gu;

/** Users who must have taught a word, or used a tool, before it counts for others. */
const MIN_USERS = 3;

/** Opens the usage that is recorded in a store. Dispose it before the store is closed. */
export function openUsage({ detect, nowMs = Date.now, ...options }: UsageOptions): Usage {
  const records = openUserRecords({ ...options, nowMs });
  const recent = createRecentSearches(nowMs);
  /** By the record that it is derived from. A record is never changed. */
  const derived = new WeakMap<UsageRecord, Derived>();
  const pending = new Set<Promise<void>>();
  let shared: Promise<UsageRecord> | undefined;
  let sharedAtMs = 0;

  function sharedNow(): Promise<UsageRecord> {
    if (shared === undefined || nowMs() - sharedAtMs >= SHARED_MS) {
      sharedAtMs = nowMs();
      const next = records.all().then((all) => inSlices(sharedRecord(all)));
      shared ??= next;
      // Until then, searches use the collection before.
      void next.then(() => {
        shared = next;
      });
    }
    return shared;
  }

  async function experienceOf(userId: string): Promise<Experience> {
    const [own, others] = await Promise.all([records.of(userId), sharedNow()]);
    const known = derived.get(own);
    if (known && known.shared === others) return known.experience;
    const experience = createExperience(own, others);
    derived.set(own, { own, shared: others, experience });
    return experience;
  }

  async function settled(): Promise<void> {
    await Promise.all(pending);
  }

  return {
    forUser(userId) {
      const source: Source = { used: new Set() };
      return {
        experience: () => experienceOf(userId),
        searched(query, found, isInCatalog) {
          const terms = learnableTerms(query, { detect, isInCatalog });
          recent.add(userId, source, { terms, found });
        },
        called(tool) {
          const lesson = recent.lessonOf(userId, source, tool);
          if (!lesson) return;
          const work = lesson
            .then((learned) => records.add(userId, learned))
            // A detector failed: nothing is learned from the query.
            .catch(() => undefined)
            .finally(() => pending.delete(work));
          pending.add(work);
        },
      };
    },
    settled,
    async [Symbol.asyncDispose]() {
      await settled();
      await records[Symbol.asyncDispose]();
    },
  };
}

/**
 * Returns the terms of a query that may be stored. They are outside of personal data, and a tool of the catalog contains them or
 * they are common in English. Names, numbers, addresses and secrets are neither.
 */
export async function learnableTerms(query: string, { detect, isInCatalog }: WordFilter): Promise<readonly string[]> {
  let text = query.slice(0, MAX_QUERY_CHARS);
  for (const { start, end } of readPlaceholders(text).reverse()) text = `${text.slice(0, start)} ${text.slice(end)}`;
  const spans = await detect(text);
  const inSpan = (start: number, end: number) => spans.some((span) => start < span.end && span.start < end);
  const kept = new Set<string>();
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (inSpan(index, index + word.length)) continue;
    for (const term of terms(word)) {
      if (isInCatalog(term) || isCommonWord(word) || hasRelatedTerms(term)) kept.add(term);
    }
  }
  return [...kept].slice(0, MAX_TERMS);
}

/**
 * Collects in steps the words and uses that several users share. Each user counts once for each tool and word, however often the
 * user called the tool. Words and uses of fewer than `MIN_USERS` users are left out. So no user can move a tool for others, and no
 * word of one user affects the answers of others.
 */
function* sharedRecord(records: Iterable<UsageRecord>): Steps<UsageRecord> {
  const tools = new Map<string, { readonly server: string; users: number; readonly words: Map<string, number> }>();
  for (const record of records) {
    yield;
    for (const [id, { server, words }] of record) {
      const key = JSON.stringify([id, server]);
      const tool = tools.get(key) ?? { server, users: 0, words: new Map<string, number>() };
      tools.set(key, tool);
      tool.users++;
      for (const term of words.keys()) tool.words.set(term, (tool.words.get(term) ?? 0) + 1);
    }
  }
  const shared = new Map<string, ToolUse>();
  for (const [key, { server, users, words }] of tools) {
    if (users < MIN_USERS) continue;
    const [id] = JSON.parse(key) as [string];
    const kept = new Map([...words].filter(([, count]) => count >= MIN_USERS));
    shared.set(id, { server, uses: users, words: kept });
  }
  return shared;
}

/** A program, or a search outside of programs. */
export interface Source {
  /** The tools that it has used, by id. */
  readonly used: Set<string>;
}

/** The searches of the users in the last minutes. */
export interface RecentSearches {
  add(
    userId: string,
    source: Source,
    search: { readonly terms: Promise<readonly string[]>; readonly found: Iterable<string> },
  ): void;
  /** Returns the lesson of a successful call; undefined for a repeated one. */
  lessonOf(userId: string, source: Source, tool: Tool): Promise<Lesson> | undefined;
}

interface RecentSearch {
  readonly source: Source;
  readonly atMs: number;
  readonly terms: Promise<readonly string[]>;
  readonly found: ReadonlySet<string>;
  /** The tools that it has taught, by id. */
  readonly taught: Set<string>;
}

/** Milliseconds in which a search counts for the calls of its user. */
const MAX_AGE_MS = 10 * 60 * 1_000;
const MAX_SEARCHES = 20;
const MAX_USERS = 1_000;
/** Searches of other sources that share a call whose tool none of them found. */
const MAX_OTHERS = 3;

/** Creates an empty list. */
export function createRecentSearches(nowMs: () => number): RecentSearches {
  const byUser = new Map<string, RecentSearch[]>();

  function recent(userId: string): RecentSearch[] {
    const found = (byUser.get(userId) ?? []).filter(({ atMs }) => nowMs() - atMs <= MAX_AGE_MS).slice(-MAX_SEARCHES);
    // The order of the map is the order of the last uses.
    byUser.delete(userId);
    byUser.set(userId, found);
    const [oldest] = byUser.keys();
    if (byUser.size > MAX_USERS && oldest !== undefined) byUser.delete(oldest);
    return found;
  }

  return {
    add(userId, source, { terms, found }) {
      // Nobody waits for the terms before a call.
      terms.catch(() => undefined);
      recent(userId).push({ source, atMs: nowMs(), terms, found: new Set(found), taught: new Set() });
    },
    lessonOf(userId, source, tool) {
      if (source.used.has(tool.id) && !byUser.get(userId)?.length) return undefined;
      const searches = recent(userId).filter(({ taught }) => !taught.has(tool.id));
      const { credited, share } = creditOf(searches, source, tool.id);
      const uses = source.used.has(tool.id) ? 0 : 1;
      if (uses === 0 && credited.length === 0) return undefined;
      source.used.add(tool.id);
      for (const { taught } of credited) taught.add(tool.id);
      return lessonFrom(tool, uses, credited, share);
    },
  };
}

/**
 * Chooses the searches that led to a call: those that found the tool. If none did, the searches of the same program share the call,
 * or the last searches of the user. The model found the tool in another way, and the next such search should find it.
 */
function creditOf(
  searches: readonly RecentSearch[],
  source: Source,
  id: string,
): { readonly credited: readonly RecentSearch[]; readonly share: number } {
  const finders = searches.filter(({ found }) => found.has(id));
  if (finders.length > 0) return { credited: finders, share: 1 };
  const own = searches.filter((search) => search.source === source);
  const credited = own.length > 0 ? own : searches.slice(-MAX_OTHERS);
  return { credited, share: 1 / credited.length };
}

async function lessonFrom(
  { id, server }: Tool,
  uses: Lesson['uses'],
  credited: readonly RecentSearch[],
  share: number,
): Promise<Lesson> {
  const words = new Map<string, number>();
  for (const terms of await Promise.all(credited.map((search) => search.terms))) {
    for (const term of terms) words.set(term, (words.get(term) ?? 0) + share);
  }
  return { tool: { id, server }, uses, words };
}
