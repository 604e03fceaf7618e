import type { ToolMatch } from './search.ts';
import { toolSummary } from './signature.ts';
import { shorten } from './text.ts';
import { hitText } from './token-budget.ts';
import type { Tool } from './tool.ts';
import type { ToolWriter } from './writer.ts';

/** One tool, or skill, that was found, ready to be called. */
export interface SearchHit {
  readonly id: string;
  readonly server: string;
  /** One line that calls it: `callMCPTool("server__tool", {…})`, or `await servers.server.tool(…)` in Python. */
  readonly signature: string;
  /** First sentence of the tool's description; may be empty. */
  readonly description: string;
  /** Higher is better; compares within the hits of one query only. */
  readonly score: number;
  /** Set for a skill of who asks: `id` is its name, and `signature` runs, imports or loads it. */
  readonly kind?: 'skill';
}

/** A skill as it is searched beside the tools: `tool` is what is compared with the query, `signature` what is shown. */
export interface SearchableSkill {
  readonly tool: Tool;
  readonly signature: string;
}

/** What a search found. */
export interface SearchAnswer {
  readonly hits: SearchHit[];
  /** What the reader should know beside the hits: servers that are missing, what to try when nothing was found. */
  readonly note?: string;
  /** All of it as a model reads it; at most `MAX_ANSWER_TOKENS`, whatever the tools are. */
  readonly text: string;
}

/** Tokens (o200k_base) of an answer's text, at most. */
export const MAX_ANSWER_TOKENS = 1_500;
/** What is kept free for the last line and for the joints between separately counted lines. */
const RESERVED_TOKENS = 60;
const MAX_HIT_BYTES = 4_000;
const MAX_NAMED_SERVERS = 5;

/** Merges the matches of several queries, best of each first; every tool once. */
export function mergeMatches(matches: readonly (readonly ToolMatch[])[], max: number): ToolMatch[] {
  const merged = new Map<string, ToolMatch>();
  const longest = Math.max(0, ...matches.map((list) => list.length));
  for (let rank = 0; rank < longest; rank++) {
    for (const list of matches) {
      const match = list[rank];
      if (match && !merged.has(match.tool.id)) merged.set(match.tool.id, match);
    }
  }
  return [...merged.values()].slice(0, max);
}

/** Rough tokens of a hit that is told briefly. */
const BRIEF = { arguments: 24, result: 12, description: 12 };

/** Turns a match into what is shown of it; `brief` leaves out more of the arguments, the result and the description. */
export function searchHit(
  { tool, score }: ToolMatch,
  writer: ToolWriter,
  searchableSkills: readonly SearchableSkill[] = [],
  brief = false,
): SearchHit {
  const { id, server } = tool;
  const found = searchableSkills.find((candidate) => candidate.tool === tool);
  if (found) return { id, server, signature: found.signature, description: toolSummary(tool), score, kind: 'skill' };
  const description = brief ? shorten(toolSummary(tool), BRIEF.description) : toolSummary(tool);
  return { id, server, signature: writer.signature(tool, brief ? BRIEF : undefined), description, score };
}

/** Writes the text of an answer. The note must be short: see `notReadyNote`. */
export async function searchAnswer(hits: SearchHit[], note: string | undefined): Promise<SearchAnswer> {
  const text = await fitted(hits.map(hitText), note);
  return { hits, text, ...(note === undefined ? {} : { note }) };
}

/** Names the servers whose tools could not be searched; undefined when there are none. */
export function notReadyNote(
  missing: readonly { readonly name: string; readonly problem?: string }[],
  total: number,
): string | undefined {
  if (missing.length === 0) return undefined;
  const named = missing
    .slice(0, MAX_NAMED_SERVERS)
    .map(
      ({ name, problem }) =>
        `${shorten(name, 20)} (${problem === undefined ? 'starting' : `failed: ${shorten(problem, 30)}`})`,
    );
  if (missing.length > MAX_NAMED_SERVERS) named.push(`and ${missing.length - MAX_NAMED_SERVERS} more`);
  return `${missing.length} of ${total} servers ${missing.length === 1 ? 'is' : 'are'} not ready: ${named.join(', ')}`;
}

/** As many lines as the limit allows. A token is never less than one byte, so a short text needs no tokenizer. */
async function fitted(lines: readonly string[], note: string | undefined): Promise<string> {
  const tail = note === undefined ? [] : [note];
  const whole = [...lines, ...tail].join('\n');
  if (Buffer.byteLength(whole) <= MAX_ANSWER_TOKENS) return whole;
  const { countTokens } = await import('./tokenizer.ts');
  const cost = (text: string) => countTokens(text) + 1;
  let left = MAX_ANSWER_TOKENS - RESERVED_TOKENS - (note === undefined ? 0 : cost(note));
  const shown: string[] = [];
  for (const line of lines) {
    // Counting a long text can be slow; a signature of that size has no place here anyway.
    const tokens = Buffer.byteLength(line) > MAX_HIT_BYTES ? Number.POSITIVE_INFINITY : cost(line);
    if (tokens > left) continue;
    left -= tokens;
    shown.push(line);
  }
  const hidden = lines.length - shown.length;
  if (hidden > 0) tail.unshift(`${hidden} more found; narrow the query, or name a server`);
  return [...shown, ...tail].join('\n');
}
