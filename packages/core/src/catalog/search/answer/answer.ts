import type { Tool } from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import { loadTokenizer } from '../../../telemetry/tokens.ts';
import type { ToolWriter } from '../../signatures/writer.ts';
import type { ToolMatch } from '../tool-index.ts';
import type { DetailLevel } from './detail-level.ts';
import { hitText, type SearchableSkill, type SearchHit, searchHit } from './hit.ts';
import { fitHits } from './token-budget.ts';

/** The result of a search. */
export interface SearchAnswer {
  readonly hits: SearchHit[];
  /** Names servers whose tools could not be searched, or advises what to do when nothing was found. */
  readonly note?: string;
  /** The whole answer as a model reads it. It has at most `MAX_ANSWER_TOKENS`, for any tools. */
  readonly text: string;
}

/** Maximum tokens (o200k_base) of an answer's text. */
export const MAX_ANSWER_TOKENS = 1_500;
/** Tokens kept free for the last line, and for the line ends between separately counted lines. */
const RESERVED_TOKENS = 60;
const MAX_HIT_BYTES = 4_000;

/** Writes the text of an answer. The note must be short: see `notReadyNote`. */
export async function searchAnswer(
  hits: SearchHit[],
  note: string | undefined,
  level: DetailLevel = 'summary',
): Promise<SearchAnswer> {
  return sectionsAnswer(
    hits,
    hits.map((hit) => hitText(hit, level)),
    note,
  );
}

/** Writes the text of an answer that has a section for each query. */
export async function sectionsAnswer(
  hits: SearchHit[],
  lines: readonly string[],
  note: string | undefined,
): Promise<SearchAnswer> {
  const text = await fitText(lines, note);
  return { hits, text, note };
}

/** Joins as many lines as the limit allows. A token has at least one byte, so a short text needs no tokenizer. */
async function fitText(lines: readonly string[], note: string | undefined): Promise<string> {
  const tail = note === undefined ? [] : [note];
  const whole = [...lines, ...tail].join('\n');
  if (Buffer.byteLength(whole) <= MAX_ANSWER_TOKENS) return whole;
  const countTokens = await loadTokenizer();
  const cost = (text: string) => countTokens(text) + 1;
  let left = MAX_ANSWER_TOKENS - RESERVED_TOKENS - (note === undefined ? 0 : cost(note));
  const shown: string[] = [];
  for (const line of lines) {
    // Counting a long text is slow, and a signature of that size would not fit anyway.
    const tokens = Buffer.byteLength(line) > MAX_HIT_BYTES ? Number.POSITIVE_INFINITY : cost(line);
    if (tokens > left) continue;
    left -= tokens;
    shown.push(line);
  }
  const hidden = lines.length - shown.length;
  if (hidden > 0) tail.unshift(`${hidden} more found; narrow the query, or name a server`);
  return [...shown, ...tail].join('\n');
}

/** Matches of a query that an answer shows with their signatures. */
export const SIGNATURES = 3;
/** Further matches of a query that an answer names. A name costs a tenth of a signature, and the check shows the signature of a wrong call. */
export const NAMES = 12;
/** Maximum tokens of the names in an answer, for all queries together. */
export const NAMES_TOKENS = 90;
/** More names never fit, so they are not counted. */
const MAX_NAMES = 60;
/** Tokens of a query in the title of its section. */
const TITLE_TOKENS = 12;
/** A best match with a smaller share of the query's words is weak. Measured by `npm run bench:search`. */
const WEAK_COVERAGE = 0.3;
const WEAK = 'Weak matches only: no tool has most of these words.';
const MORE = 'More by name:';

export interface SectionOptions {
  readonly writer: ToolWriter;
  readonly skills: readonly SearchableSkill[];
}

/** One query with its matches, the best first. */
export interface QueryMatches {
  readonly query: string;
  readonly matches: readonly ToolMatch[];
}

/**
 * Returns the lines of an answer: for each query, the signatures of the best matches, then the names of others by server. Several queries
 * have titles, and a tool has its signature once. A weak best match is named as such.
 */
export async function answerSections(queries: readonly QueryMatches[], options: SectionOptions): Promise<string[]> {
  const shown = new Set<string>();
  const nameTokens = Math.floor(NAMES_TOKENS / Math.max(1, queries.length));
  const lines: string[] = [];
  for (const { query, matches } of queries) {
    const fresh = matches.slice(0, SIGNATURES).filter(({ tool }) => !shown.has(tool.id));
    const above = matches.slice(0, SIGNATURES).filter(({ tool }) => shown.has(tool.id));
    for (const { tool } of fresh) shown.add(tool.id);
    const hits = await fitHits(fresh, (match, brief) => searchHit(match, options.writer, { ...options, brief }));
    const rest = matches.slice(SIGNATURES, SIGNATURES + NAMES).filter(({ tool }) => !shown.has(tool.id));
    lines.push(
      ...(queries.length > 1 ? [`${JSON.stringify(shorten(query, TITLE_TOKENS))}:`] : []),
      ...(matches.length === 0 ? ['No tools found.'] : []),
      ...(isWeak(matches) ? [WEAK] : []),
      ...above.map(({ tool }) => `${tool.id}, as above`),
      ...hits.map((hit) => hitText(hit)),
      ...(await nameLines(
        rest.map(({ tool }) => tool),
        MORE,
        nameTokens,
      )),
    );
  }
  return lines;
}

function isWeak([best]: readonly ToolMatch[]): boolean {
  return best !== undefined && best.coverage < WEAK_COVERAGE;
}

/** Returns a title and the names of tools in lines by server (`crm: get_customer add_note`), as many as fit. */
export async function nameLines(
  tools: readonly Tool[],
  title: string,
  maxTokens: number = NAMES_TOKENS,
): Promise<string[]> {
  const countTokens = await loadTokenizer();
  const byServer = new Map<string, string[]>();
  const lines = () => [title, ...[...byServer].map(([server, names]) => `${server}: ${names.join(' ')}`)];
  for (const { id, server } of tools.slice(0, MAX_NAMES)) {
    const name = id.startsWith(`${server}__`) ? id.slice(server.length + 2) : id;
    const before = byServer.get(server);
    byServer.set(server, [...(before ?? []), name]);
    if (countTokens(lines().join('\n')) <= maxTokens) continue;
    if (before) byServer.set(server, before);
    else byServer.delete(server);
  }
  return byServer.size === 0 ? [] : lines();
}
