import { mkdirSync, openSync } from 'node:fs';
import { type Chain, dataFolderError, isLong } from '@toolwright/storage/internal';
import { timeText } from '../text.ts';
import type { JournalSink } from './storages/storage.ts';

/** Bytes of entries that may wait to be written with the next effect. */
const MAX_HELD_BYTES = 256 * 1024;
/** Milliseconds that an entry of {@link JournalLines.writeSoon} may wait. The next call of a program is mostly faster, and writes it too. */
const SOON_MS = 2;

/** The lines of a journal that this process writes. */
export interface JournalLines {
  /** Bytes of all entries, also of those that wait. */
  bytes(): number;
  /** Keeps an entry until the next `write`. Returns false when too many entries wait for a disk that takes none. Nothing is kept after `close`. */
  hold(entry: string, members: object, rest?: string): boolean;
  /**
   * Writes an entry, after those that wait, and returns the bytes of its line. A line that cannot be written now is not written
   * later either. `rest` is JSON text of further members, in pieces: a long text of its own is written without a copy.
   */
  write(entry: string, members: object, ...rest: readonly string[]): number;
  /** Writes an entry with the next one, or {@link SOON_MS} later. Raises the errors of {@link write} for an entry that is too long to wait. */
  writeSoon(entry: string, members: object, ...rest: readonly string[]): void;
  /** Writes the entries that wait. Resolves when the entries before are as safe as the durability asks; undefined if they are. Raises `JOURNAL_UNSAFE`. */
  flushed(): Promise<void> | undefined;
  close(): void;
}

export interface JournalLinesOptions {
  readonly chain: Chain;
  /** Called before entries are written. An error that it throws refuses them. */
  readonly checkOwner?: (() => void) | undefined;
  /** Bytes of the journal that stay. Default: 0, for a new one. */
  readonly keptBytes?: number;
}

/** Writes lines to a sink. */
export function openLines(
  sink: JournalSink,
  { chain, checkOwner = () => undefined, keptBytes = 0 }: JournalLinesOptions,
): JournalLines {
  let bytes = keptBytes;
  let held = '';
  let isClosed = false;
  let soon: NodeJS.Timeout | undefined;
  // Arguments and results are JSON text already, so they become a part of the line unchanged.
  const line = (entry: string, members: object, rest: string) =>
    `${chain.seal(headOf(entry), `${membersText(members)}${rest}}`)}\n`;
  const flush = () => {
    if (held === '') return 0;
    checkOwner();
    const data = Buffer.from(held);
    // After an error, the held entries are written once there is space again.
    sink.append(data);
    held = '';
    bytes += data.length;
    return data.length;
  };
  const writeLong = (entry: string, members: object, rest: readonly string[]) => {
    const before = held === '' ? 0 : flush();
    const code = chain.last();
    try {
      if (before === 0) checkOwner();
      const data = chain.sealLong(headOf(entry), [membersText(members), ...rest, '}']);
      sink.append(data);
      bytes += data.length;
      return data.length;
    } catch (error) {
      chain.continueAfter(code);
      throw error;
    }
  };
  const write: JournalLines['write'] = (entry, members, ...rest) => {
    if (isLong(rest)) return writeLong(entry, members, rest);
    const before = { held, code: chain.last() };
    const text = line(entry, members, rest.join(''));
    try {
      held += text;
      flush();
    } catch (error) {
      held = before.held;
      chain.continueAfter(before.code);
      throw error;
    }
    return Buffer.byteLength(text);
  };
  return {
    bytes: () => bytes + held.length,
    hold(entry, members, rest = '') {
      if (isClosed) return true;
      if (held.length > MAX_HELD_BYTES) tryTo(flush);
      if (held.length > MAX_HELD_BYTES) return false;
      held += line(entry, members, rest);
      return true;
    },
    write,
    writeSoon(entry, members, ...rest) {
      if (isLong(rest) || held.length > MAX_HELD_BYTES) return void write(entry, members, ...rest);
      held += line(entry, members, rest.join(''));
      soon ??= setTimeout(() => {
        soon = undefined;
        if (!isClosed) tryTo(flush);
      }, SOON_MS);
    },
    flushed() {
      if (!isClosed && held !== '') flush();
      return sink.flushed();
    },
    close() {
      tryTo(flush);
      isClosed = true;
      clearTimeout(soon);
      sink.close();
    },
  };
}

function headOf(entry: string): string {
  return `{"entry":"${entry}","at":"${timeText()}"`;
}

function membersText(members: object): string {
  const text = JSON.stringify(members).slice(1, -1);
  return text === '' ? '' : `,${text}`;
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // The next entry of a tool call reports the problem.
  }
}

/** Creates the file of a journal, readable by its owner only. */
export function createJournalFile(folder: string, path: string): number {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(path, 'ax', 0o600);
  } catch (cause) {
    throw dataFolderError(folder, cause);
  }
}
