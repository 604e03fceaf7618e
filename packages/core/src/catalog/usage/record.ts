import type { ToolIdentity } from '@toolwright/connectors';
import { parseJson } from '@toolwright/connectors/internal';

/** The uses of one tool by one user. All numbers decrease with time. */
export interface ToolUse {
  readonly server: string;
  /** Programs that called it with success. */
  readonly uses: number;
  /** Searches before such calls, by term. The last ones are the newest. */
  readonly words: ReadonlyMap<string, number>;
}

/** The uses of tools by one user, by tool id. */
export type UsageRecord = ReadonlyMap<string, ToolUse>;

/** The effect of one call on a record. */
export interface Lesson {
  readonly tool: ToolIdentity;
  /** 0 for a further call of the same program. */
  readonly uses: 0 | 1;
  readonly words: ReadonlyMap<string, number>;
}

export const MAX_TOOLS = 200;
export const MAX_WORDS = 40;
/** Days after which a use counts half. */
export const HALF_LIFE_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** A smaller number is forgotten. */
const LEAST = 0.05;
const MAX_USES = 1_000;
/** The longest record that is read, in characters. `MAX_TOOLS` tools with `MAX_WORDS` words of usual length are shorter. */
const MAX_RECORD_CHARS = 400_000;
const MAX_NAME_CHARS = 600;
const TERM = /^[\p{L}\p{M}]{1,40}$/u;

/** Returns the record after one more call. Drops the least used tools and words that exceed the limits. */
export function learn(record: UsageRecord, { tool, uses, words }: Lesson): UsageRecord {
  const before = record.get(tool.id);
  const known = new Map(before?.words);
  for (const [term, count] of words) {
    const sum = Math.min(MAX_USES, (known.get(term) ?? 0) + count);
    // The order of the map is the order of the last uses.
    known.delete(term);
    known.set(term, sum);
  }
  const use: ToolUse = {
    server: tool.server,
    uses: Math.min(MAX_USES, (before?.uses ?? 0) + uses),
    words: mostUsed(known, MAX_WORDS, (count) => count),
  };
  const tools = new Map(record);
  tools.delete(tool.id);
  return new Map([...mostUsed(tools, MAX_TOOLS - 1, (each) => each.uses), [tool.id, use]]);
}

/** Returns the entries with the highest numbers, in their order. Of equal ones, the last remain. */
function mostUsed<Value>(
  entries: ReadonlyMap<string, Value>,
  max: number,
  numberOf: (value: Value) => number,
): ReadonlyMap<string, Value> {
  if (entries.size <= max) return entries;
  const least = [...entries].sort(([, a], [, b]) => numberOf(a) - numberOf(b)).slice(0, entries.size - max);
  const dropped = new Set(least.map(([key]) => key));
  return new Map([...entries].filter(([key]) => !dropped.has(key)));
}

/** Returns the text of a record that is valid at a time, in milliseconds since 1970. */
export function recordText(record: UsageRecord, nowMs: number): string {
  const tools = [...record].map(([id, { server, uses, words }]) => [
    id,
    server,
    rounded(uses),
    Object.fromEntries([...words].map(([term, count]) => [term, rounded(count)])),
  ]);
  return JSON.stringify({ version: 1, at: nowMs, tools });
}

/** Reads a record, and lets it age until now. Returns undefined for any text that `recordText` did not write. */
export function readRecord(text: string, nowMs: number): UsageRecord | undefined {
  if (text.length > MAX_RECORD_CHARS) return undefined;
  const { version, at, tools } = Object(parseJson(text)) as Record<string, unknown>;
  if (version !== 1 || typeof at !== 'number' || !Number.isFinite(at)) return undefined;
  if (!Array.isArray(tools) || tools.length > MAX_TOOLS) return undefined;
  const age = 0.5 ** (Math.max(0, nowMs - at) / (HALF_LIFE_DAYS * DAY_MS));
  const record = new Map<string, ToolUse>();
  for (const entry of tools) {
    const [id, server, uses, words] = Array.isArray(entry) ? (entry as unknown[]) : [];
    const counts = readWords(words, age);
    if (!isName(id) || !isName(server) || !isCount(uses) || !counts) return undefined;
    if (uses * age >= LEAST) record.set(id, { server, uses: uses * age, words: counts });
  }
  return record;
}

function readWords(words: unknown, age: number): ReadonlyMap<string, number> | undefined {
  if (typeof words !== 'object' || words === null || Array.isArray(words)) return undefined;
  const entries = Object.entries(words);
  if (entries.length > MAX_WORDS || !entries.every(([term, count]) => TERM.test(term) && isCount(count))) {
    return undefined;
  }
  return new Map(entries.map(([term, count]) => [term, count * age] as const).filter(([, count]) => count >= LEAST));
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARS;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_USES;
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
