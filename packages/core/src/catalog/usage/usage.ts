import type { Tool } from '@toolwright/connectors';
import { inSlices } from '@toolwright/pii/internal';
import type { Experience } from '../search/experience.ts';
import { createExperience } from './evidence.ts';
import { createRecentSearches, type Source } from './recent-searches.ts';
import type { UsageRecord } from './record.ts';
import { sharedRecord } from './shared.ts';
import { openUserRecords, type UserRecordsOptions } from './user-records.ts';
import { learnableTerms, type WordFilter } from './words.ts';

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

export interface UsageOptions extends Omit<UserRecordsOptions, 'nowMs'>, Pick<WordFilter, 'detect'> {
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
