import type { Tool } from '@toolwright/connectors';
import type { Lesson } from './record.ts';

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
