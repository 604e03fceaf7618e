import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
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
  /** The process of the execution, for the operator. Its lease shows whether it lives. */
  readonly host: { readonly name: string; readonly pid: number };
  /** Id of the lease of the process. Older journals lack it; their executions count as interrupted. */
  readonly owner?: string;
  /** The time limit of the program. Older journals lack it. */
  readonly timeoutMs?: number;
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
  /** The redacted result, as the caller received it. Absent when it exceeds the limit of the journal. */
  | { readonly entry: 'result'; readonly at: string; readonly result: unknown }
  | ({ readonly entry: 'end'; readonly at: string } & JournalEnd);

/** The last entry of a journal. */
export interface JournalEnd {
  readonly status: string;
  /** The limit that stopped the execution. */
  readonly limit?: string;
  /** Bytes of the entry `result`, which is the one before; absent without it. */
  readonly resultBytes?: number;
}

/** The journal of one execution. */
export interface Journal extends CallJournal {
  /** Path of the file. A journal without an `end` entry belongs to an interrupted execution. */
  readonly path: string;
  /** Writes the `result`, if there is one and it fits, and the `end` entry, and closes the file. */
  close(status: string, more?: { readonly limit?: string | undefined; readonly result?: unknown }): void;
  /** Closes the file without an `end` entry: another process may own the execution. */
  abandon(): void;
}

/** Ids of the journals that this process has open. */
const openJournals = new Set<string>();

/** Returns whether this process writes the journal of an execution: the execution runs here. */
export function isJournalOpen(id: string): boolean {
  return openJournals.has(id);
}

/**
 * Starts the journal of an execution: `<folder>/<id>.jsonl`, readable by its owner only. Each method returns after the
 * operating system has its entry: entries survive a crash of this process, but not a power cut. Raises `CONFIG_INVALID` when
 * the folder cannot be written to. `begin`, and `end` with a result, raise `JOURNAL_FULL` beyond `maxBytes`. `checkOwner` runs
 * before each entry: an error that it throws refuses the entry.
 */
export function openJournal(
  folder: string,
  start: JournalStart,
  maxBytes: number,
  checkOwner: () => void = () => undefined,
): Journal {
  const path = join(folder, `${start.id}.jsonl`);
  const file = openJournalFile(folder, path);
  let bytes = 0;
  // Arguments and results are JSON text already, so they become a part of the line unchanged.
  const write = (head: object, rest = '') => {
    checkOwner();
    const line = `${JSON.stringify(head).slice(0, -1)},"at":"${new Date().toISOString()}"${rest}}\n`;
    const written = writeSync(file, line);
    bytes += written;
    return written;
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
    throw cause instanceof ToolwrightError ? cause : dataFolderError(folder, cause);
  }
  openJournals.add(start.id);
  return {
    path,
    abandon() {
      openJournals.delete(start.id);
      closeSync(file);
    },
    begin({ number, tool, arguments: text }) {
      refuseBeyond(text, 'The call was not sent.');
      write({ entry: 'call', number, tool }, `,"arguments":${text}`);
    },
    end({ number, ok, result }) {
      if (ok) refuseBeyond(result, 'The call took effect, but its answer is lost.');
      write({ entry: 'answer', number, ok }, `,"result":${result}`);
    },
    close(status, { limit, result } = {}) {
      openJournals.delete(start.id);
      try {
        const text = result === undefined ? undefined : JSON.stringify(result);
        const fits = text !== undefined && bytes + Buffer.byteLength(text) <= maxBytes;
        const resultBytes = fits ? write({ entry: 'result' }, `,"result":${text}`) : 0;
        write({
          entry: 'end',
          status,
          ...(limit === undefined ? {} : { limit }),
          ...(resultBytes > 0 ? { resultBytes } : {}),
        });
      } finally {
        closeSync(file);
      }
    },
  };
}

function openJournalFile(folder: string, path: string): number {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(path, 'ax', 0o600);
  } catch (cause) {
    throw dataFolderError(folder, cause);
  }
}
