import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, readOwnFile } from '../telemetry/health/damaged-files.ts';
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

/** Milliseconds in which the process that creates a journal writes its first line. */
const CREATION_MS = 60_000;
/** The start of the first line. */
const START = '{"entry":"start"';
const EXECUTION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns whether a value can be the id of an execution, and so a part of a file name. */
export function isExecutionId(id: unknown): id is string {
  return typeof id === 'string' && EXECUTION_ID.test(id);
}

/** Reads the journal of an execution; undefined if it does not exist. A damaged journal is quarantined. */
export async function readJournal(folder: string, id: string): Promise<JournalContent | undefined> {
  if (!isExecutionId(id)) return undefined;
  const path = join(folder, `${id}.jsonl`);
  const changed = await stat(path).catch(() => undefined);
  const isNew = changed !== undefined && Date.now() - changed.mtimeMs < CREATION_MS;
  const content = await readOwnFile(path, 'journal', (text) =>
    isNew && START.startsWith(text.slice(0, START.length)) && !text.includes('\n')
      ? 'not written yet'
      : contentOf(text),
  );
  return content === 'not written yet' ? undefined : content;
}

/** Returns undefined for a damaged journal. A crash can cut off its last line. */
function contentOf(text: string): JournalContent | undefined {
  let start: JournalStart | undefined;
  let status: string | undefined;
  const calls = new Map<number, JournalCall>();
  for (const line of text.split('\n').slice(0, -1)) {
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
