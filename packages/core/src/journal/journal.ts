import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import type { CallJournal } from '../tool-calls/record.ts';
import { dataFolderError } from './data-folder.ts';

/** The first entry of a journal: enough to run the execution again with the same calls. */
export interface JournalStart {
  readonly id: string;
  /** Id of the user. Older journals lack it; their user is `local`. */
  readonly user?: string;
  /** Id of the session. */
  readonly session?: string;
  readonly language: string;
  readonly sandbox: string;
  /** The process of the execution. */
  readonly host: { readonly name: string; readonly pid: number };
  /** The source as the author wrote it. */
  readonly source: string;
  readonly catalogHash: string;
  readonly seed: number;
  readonly epochMs: number;
}

/** One line of a journal, in the order of events. */
export type JournalEntry =
  | ({ readonly entry: 'start'; readonly at: string } & JournalStart)
  | {
      readonly entry: 'call';
      readonly at: string;
      readonly number: number;
      readonly tool: string;
      readonly arguments: unknown;
    }
  | {
      readonly entry: 'answer';
      readonly at: string;
      readonly number: number;
      readonly ok: boolean;
      readonly result: unknown;
    }
  | { readonly entry: 'end'; readonly at: string; readonly status: string };

/** The journal of one execution. */
export interface Journal extends CallJournal {
  /** Path of the file. A journal without an `end` entry belongs to an interrupted execution. */
  readonly path: string;
  /** Writes the `end` entry and closes the file. */
  close(status: string): void;
}

/**
 * Starts the journal of an execution: `<folder>/<id>.jsonl`, readable by its owner only. Each method returns after the
 * operating system has its entry: entries survive a crash of this process, but not a power cut. Raises `CONFIG_INVALID` when
 * the folder cannot be written to. `begin`, and `end` with a result, raise `JOURNAL_FULL` beyond `maxBytes`.
 */
export function openJournal(folder: string, start: JournalStart, maxBytes: number): Journal {
  const path = join(folder, `${start.id}.jsonl`);
  const file = openJournalFile(folder, path);
  let bytes = 0;
  // Arguments and results are JSON text already, so they become a part of the line unchanged.
  const write = (head: object, rest = '') => {
    const line = `${JSON.stringify(head).slice(0, -1)},"at":"${new Date().toISOString()}"${rest}}\n`;
    bytes += writeSync(file, line);
  };
  const refuseBeyond = (text: string, outcome: string) => {
    const length = Buffer.byteLength(text);
    if (bytes + length <= maxBytes) return;
    const message = `The journal of this execution has ${bytes} bytes; ${length} more exceed its limit of ${maxBytes}. ${outcome} Do the rest in another execution.`;
    throw new ToolwrightError('JOURNAL_FULL', message);
  };
  try {
    write({ entry: 'start', ...start });
  } catch (cause) {
    closeSync(file);
    throw dataFolderError(folder, cause);
  }
  return {
    path,
    begin({ number, tool, arguments: text }) {
      refuseBeyond(text, 'The call was not sent.');
      write({ entry: 'call', number, tool }, `,"arguments":${text}`);
    },
    end({ number, ok, result }) {
      if (ok) refuseBeyond(result, 'The call took effect, but its answer is lost.');
      write({ entry: 'answer', number, ok }, `,"result":${result}`);
    },
    close(status) {
      write({ entry: 'end', status });
      closeSync(file);
    },
  };
}

/** Bytes read of a journal's first line, and of its last. */
const MAX_START_BYTES = 4 * 1024 * 1024;
const MAX_END_BYTES = 256;

/** Reads the first entry of a journal and whether it has an end; without the first entry if it cannot be read. */
export async function readJournalEnds(
  path: string,
): Promise<{ readonly start?: Pick<JournalStart, 'session' | 'host'>; readonly hasEnded: boolean }> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return { hasEnded: false };
  try {
    const { size } = await file.stat();
    const tail = await readPart(file, Math.max(0, size - MAX_END_BYTES), MAX_END_BYTES);
    const hasEnded = tail.trimEnd().split('\n').at(-1)?.startsWith('{"entry":"end"') ?? false;
    if (hasEnded) return { hasEnded };
    const [line = ''] = (await readPart(file, 0, Math.min(size, MAX_START_BYTES))).split('\n', 1);
    return { start: JSON.parse(line), hasEnded };
  } catch {
    return { hasEnded: false };
  } finally {
    await file.close();
  }
}

async function readPart(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('utf8', 0, bytesRead);
}

function openJournalFile(folder: string, path: string): number {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(path, 'ax', 0o600);
  } catch (cause) {
    throw dataFolderError(folder, cause);
  }
}
