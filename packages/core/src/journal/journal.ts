import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import type { CallJournal } from '../tool-calls/record.ts';
import { dataFolderError } from './data-folder.ts';
import { type Asked, createDeliveries, type Deliveries } from './deliveries.ts';
import { JOURNAL_FORMAT, type JournalEnd, type JournalStart } from './entries.ts';
import { type Chain, createChain } from './integrity.ts';

/** The journal of one execution. */
export interface Journal extends CallJournal, Pick<Deliveries, 'ask' | 'deliver' | 'readClock' | 'notice'> {
  /** Path of the file. A journal without an `end` entry belongs to an interrupted execution. */
  readonly path: string;
  /** Records that the execution cannot be replayed from here on. */
  refuseReplay(reason: string): void;
  /** Writes the `result`, if there is one and it fits, and the `end` entry, and closes the file. */
  close(status: string, more?: JournalClosing): void;
  /** Closes the file without an `end` entry: another process may own the execution. */
  abandon(): void;
}

interface JournalClosing {
  readonly limit?: string | undefined;
  readonly result?: unknown;
  /** The outcome of the guest as JSON text, if the guest ended by itself. */
  readonly outcome?: string | undefined;
}

/** The limits and the key of a journal. */
export interface JournalOptions {
  readonly maxBytes: number;
  /** The key of the data folder; see `journalKey`. */
  readonly key: Buffer;
  /** Called before entries are written. An error that it throws refuses them. */
  readonly checkOwner?: () => void;
}

/** Bytes of entries that may wait to be written with the next effect. */
const MAX_HELD_BYTES = 256 * 1024;

/** Ids of the journals that this process has open. */
const openJournals = new Set<string>();

/** Returns whether this process writes the journal of an execution: the execution runs here. */
export function isJournalOpen(id: string): boolean {
  return openJournals.has(id);
}

/**
 * Starts the journal of an execution: `<folder>/<id>.jsonl`, readable by its owner only. `begin` and `end` return after the
 * operating system has the entry and all before it. Entries survive a crash of this process, but not a power cut. Raises
 * `CONFIG_INVALID` when the folder cannot be written to. `begin`, and `end` with a result, raise `JOURNAL_FULL` beyond
 * `maxBytes`.
 */
export function openJournal(folder: string, start: JournalStart, options: JournalOptions): Journal {
  const { maxBytes, key, checkOwner } = options;
  const path = join(folder, `${start.id}.jsonl`);
  const file = openLines(folder, path, { chain: createChain(key, start.id), checkOwner });
  const requireRoom = (text: string, outcome: string) => {
    const length = Buffer.byteLength(text);
    if (file.bytes() + length <= maxBytes) return;
    const message = `The journal of this execution has ${file.bytes()} bytes; ${length} more exceed its limit of ${maxBytes}. ${outcome} Do the rest in another execution.`;
    throw new ToolwrightError('JOURNAL_FULL', message);
  };
  let hasGap = false;
  let gap: string | undefined;
  const refuseReplay = (reason: string) => {
    if (!hasGap) gap = reason;
    hasGap = true;
  };
  /** Written before the next effect, because the disk may have no space now. */
  const writeGap = () => {
    if (gap !== undefined && file.hold('gap', { reason: gap })) gap = undefined;
  };
  const deliveries = createDeliveries({
    key,
    write(entry, members, rest) {
      if (hasGap) return;
      if (file.bytes() + rest.length > maxBytes) refuseReplay(`the journal is full at ${maxBytes} bytes`);
      else if (!file.hold(entry, members, rest)) refuseReplay('the disk of the data folder is full');
    },
  });
  try {
    file.write('start', { format: JOURNAL_FORMAT, ...start });
  } catch (cause) {
    file.close();
    throw cause instanceof ToolwrightError ? cause : dataFolderError(folder, cause);
  }
  openJournals.add(start.id);
  return {
    path,
    abandon() {
      openJournals.delete(start.id);
      file.close();
    },
    ask: deliveries.ask,
    deliver: deliveries.deliver,
    readClock: deliveries.readClock,
    notice: deliveries.notice,
    refuseReplay,
    begin({ number, request, tool, arguments: text, limit }) {
      requireRoom(text, 'The call was not sent.');
      writeGap();
      file.write(
        'call',
        { number, ...askedOf(request === undefined ? undefined : deliveries.asked(request)), tool, limit },
        `,"arguments":${text}`,
      );
    },
    end({ number, request, ok, result }) {
      if (ok) requireRoom(result, 'The call took effect, but its answer is lost.');
      file.write('answer', { number, ok }, `,"result":${result}`);
      if (request !== undefined) deliveries.answered(request, ok, result);
    },
    close(status, { limit, result, outcome } = {}) {
      openJournals.delete(start.id);
      try {
        deliveries.end();
        writeGap();
        const text = result === undefined ? undefined : JSON.stringify(result);
        const fits = text !== undefined && file.bytes() + Buffer.byteLength(text) <= maxBytes;
        const resultBytes = fits ? file.write('result', {}, `,"result":${text}`) : 0;
        const end: JournalEnd = {
          status,
          ...(limit === undefined ? {} : { limit }),
          ...(resultBytes > 0 ? { resultBytes } : {}),
          ...(outcome === undefined || hasGap ? {} : { outcome: deliveries.outcomeCode(outcome) }),
        };
        file.write('end', end);
      } finally {
        file.close();
      }
    },
  };
}

