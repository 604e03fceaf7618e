import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import type { CallJournal } from '../tool-calls/record.ts';
import { dataFolderError } from './data-folder.ts';

/** What a ledger says of the whole execution: enough to run it again and get the same calls. */
export interface JournalStart {
  readonly id: string;
  /** Whose execution it is; `local` in ledgers that do not say. */
  readonly user?: string;
  readonly session?: string;
  readonly language: string;
  readonly sandbox: string;
  /** The process that runs it. */
  readonly host: { readonly name: string; readonly pid: number };
  /** The source as the author wrote it. */
  readonly source: string;
  readonly catalogHash: string;
  readonly seed: number;
  readonly epochMs: number;
}

/** One line of a ledger file. Entries stand in the order in which things happened. */
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

/** The journal of one execution, and its end. */
export interface Journal extends CallJournal {
  /** The file. A ledger without an `end` entry belongs to an execution that was interrupted. */
  readonly path: string;
  close(status: string): void;
}

/**
 * Starts the ledger of an execution: `<folder>/<id>.jsonl`, readable by its owner only. Every entry has been handed to
 * the operating system when its method returns, so it survives the death of this process (not a loss of power). Raises
 * `CONFIG_INVALID` when the folder cannot be written to. Its `begin`, and `end` with a result, raise `JOURNAL_FULL` beyond
 * `maxBytes`.
 */
export function openJournal(folder: string, start: JournalStart, maxBytes: number): Journal {
  const path = join(folder, `${start.id}.jsonl`);
  const file = openJournalFile(folder, path);
  let bytes = 0;
  // Arguments and results arrive as JSON text and go into the line as they are.
  const write = (head: object, rest = '') => {
    const line = `${JSON.stringify(head).slice(0, -1)},"at":"${new Date().toISOString()}"${rest}}\n`;
    bytes += writeSync(file, line);
  };
  const refuseBeyond = (text: string, outcome: string) => {
    const length = Buffer.byteLength(text);
    if (bytes + length <= maxBytes) return;
    const message = `The ledger of this execution holds ${bytes} bytes, ${length} more are beyond its limit of ${maxBytes}: ${outcome}. Do the rest in another execution.`;
    throw new ToolwrightError('JOURNAL_FULL', message);
  };
  write({ entry: 'start', ...start });
  return {
    path,
    begin({ number, tool, arguments: text }) {
      refuseBeyond(text, 'the call was not sent');
      write({ entry: 'call', number, tool }, `,"arguments":${text}`);
    },
    end({ number, ok, result }) {
      if (ok) refuseBeyond(result, 'the call took effect, its answer is lost');
      write({ entry: 'answer', number, ok }, `,"result":${result}`);
    },
    close(status) {
      write({ entry: 'end', status });
      closeSync(file);
    },
  };
}

/** Bytes of a ledger's first line that are looked at, and of its last. */
const MAX_START_BYTES = 4 * 1024 * 1024;
const MAX_END_BYTES = 256;

/** Reads who started an execution, and whether it has ended; without the start where that cannot be read. */
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
    throw dataFolderError(cause);
  }
}
