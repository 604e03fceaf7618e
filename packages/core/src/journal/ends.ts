import { type FileHandle, open } from 'node:fs/promises';
import type { JournalEnd, JournalStart, SuspendEntry } from './entries.ts';

/** The first and the last entry of a journal. */
export interface JournalEnds {
  /** With `head`, the source and all after it is missing. Absent if the entry cannot be read. */
  readonly start?: JournalStart & { readonly at: string };
  /** Present for an execution that waits without a sandbox. */
  readonly suspension?: SuspendEntry;
  /** Absent for an execution that runs, is suspended or was interrupted. */
  readonly end?: JournalEnd & { readonly at: string };
  /** Milliseconds since the epoch. */
  readonly changedMs: number;
}

/** Bytes read of a journal's first entry: of all of it, and of the part before the source. */
const MAX_START_BYTES = { whole: 4 * 1024 * 1024, head: 8 * 1024 };
/** Bytes read of its last entry. */
const MAX_END_BYTES = 512;
/** The text before the source. Within a JSON text, its quotes would have backslashes. */
const BEFORE_SOURCE = ',"source":';

/** Reads the ends of a journal, however long it is. Returns undefined without the file. */
export async function readJournalEnds(path: string, part: 'whole' | 'head'): Promise<JournalEnds | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size, mtimeMs } = await file.stat();
    const tail = await readPart(file, Math.max(0, size - MAX_END_BYTES), MAX_END_BYTES);
    const last = tail.trimEnd().split('\n').at(-1) ?? '';
    const end = last.startsWith('{"entry":"end"') ? parse<JournalEnds['end']>(last) : undefined;
    const suspension = last.startsWith('{"entry":"suspend"') ? parse<SuspendEntry>(last) : undefined;
    const [line = ''] = (await readPart(file, 0, Math.min(size, MAX_START_BYTES[part]))).split('\n', 1);
    const at = part === 'head' ? line.indexOf(BEFORE_SOURCE) : -1;
    const start = parse<JournalEnds['start']>(at === -1 ? line : `${line.slice(0, at)}}`);
    return {
      ...(start ? { start } : {}),
      ...(suspension ? { suspension } : {}),
      ...(end ? { end } : {}),
      changedMs: mtimeMs,
    };
  } finally {
    await file.close();
  }
}

/** Reads the result of an ended execution; undefined if its journal does not have it. */
export async function readJournalResult(path: string, { resultBytes = 0 }: JournalEnd): Promise<unknown> {
  if (resultBytes === 0) return undefined;
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const tail = await readPart(file, Math.max(0, size - MAX_END_BYTES - resultBytes), MAX_END_BYTES + resultBytes);
    const line = tail.trimEnd().split('\n').at(-2) ?? '';
    return parse<{ readonly result: unknown }>(line)?.result;
  } finally {
    await file.close();
  }
}

async function readPart(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('utf8', 0, bytesRead);
}

/** A crash can cut off the last line. */
function parse<T>(line: string): T | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