function askedOf(asked: Asked | undefined) {
  return asked ? { request: asked.request, mac: asked.mac } : {};
}

/** Creates the file of a journal. `hold` keeps an entry until the next `write`, which writes all of them at once. */
function openLines(
  folder: string,
  path: string,
  { chain, checkOwner = () => undefined }: { readonly chain: Chain; readonly checkOwner?: (() => void) | undefined },
) {
  const file = openJournalFile(folder, path);
  let bytes = 0;
  let held = '';
  let isClosed = false;
  // Arguments and results are JSON text already, so they become a part of the line unchanged.
  const line = (entry: string, members: object, rest = '') => {
    const head = `{"entry":"${entry}","at":"${new Date().toISOString()}"`;
    const text = JSON.stringify(members).slice(1, -1);
    return `${chain.seal(head, `${text === '' ? '' : `,${text}`}${rest}}`)}\n`;
  };
  const flush = () => {
    checkOwner();
    const data = Buffer.from(held);
    try {
      for (let offset = 0; offset < data.length; ) offset += writeSync(file, data, offset);
    } catch (error) {
      // A part of a line would damage the journal. The held entries are written once there is space again.
      ftruncateSync(file, bytes);
      throw error;
    }
    held = '';
    bytes += data.length;
  };
  return {
    bytes: () => bytes + held.length,
    /** Returns false when too many entries wait for a disk that takes none. Nothing is kept after `close`. */
    hold(entry: string, members: object, rest = ''): boolean {
      if (isClosed) return true;
      if (held.length > MAX_HELD_BYTES) tryTo(flush);
      if (held.length > MAX_HELD_BYTES) return false;
      held += line(entry, members, rest);
      return true;
    },
    /** Returns the bytes of the line. A line that cannot be written now is not written later either. */
    write(entry: string, members: object, rest = '') {
      const before = { held, code: chain.last() };
      const text = line(entry, members, rest);
      try {
        held += text;
        flush();
      } catch (error) {
        held = before.held;
        chain.continueAfter(before.code);
        throw error;
      }
      return Buffer.byteLength(text);
    },
    close() {
      isClosed = true;
      closeSync(file);
    },
  };
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // The next entry of a tool call reports the problem.
  }
}

function openJournalFile(folder: string, path: string): number {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(path, 'ax', 0o600);
  } catch (cause) {
    throw dataFolderError(folder, cause);
  }
}
