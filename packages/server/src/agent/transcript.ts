import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { dataFolderError } from '@toolwright/core/internal';
import { parseEntry, type TaskRecord, type TranscriptEntry } from './transcript-entry.ts';

/** A transcript that is written to. */
export interface TranscriptWriter {
  /** The entry has been handed to the operating system when this returns. */
  append(entry: TranscriptEntry): void;
  /** Bytes of the file. */
  size(): number;
  close(): void;
}

/** A transcript that was read: its whole lines. `corrupt` says what is wrong with it, if something is. */
export interface TranscriptContent {
  readonly entries: readonly TranscriptEntry[];
  readonly changedMs: number;
  readonly corrupt?: string;
}

const NEWLINE = 10;

/** Makes the transcript of a task, readable by its owner only. Raises `CONFIG_INVALID` when the folder cannot be written to. */
export function createTranscript(path: string, record: TaskRecord): TranscriptWriter {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const writer = writerOf(openSync(path, 'ax', 0o600), 0);
    writer.append({ entry: 'task', ...record });
    return writer;
  } catch (cause) {
    throw dataFolderError(cause);
  }
}

/** Opens a transcript to go on with it. A line that a crash tore at its end is cut off. */
export function continueTranscript(path: string): TranscriptWriter {
  try {
    const bytes = readFileSync(path);
    const size = bytes.lastIndexOf(NEWLINE) + 1;
    const file = openSync(path, 'a', 0o600);
    if (size < bytes.length) ftruncateSync(file, size);
    return writerOf(file, size);
  } catch (cause) {
    throw dataFolderError(cause);
  }
}

/** Reads a transcript; undefined when there is none. A last line without its end is left out: it may be written now. */
export async function readTranscript(path: string, id: string): Promise<TranscriptContent | undefined> {
  const read = await Promise.all([readFile(path, 'utf8'), stat(path)]).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw dataFolderError(error);
  });
  if (read === undefined) return undefined;
  const [text, { mtimeMs: changedMs }] = read;
  const lines = text.split('\n').slice(0, -1);
  const entries: TranscriptEntry[] = [];
  let events = 0;
  for (const [index, line] of lines.entries()) {
    const entry = parseEntry(line);
    if (entry === undefined) return { entries, changedMs, corrupt: `line ${index + 1} is no entry` };
    if ((index === 0) !== (entry.entry === 'task')) {
      return { entries, changedMs, corrupt: `line ${index + 1} is not the task` };
    }
    if (entry.entry === 'task' && entry.id !== id) return { entries, changedMs, corrupt: 'it is that of another task' };
    if (entry.entry === 'event' && entry.event.number !== ++events) {
      return { entries, changedMs, corrupt: `line ${index + 1} is not event ${events}` };
    }
    entries.push(entry);
  }
  return entries.length > 0 ? { entries, changedMs } : undefined;
}

/** Moves a transcript out of the way, for somebody to look at; resolves to where it is. */
export async function quarantine(path: string): Promise<string> {
  const place = `${path}.corrupt`;
  await rename(path, place);
  return place;
}

function writerOf(file: number, start: number): TranscriptWriter {
  let size = start;
  let isOpen = true;
  return {
    append(entry) {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
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
