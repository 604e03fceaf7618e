import { loadTokenizer } from '../../telemetry/tokens.ts';
import type { DetailLevel } from './detail-level.ts';
import { hitText, type SearchHit } from './hit.ts';

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
  const lines = hits.map((hit) => hitText(hit, level));
  const text = await fitText(lines, note);
  return { hits, text, note };
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
