import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settled } from '../execution/outcome.ts';
import { shorten } from '../execution/shorten.ts';
import type { ToolCallRecord } from '../tool-calls/record.ts';

/** What the log of a session keeps of one execution. Long texts are cut, and say how much is missing. */
export interface SessionEntry {
  /** When it ended. ISO 8601, UTC. */
  readonly at: string;
  /** Id of the execution, and the name of its ledger. */
  readonly execution: string;
  readonly language: string;
  /** The program, at most 8,000 characters. */
  readonly code: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  /** Its value, as text or as JSON text, at most 2,000 characters. */
  readonly result?: string;
  /** What went wrong; `code` is the error's, or the limit that stopped it. */
  readonly error?: { readonly code: string; readonly message: string };
  /** The first 100 tool calls; `ok` is false for what was not answered too. */
  readonly calls: readonly { readonly tool: string; readonly ok: boolean; readonly ms: number }[];
  /** How many calls there were in all. */
  readonly callCount: number;
  /** Guest paths of files that were written, renamed or removed; the first 100. */
  readonly files: readonly string[];
  /** Duration, milliseconds. */
  readonly ms: number;
}

/** What one execution tells its session's log. */
export interface Finished {
  readonly id: string;
  readonly language: string;
  readonly source: string;
  readonly settled: Settled;
  readonly calls: readonly ToolCallRecord[];
  readonly files: readonly string[];
  readonly ms: number;
}

const FILE = 'log.jsonl';
const MAX_CODE_CHARACTERS = 8_000;
const MAX_RESULT_CHARACTERS = 2_000;
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_CALLS = 100;
/** Newest entries that are read. */
const MAX_ENTRIES = 1_000;
/** Bytes at the end of the file that are read. */
const MAX_READ_BYTES = 8 * 1024 * 1024;
const NEWLINE = 10;

/** The entry of an execution that ends now. */
export function sessionEntry({ id, language, source, settled, calls, files, ms }: Finished): SessionEntry {
  return {
    at: new Date().toISOString(),
    execution: id,
    language,
    code: shorten(source, MAX_CODE_CHARACTERS),
    status: settled.status,
    ...outcomeOf(settled),
    calls: calls
      .slice(0, MAX_CALLS)
      .map(({ tool, status, durationMs }) => ({ tool, ok: status === 'answered', ms: Math.round(durationMs) })),
    callCount: calls.length,
    files,
    ms: Math.round(ms),
  };
}

/**
 * Adds an entry to `<folder>/log.jsonl` in one write, so that lines of other processes stay whole. Nothing happens when
 * the session was removed meanwhile.
 */
export async function appendEntry(folder: string, entry: SessionEntry): Promise<void> {
  const file = await open(join(folder, FILE), 'a+', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!file) return;
  try {
    // A process that was killed in the middle of its line must not spoil ours.
    const start = (await endsTorn(file)) ? '\n' : '';
    await file.write(`${start}${JSON.stringify(entry)}\n`);
  } finally {
    await file.close();
  }
}

/** Tells whether nothing has ended in a session yet. */
export async function hasNoEntries(folder: string): Promise<boolean> {
  return stat(join(folder, FILE)).then(
    () => false,
    () => true,
  );
}

/** Reads the newest entries of `<folder>/log.jsonl`, oldest first. Lines that a crash tore are left out. */
export async function readEntries(folder: string): Promise<SessionEntry[]> {
  const file = await open(join(folder, FILE), 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const length = Math.min(size, MAX_READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // What stands before the first line's end may be the rest of a line.
    return lines
      .slice(size > length ? 1 : 0)
      .flatMap(parseEntry)
      .slice(-MAX_ENTRIES);
  } finally {
    await file.close();
  }
}

function outcomeOf(settled: Settled): Pick<SessionEntry, 'result' | 'error'> {
  if (settled.status === 'stopped') return errorOf(settled.limit, settled.message);
  if (settled.status === 'failed') return errorOf(settled.error.code, settled.error.message);
  if (settled.value === undefined) return {};
  const text = typeof settled.value === 'string' ? settled.value : JSON.stringify(settled.value);
  if (!settled.file) return { result: shorten(text, MAX_RESULT_CHARACTERS) };
  const { path, bytes } = settled.file;
  return { result: `${text.slice(0, MAX_RESULT_CHARACTERS)}… (${bytes} bytes in all, in ${path})` };
}

function errorOf(code: string, message: string): Pick<SessionEntry, 'error'> {
  return { error: { code, message: shorten(message, MAX_MESSAGE_CHARACTERS) } };
}

async function endsTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== NEWLINE;
}

function parseEntry(line: string): SessionEntry[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
