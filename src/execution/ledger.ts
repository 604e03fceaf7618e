import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CallJournal } from '../bridge/record.ts';
import { messageOf, ToolwrightError } from '../errors.ts';

/** What a ledger says of the whole execution: enough to run it again and get the same calls. */
export interface LedgerStart {
  readonly id: string;
  readonly session?: string;
  readonly language: string;
  readonly sandbox: string;
  /** The source as the author wrote it. */
  readonly source: string;
  readonly catalogHash: string;
  readonly seed: number;
  readonly epochMs: number;
}

/** One line of a ledger file. Entries stand in the order in which things happened. */
export type LedgerEntry =
  | ({ readonly entry: 'start'; readonly at: string } & LedgerStart)
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
export interface Ledger extends CallJournal {
  /** The file. A ledger without an `end` entry belongs to an execution that was interrupted. */
  readonly path: string;
  close(status: string): void;
}

/**
 * Starts the ledger of an execution: `<folder>/<id>.jsonl`, readable by its owner only. Every entry has been handed to
 * the operating system when its method returns, so it survives the death of this process (not a loss of power). Raises
 * `CONFIG_INVALID` when the folder cannot be written to.
 */
export function openLedger(folder: string, start: LedgerStart): Ledger {
  const path = join(folder, `${start.id}.jsonl`);
  const file = openLedgerFile(folder, path);
  // Arguments and results arrive as JSON text and go into the line as they are.
  const write = (head: object, rest = '') => {
    writeSync(file, `${JSON.stringify(head).slice(0, -1)},"at":"${new Date().toISOString()}"${rest}}\n`);
  };
  write({ entry: 'start', ...start });
  return {
    path,
    begin: ({ number, tool, arguments: text }) => write({ entry: 'call', number, tool }, `,"arguments":${text}`),
    end: ({ number, ok, result }) => write({ entry: 'answer', number, ok }, `,"result":${result}`),
    close(status) {
      write({ entry: 'end', status });
      closeSync(file);
    },
  };
}

function openLedgerFile(folder: string, path: string): number {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(path, 'ax', 0o600);
  } catch (cause) {
    const message = `Cannot write to the data folder (${messageOf(cause)}). Set dataDir or TOOLWRIGHT_DATA_DIR to a folder that can be written to.`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause });
  }
}
