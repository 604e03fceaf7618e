import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EndedOutcome } from '../history/result.ts';
import type { ToolCallRecord } from '../journal/call-record.ts';
import { parseJson, quarantine } from '../telemetry/health/damaged-files.ts';

/** One execution in the log of a session. Long texts are shortened, and state the missing length. */
export interface SessionEntry {
  /** Time of its end. ISO 8601, UTC. */
  readonly at: string;
  /** Id of the execution, and the name of its journal. */
  readonly execution: string;
  readonly language: string;
  /** The program, at most 8,000 characters. Empty for an interrupted execution, whose journal has it. */
  readonly code: string;
  /** `interrupted`: the process ended before the program. */
  readonly status: 'completed' | 'failed' | 'stopped' | 'interrupted';
  /** The value, as text or as JSON text, at most 2,000 characters. */
  readonly result?: string;
  /** Why it did not complete; `code` is the code of the error, or the limit that stopped it. */
  readonly error?: { readonly code: string; readonly message: string };
  /** The first 100 tool calls. */
  readonly calls: readonly LoggedCall[];
  /** Number of all tool calls. */
  readonly callCount: number;
  /** Guest paths of written, renamed and removed files; the first 100. */
  readonly files: readonly string[];
  /** Duration, milliseconds. */
  readonly ms: number;
}

/** A tool call in the log of a session. */
export interface LoggedCall {
  readonly tool: string;
  /** False for a call that failed or was not answered. */
  readonly ok: boolean;
  /** Set for a call that was sent before a crash and not answered: it may have taken effect. */
  readonly isUnknown?: boolean;
  /** Duration, milliseconds. */
  readonly ms: number;
}

/** An ended execution, redacted, for the log of its session. */
export interface EndedExecution {
  readonly executionId: string;
  readonly language: string;
  readonly source: string;
  readonly outcome: EndedOutcome;
  readonly calls: readonly ToolCallRecord[];
  readonly files: readonly string[];
  readonly ms: number;
}

const FILE = 'log.jsonl';
const MAX_CODE_CHARACTERS = 8_000;
const MAX_RESULT_CHARACTERS = 2_000;
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_CALLS = 100;
/** Newest entries to read. */
const MAX_ENTRIES = 1_000;
/** Bytes to read at the end of the file. */
const MAX_READ_BYTES = 8 * 1024 * 1024;
const NEWLINE = 10;

/** Returns the log entry of an execution that ends now. */
export function sessionEntry(ended: EndedExecution): SessionEntry {
  const { executionId, language, source, outcome, calls, files, ms } = ended;
  return {
    at: new Date().toISOString(),
    execution: executionId,
    language,
    code: shorten(source, MAX_CODE_CHARACTERS),
    status: outcome.status,
    ...outcomeFields(outcome),
    calls: calls
      .slice(0, MAX_CALLS)
      .map(({ tool, status, durationMs }) => ({ tool, ok: status === 'answered', ms: Math.round(durationMs) })),
    callCount: calls.length,
    files,
    ms: Math.round(ms),
  };
}

/**
 * Adds an entry to `<folder>/log.jsonl` in one write, so that lines of other processes stay complete. Does nothing if the
 * session was removed meanwhile.
 */
export async function appendEntry(folder: string, entry: SessionEntry): Promise<void> {
  const file = await open(join(folder, FILE), 'a+', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!file) return;
  try {
    // A process that was killed may have left half a line.
    const start = (await hasOpenLine(file)) ? '\n' : '';
    await file.write(`${start}${JSON.stringify(entry)}\n`);
  } finally {
    await file.close();
  }
}

/** Returns whether no execution has ended in a session yet. */
export async function hasNoEntries(folder: string): Promise<boolean> {
  return stat(join(folder, FILE)).then(
    () => false,
    () => true,
  );
}

/**
 * Reads the newest entries of `<folder>/log.jsonl`, oldest first. Skips lines that a crash cut off. A log with other damaged
 * lines is quarantined, and continues with its valid entries.
 */
export async function readEntries(folder: string): Promise<SessionEntry[]> {
  const file = await open(join(folder, FILE), 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const length = Math.min(size, MAX_READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // Reading from the middle of the file may start within a line.
    const read = lines.slice(size > length ? 1 : 0);
    const entries = read.flatMap(parseEntry);
    if (read.some(isDamaged)) await replaceLog(join(folder, FILE), entries);
    return entries.slice(-MAX_ENTRIES);
  } finally {
    await file.close();
  }
}

function outcomeFields(outcome: EndedOutcome): Pick<SessionEntry, 'result' | 'error'> {
  if (outcome.status === 'stopped') return errorOf(outcome.limit, outcome.message);
  if (outcome.status === 'failed') return errorOf(outcome.error.code, outcome.error.message);
  if (outcome.value === undefined) return {};
  const text = typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value);
  if (!outcome.file) return { result: shorten(text, MAX_RESULT_CHARACTERS) };
  const { path, bytes } = outcome.file;
  return { result: `${text.slice(0, MAX_RESULT_CHARACTERS)}… (${bytes} bytes in all, in ${path})` };
}

function errorOf(code: string, message: string): Pick<SessionEntry, 'error'> {
  return { error: { code, message: shorten(message, MAX_MESSAGE_CHARACTERS) } };
}

async function hasOpenLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== NEWLINE;
}

function parseEntry(line: string): SessionEntry[] {
  const entry = parseJson(line);
  return typeof entry === 'object' && entry !== null ? [entry as SessionEntry] : [];
}

/** Returns whether a line is neither an entry nor the start of one, which a crash can leave. */
function isDamaged(line: string): boolean {
  return line !== '' && parseEntry(line).length === 0 && (!line.startsWith('{') || line.endsWith('}'));
}

async function replaceLog(path: string, entries: readonly SessionEntry[]): Promise<void> {
  const staged = `${path}.${randomUUID()}`;
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  try {
    await writeFile(staged, text, { mode: 0o600, flag: 'wx' });
    quarantine(path, 'session log', 'a line is not valid; the log continues with the valid entries');
    await rename(staged, path);
  } catch {
    // On a full disk the next read tries again.
    await rm(staged, { force: true });
  }
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (+${text.length - length} characters)` : text;
}
