import { mkdirSync, openSync } from 'node:fs';
import { type Chain, dataFolderError, isLong } from '@toolwright/storage/internal';
import { timeText } from '../text.ts';
import type { JournalLease, JournalSink, Settlement } from './storages/storage.ts';

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
  /** Writes an entry as {@link write} does, with the settlement of its line. */
  settle(entry: string, members: object, settlement: Settlement): void;
  /**
   * Writes an entry as {@link write} does, together with the entries of the same turn of the event loop. Rejects if it was not written.
   */
  writeShared(entry: string, members: object, ...rest: readonly string[]): Promise<void>;
  /** Writes an entry with the next one, or {@link SOON_MS} later. Raises the errors of {@link write} for an entry that is too long to wait. */
  writeSoon(entry: string, members: object, ...rest: readonly string[]): void;
  /** Writes the entries that wait. Resolves when the entries before are as safe as the durability asks, and the lease is young; undefined if they are. Raises `JOURNAL_UNSAFE` and `OWNERSHIP_LOST`. */
  flushed(): Promise<void> | undefined;
  close(): void;
}

export interface JournalLinesOptions {
  readonly chain: Chain;
  /** It is checked before entries are written, and confirmed after they are safe. Default: none. */
  readonly lease?: JournalLease | undefined;
  /** Bytes of the journal that stay. Default: 0, for a new one. */
  readonly keptBytes?: number;
}

/** A line without its code, which depends on all lines before. */
interface Line {
  readonly head: string;
  readonly rest: string;
  /** Present if its writer waits: it is written now, or never. */
  readonly waiter: Waiter | undefined;
}

interface Waiter {
  readonly resolve?: () => void;
  readonly reject?: (error: unknown) => void;
}

/** A writer that gets the error itself. */
const CALLER: Waiter = {};
/** Characters of a line in addition to its head and its rest. */
const CODE_CHARACTERS = 31;

/** Keeps lines for a sink, and writes them together. After an error, the chain continues as if there were none. */
function heldLines(sink: JournalSink, { chain, lease, keptBytes = 0 }: JournalLinesOptions) {
  let bytes = keptBytes;
  let held: Line[] = [];
  let characters = 0;
  const add = (line: Line) => {
    held.push(line);
    characters += line.head.length + line.rest.length + CODE_CHARACTERS;
  };
  /** Writes the lines that wait, if there are any, with the settlement of the last one. Returns the bytes of the last one. */
  const flush = (settlement?: Settlement): number => {
    if (held.length === 0) return 0;
    const lines = held;
    [held, characters] = [[], 0];
    const code = chain.last();
    let text = '';
    let last = '';
    try {
      lease?.check();
      for (const { head, rest } of lines) {
        last = `${chain.seal(head, rest)}\n`;
        text += last;
      }
      const data = Buffer.from(text);
      sink.append(data, settlement);
      bytes += data.length;
    } catch (error) {
      chain.continueAfter(code);
      for (const line of lines) {
        if (line.waiter) line.waiter.reject?.(error);
        // The lines for which nobody waits are written once there is space again.
        else add(line);
      }
      throw error;
    }
    for (const { waiter } of lines) waiter?.resolve?.();
    return Buffer.byteLength(last);
  };
  return {
    bytes: () => bytes + characters,
    isFull: () => characters > MAX_HELD_BYTES,
    // Arguments and results are JSON text already, so they become a part of the line unchanged.
    keep: (entry: string, members: object, rest: string, waiter?: Waiter) =>
      add({ head: headOf(entry), rest: `${membersText(members)}${rest}}`, waiter }),
    flush,
    writeLong(entry: string, members: object, rest: readonly string[]): number {
      flush();
      const code = chain.last();
      try {
        lease?.check();
        const data = chain.sealLong(headOf(entry), [membersText(members), ...rest, '}']);
        sink.append(data);
        bytes += data.length;
        return data.length;
      } catch (error) {
        chain.continueAfter(code);
        throw error;
      }
    },
  };
}

/** Writes lines to a sink. */
export function openLines(sink: JournalSink, options: JournalLinesOptions): JournalLines {
  const { bytes, isFull, keep, flush, writeLong } = heldLines(sink, options);
  const { lease } = options;
  let isClosed = false;
  let isShared = false;
  let soon: NodeJS.Timeout | undefined;
  const write: JournalLines['write'] = (entry, members, ...rest) => {
    if (isLong(rest)) return writeLong(entry, members, rest);
    keep(entry, members, rest.join(''), CALLER);
    return flush();
  };
  return {
    bytes,
    hold(entry, members, rest = '') {
      if (isClosed) return true;
      if (isFull()) {
        tryTo(flush);
        if (isFull()) return false;
      }
      keep(entry, members, rest);
      return true;
    },
    write,
    settle(entry, members, settlement) {
      keep(entry, members, '', CALLER);
      flush(settlement);
    },
    async writeShared(entry, members, ...rest) {
      if (isLong(rest)) return void write(entry, members, ...rest);
      const written = new Promise<void>((resolve, reject) => keep(entry, members, rest.join(''), { resolve, reject }));
      if (!isShared) {
        isShared = true;
        process.nextTick(() => {
          isShared = false;
          tryTo(flush);
        });
      }
      return written;
    },
    writeSoon(entry, members, ...rest) {
      if (isLong(rest) || isFull()) return void write(entry, members, ...rest);
      keep(entry, members, rest.join(''));
      soon ??= setTimeout(() => {
        soon = undefined;
        if (!isClosed) tryTo(flush);
      }, SOON_MS);
    },
    flushed() {
      // No effect follows a closed journal.
      if (isClosed) return sink.flushed();
      flush();
      const flushed = sink.flushed();
      // This process may have been paused meanwhile. A young lease, as of nearly each call, costs no step.
      if (flushed) return lease ? flushed.then(lease.confirm) : flushed;
      return lease?.isOld() ? lease.confirm() : undefined;
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
