import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEntry, JournalStart } from './journal.ts';

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

const EXECUTION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns whether a value can be the id of an execution, and so a part of a file name. */
export function isExecutionId(id: unknown): id is string {
  return typeof id === 'string' && EXECUTION_ID.test(id);
}

/** Reads the journal of an execution; undefined if it does not exist. */
export async function readJournal(folder: string, id: string): Promise<JournalContent | undefined> {
  if (!isExecutionId(id)) return undefined;
  const text = await readFile(join(folder, `${id}.jsonl`), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  let start: JournalStart | undefined;
  let status: string | undefined;
  const calls = new Map<number, JournalCall>();
  for (const line of text.split('\n').filter(Boolean)) {
    const entry = parse(line);
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

/** A crash can cut off the last line. */
function parse(line: string): JournalEntry | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
