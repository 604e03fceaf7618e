import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { dataFolderError } from '@toolwright/core/internal';
import { checkLines } from '../check-lines.ts';
import type { TaskRecord, TranscriptEntry } from '../transcript-entry.ts';
import type { FileLease } from './file-leases.ts';

/** Writes to a transcript. */
export interface TranscriptWriter {
  /** Writes an entry, or complete lines. The operating system has it when this returns. */
  append(entry: TranscriptEntry | Buffer): void;
  /** Returns the size of the file in bytes. */
  size(): number;
  close(): void;
}

/** The complete lines of a transcript. */
export interface TranscriptContent {
  readonly entries: readonly TranscriptEntry[];
  readonly changedMs: number;
  /** The problem, if the transcript is corrupt. */
  readonly corrupt?: string;
}

const NEWLINE = 10;
/** The start of the first line. */
const START = '{"entry":"task"';
/** Milliseconds in which the process that creates a transcript writes its first line. */
const CREATION_MS = 60_000;

/** Creates the transcript of a task with mode 600. Raises `CONFIG_INVALID` when the folder is not writable. */
export function createTranscript(path: string, record: TaskRecord): TranscriptWriter {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const writer = writerOf(openSync(path, 'ax', 0o600), 0);
    writer.append({ entry: 'task', ...record });
    return writer;
  } catch (cause) {
    throw dataFolderError(dirname(path), cause);
  }
}

/**
 * Replaces a transcript by a copy, and opens the copy to append to it. A paused process that still has the old file open
 * cannot write to the copy. Leaves out an incomplete last line, which a crash can leave.
 */
export function continueTranscript(path: string, lease: FileLease): TranscriptWriter {
  try {
    const bytes = readFileSync(path);
    const copy = `${path}.run${lease.run}`;
    rmSync(copy, { force: true });
    const writer = writerOf(openSync(copy, 'ax', 0o600), 0);
    writer.append(bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1));
    if (lease.isHeld()) renameSync(copy, path);
    else rmSync(copy);
    return writer;
  } catch (cause) {
    throw dataFolderError(dirname(path), cause);
  }
}

/** Reads a transcript; undefined when there is none. Ignores an incomplete last line: its write may be in progress. */
export async function readTranscript(path: string, id: string): Promise<TranscriptContent | undefined> {
  const read = await Promise.all([readFile(path, 'utf8'), stat(path)]).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (error.code === 'EISDIR') return 'it is a folder';
    throw dataFolderError(dirname(path), error);
  });
  if (read === undefined) return undefined;
  if (typeof read === 'string') return { entries: [], changedMs: 0, corrupt: read };
  const [text, { mtimeMs: changedMs }] = read;
  const lines = text.split('\n').slice(0, -1);
  const { entries, corrupt } = checkLines(lines, id);
  if (corrupt !== undefined) return { entries, changedMs, corrupt };
  if (entries.length > 0) return { entries, changedMs };
  const isBeingWritten = START.startsWith(text.slice(0, START.length)) && Date.now() - changedMs < CREATION_MS;
  return isBeingWritten ? undefined : { entries, changedMs, corrupt: 'it has no complete line' };
}

function writerOf(file: number, start: number): TranscriptWriter {
  let size = start;
  let isOpen = true;
  return {
    append(entry) {
      const line = Buffer.isBuffer(entry) ? entry : Buffer.from(`${JSON.stringify(entry)}\n`);
      for (let at = 0; at < line.length; ) at += writeSync(file, line, at);
      size += line.length;
    },
    size: () => size,
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
