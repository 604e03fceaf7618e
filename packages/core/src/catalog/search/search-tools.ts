import type { ToolLanguage } from '@toolwright/connectors';
import { isSkillsCategory, SKILLS_CATEGORY, serversOfCategory } from '../categories.ts';
import type { KnownTools } from '../known-tools.ts';
import type { ServerState } from '../server-state.ts';
import { type Servers, unreadyServers } from '../servers.ts';
import type { ToolWriter } from '../signatures/writer.ts';
import type { UserUsage } from '../usage/usage.ts';
import {
  answerSections,
  NAMES,
  nameLines,
  type SearchAnswer,
  SIGNATURES,
  searchAnswer,
  sectionsAnswer,
} from './answer/answer.ts';
import { type DetailLevel, readDetailLevel } from './answer/detail-level.ts';
import { mergeMatches, type SearchableSkill, searchHit, wholeHit } from './answer/hit.ts';
import { extractNote, nothingFoundNote, notReadyNote, omittedNote } from './answer/notes.ts';
import { fitHits } from './answer/token-budget.ts';
import { isEverything } from './tool-index.ts';

/** The scope of a search, and the size of its answer. */
export interface SearchOptions {
  /** Searches the tools of this server only. */
  readonly server?: string;
  /** Searches these servers only: a server, or a word in the names or descriptions of servers. `skills` finds skills only. */
  readonly category?: string;
  /** How much of each hit the answer shows. Default: `summary`. */
  readonly detailLevel?: DetailLevel;
  /**
   * Hits per query; 5 by default. An answer has at most 50 hits. With a limit, its text has the signature of each hit; by default, those of 3
   * hits of each query, and further names.
   */
  readonly limit?: number;
  /** The language of the signatures; TypeScript by default. */
  readonly language?: ToolLanguage;
  /** The skills of the searching user. A search of servers ignores them. */
  readonly searchableSkills?: readonly SearchableSkill[];
  /** The queries without personal data of the session, to learn from. Default: the queries. */
  readonly redactedQueries?: readonly string[];
  /** A further line of the answer. */
  readonly extraNote?: string | undefined;
}

interface SearchContext {
  readonly servers: Servers;
  readonly tools: KnownTools;
  readonly writers: Readonly<Record<ToolLanguage, ToolWriter>>;
  /** Learns from searches, and orders their hits by earlier calls. */
  readonly usage?: UserUsage | undefined;
  /** Milliseconds to wait for a server that has not listed its tools yet. */
  readonly waitMs: number;
}

const DEFAULT_LIMIT = 5;
const MAX_HITS = 50;

/** The part of a catalog that a search reads. */
interface SearchScope {
  readonly servers: readonly ServerState[];
  /** The names of the servers in the index; undefined for all. Skills are there as a server of their own. */
  readonly only?: ReadonlySet<string>;
  readonly hasSkills: boolean;
}

/** Searches tools and skills with several queries and merges the hits. Raises `UNKNOWN_SERVER`, `INVALID_ARGUMENTS`. */
export async function searchTools(
  { servers, tools, writers, usage, waitMs }: SearchContext,
  queries: readonly string[],
  options: SearchOptions,
): Promise<SearchAnswer> {
  const hasEverything = queries.some(isEverything);
  const {
    limit = hasEverything ? MAX_HITS : DEFAULT_LIMIT,
    language = 'typescript',
    searchableSkills = [],
    redactedQueries,
  } = options;
  const level = readDetailLevel(options.detailLevel);
  const { servers: searched, only, hasSkills } = searchScope(options, servers, language);
  await servers.refresh(searched, { retry: false, waitMs });
  const perQuery = Math.max(1, Math.min(MAX_HITS, Math.floor(limit) || DEFAULT_LIMIT));
  const hasSections = options.limit === undefined && !hasEverything && level === 'summary';
  const searchedFor = hasSections ? SIGNATURES + NAMES : perQuery;
  const skills = hasSkills ? searchableSkills : [];
  const experience = await usage?.experience();
  const matches = tools.index.withTools(
    skills.map(({ tool }) => tool),
    () => queries.map((query) => tools.index.search(query, { servers: only, limit: searchedFor, experience })),
  );
  for (const [index, found] of matches.entries()) {
    const query = (redactedQueries ?? queries)[index] ?? '';
    if (isEverything(query)) continue;
    usage?.searched(
      query,
      found.map(({ tool }) => tool.id),
      tools.index.hasTerm,
    );
  }
  const merged = mergeMatches(
    matches.map((found) => found.slice(0, perQuery)),
    MAX_HITS,
  );
  const writer = writers[language];
  const fitted = await fitHits(merged, (match, brief) => searchHit(match, writer, { skills, brief }));
  const hits = fitted.map((hit, index) => {
    const match = merged[index];
    return level === 'full' && match ? wholeHit(hit, match, writer) : hit;
  });
  const notes = [
    hasEverything && hits.length === MAX_HITS && tools.count > MAX_HITS
      ? `${tools.count} tools; these are ${MAX_HITS}`
      : undefined,
    hits.length === 0 ? await nothingFound(tools, servers, options.server === undefined ? [] : searched) : undefined,
    hits.length === 0 ? omittedNote(searched) : undefined,
    notReadyNote(unreadyServers(searched), searched.length),
    extractNote(queries),
    options.extraNote,
  ];
  const note = notes.filter((line) => line !== undefined).join('\n');
  const shownNote = note === '' ? undefined : note;
  if (!hasSections || hits.length === 0) return searchAnswer(hits, shownNote, level);
  const found = queries.map((query, index) => ({ query, matches: matches[index] ?? [] }));
  return sectionsAnswer(hits, await answerSections(found, { writer, skills }), shownNote);
}

/** Returns the note of a search without hits. Of a named server it names the tools: the next search would ask for them. */
async function nothingFound(
  tools: KnownTools,
  servers: Servers,
  [named]: readonly { readonly name: string }[],
): Promise<string> {
  const own = named ? tools.of(named.name) : [];
  if (own.length === 0) return nothingFoundNote(tools.count, servers.all.length);
  return (await nameLines(own, `No tool of this server has these words. ${own.length} by name:`)).join('\n');
}

/** Returns the scope of a search: a server, the servers of a category, or all. Raises `UNKNOWN_SERVER`. */
function searchScope(
  { server, category }: { readonly server?: string | undefined; readonly category?: string | undefined },
  servers: Servers,
  language: ToolLanguage,
): SearchScope {
  const named = server === undefined ? undefined : servers.find(server, language);
  const inside = category === undefined ? undefined : serversOfCategory(category, servers);
  if (!named && !inside) return { servers: servers.all, hasSkills: true };
  const found = (inside ?? servers.all).filter((candidate) => !named || candidate === named);
  const hasSkills = !named && inside !== undefined && isSkillsCategory(category, inside);
  return { servers: found, only: new Set(hasSkills ? [SKILLS_CATEGORY] : found.map(({ name }) => name)), hasSkills };
}
