import { parseJson } from '@toolwright/connectors/internal';
import type { JournalEntry, JournalStart } from './entries.ts';

/** The content of a journal. */
export interface JournalContent {
  readonly start: JournalStart;
  /** How the execution ended; undefined if it was interrupted or still runs. */
  readonly status: string | undefined;
  /** Its tool calls in order, each with its answer, if it has one. */
  readonly calls: readonly JournalCall[];
}

export interface JournalCall {
  readonly tool: string;
  readonly arguments: unknown;
  readonly answer?: { readonly ok: boolean; readonly result: unknown };
}

/** Returns the content of the lines of a journal; undefined for a damaged one, and without lines. */
export function contentOf(lines: readonly string[]): JournalContent | undefined {
  let start: JournalStart | undefined;
  let status: string | undefined;
  const calls = new Map<number, JournalCall>();
  for (const line of lines) {
    const entry = parseJson(line) as JournalEntry | undefined;
    if (entry === undefined) return undefined;
    if (entry?.entry === 'start') start = entry;
    else if (entry?.entry === 'end') status = entry.status;
    else if (entry?.entry === 'call') calls.set(entry.number, { tool: entry.tool, arguments: entry.arguments });
    else if (entry?.entry === 'answer') {
      const call = calls.get(entry.number);
      if (call) calls.set(entry.number, { ...call, answer: { ok: entry.ok, result: entry.result } });
    }
  }
  return start && { start, status, calls: [...calls.values()] };
}
