import { copyFileSync, openSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { exactText } from '@toolwright/sandbox/internal';
import type { Durability } from '@toolwright/storage';
import { createChain, dataFolderError, flushFile, flushFolder } from '@toolwright/storage/internal';
import { ToolwrightError } from '../errors.ts';
import type { BegunCall, CallJournal } from './call-record.ts';
import { type Asked, createDeliveries, type Deliveries } from './deliveries.ts';
import {
  type DecisionEntry,
  JOURNAL_FORMAT,
  type JournalEnd,
  type JournalStart,
  type QuestionEntry,
  type ResumeEntry,
  type SuspendEntry,
} from './entries.ts';
import { endStatus } from './history.ts';
import { createJournalFile, type JournalLines, openLines } from './lines.ts';
import { questionLines } from './questions/question-lines.ts';
import type { Recording } from './recording/recording.ts';
import { fileSink } from './storages/file.ts';
import type { JournalLease, JournalSink } from './storages/storage.ts';

/** The journal of one execution. */
export interface Journal extends CallJournal, Pick<Deliveries, 'receive' | 'deliver' | 'readClock' | 'notice'> {
  /** Path of its file, or its id in a database. A journal without an `end` entry belongs to an interrupted execution. */
  readonly path: string;
  /** Returns the bytes of all entries. */
  bytes(): number;
  /** Returns whether the execution can be replayed up to now. */
  canReplay(): boolean;
  /** Records that the execution cannot be replayed from here on. */
  refuseReplay(reason: string): void;
  /** Writes the `result`, if there is one and it fits, and the `end` entry, and closes the file. */
  close(status: string, more?: JournalClosing): void;
  /** Closes the file without an `end` entry: another process may own the execution. */
  abandon(): void;
  /** Notes the line of the program that sent a request, for the entry of its call. */
  place(request: number, line: number): void;
  /** Writes a question with the mac of the guest's request. Raises `JOURNAL_FULL`. */
  ask(question: Omit<QuestionEntry, 'mac'>): void;
  decide(decision: DecisionEntry): void;
  /** Writes when a wait of the program ends. */
  startTimer(request: number, dueMs: number): void;
  /** Writes that a file is about to change. `bytes` is its size before. */
  startChange(request: number, bytes?: number): void;
  /** Writes that the execution waits without a sandbox, and closes the file. */
  suspend(entry: SuspendEntry): void;
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
  /** It is checked before entries are written, and confirmed after they are safe. Default: none. */
  readonly lease?: JournalLease;
}

export interface FileJournalOptions extends JournalOptions {
  /** Default: `process`. */
  readonly durability?: Durability | undefined;
  /** Returns the sink that writes to the file and carries settlements out. Default: the file, without any. */
  readonly sinkOf?: (file: JournalSink) => JournalSink;
}

/** Ids of the journals that this process has open. */
const openJournals = new Set<string>();

/** Returns whether this process writes the journal of an execution: the execution runs here. */
export function isJournalOpen(id: string): boolean {
  return openJournals.has(id);
}

/**
 * Starts the journal of an execution: `<folder>/<id>.jsonl`, readable by its owner only. `begin` and `end` return after the
 * operating system has the entry and all before it: they survive a crash of this process. After `flushed`, they survive a power cut
 * too, if the durability is `fsync`. Raises `CONFIG_INVALID` when the folder cannot be written to. `begin`, and `end` with a result, raise `JOURNAL_FULL` beyond
 * `maxBytes`.
 */
export function openJournal(folder: string, start: JournalStart, options: FileJournalOptions): Journal {
  const { durability, sinkOf = itself } = options;
  const path = join(folder, `${start.id}.jsonl`);
  const file = fileSink(createJournalFile(folder, path), { durability });
  if (durability === 'fsync') flushFolder(folder);
  try {
    return beginJournal({ sink: sinkOf(file), path }, start, options);
  } catch (cause) {
    file.close();
    throw cause instanceof ToolwrightError ? cause : dataFolderError(folder, cause);
  }
}

/** Starts the journal of an execution in any storage. `path` names it in results and logs. */
export function beginJournal(
  { sink, path }: { readonly sink: JournalSink; readonly path: string },
  start: JournalStart,
  options: JournalOptions,
): Journal {
  const { key, lease } = options;
  const file = openLines(sink, { chain: createChain(key, start.id), lease });
  file.write('start', { format: JOURNAL_FORMAT, ...start });
  return journalOf({ id: start.id, path, file, replies: 0 }, options);
}

/** Continues the journal of an execution in any storage, after the lines of its recording. */
export function resumeJournal(
  { sink, path }: { readonly sink: JournalSink; readonly path: string },
  { start, tail, replies }: Recording,
  resume: ResumeEntry,
  options: JournalOptions,
): Journal {
  const { key, lease } = options;
  const chain = createChain(key, start.id);
  chain.continueAfter(tail.code);
  const file = openLines(sink, { chain, lease, keptBytes: tail.bytes });
  file.settle('resume', resume, { status: null });
  return journalOf({ id: start.id, path, file, replies: replies.length }, options);
}

/**
 * Continues the journal of an execution that was suspended or interrupted. Call it with the exclusive right to the execution. The
 * file becomes another one: a late write of the former owner does not reach it. Raises `CONFIG_INVALID` when the folder cannot be
 * written to.
 */
export function continueJournal(
  folder: string,
  recording: Recording,
  resume: ResumeEntry,
  options: FileJournalOptions,
): Journal {
  const { durability, sinkOf = itself } = options;
  const path = join(folder, `${recording.start.id}.jsonl`);
  const own = `${path}.${process.pid}`;
  let file: JournalSink | undefined;
  try {
    copyFileSync(path, own);
    truncateSync(own, recording.tail.bytes);
    file = fileSink(openSync(own, 'a'), { keptBytes: recording.tail.bytes, durability });
    const journal = resumeJournal({ sink: sinkOf(file), path }, recording, resume, options);
    if (durability === 'fsync') flushFile(own);
    renameSync(own, path);
    if (durability === 'fsync') flushFolder(folder);
    return journal;
  } catch (cause) {
    openJournals.delete(recording.start.id);
    file?.close();
    rmSync(own, { force: true });
    throw cause instanceof ToolwrightError ? cause : dataFolderError(folder, cause);
  }
}

function itself(file: JournalSink): JournalSink {
  return file;
}

interface JournalFile {
  readonly id: string;
  readonly path: string;
  readonly file: JournalLines;
  /** The number of replies in the file. */
  readonly replies: number;
}

function journalOf({ id, path, file, replies }: JournalFile, { maxBytes, key }: JournalOptions): Journal {
  const requireRoom = (text: string, outcome: string) => {
    const length = Buffer.byteLength(text);
    if (file.bytes() + length > maxBytes) throw journalFull(file.bytes(), length, maxBytes, outcome);
  };
  const lines = new Map<number, number>();
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
    replies,
    write(entry, members, rest) {
      if (hasGap) return;
      if (file.bytes() + rest.length > maxBytes) refuseReplay(`the journal is full at ${maxBytes} bytes`);
      else if (!file.hold(entry, members, rest)) refuseReplay('the disk of the data folder is full');
    },
  });
  openJournals.add(id);
  const close = () => {
    openJournals.delete(id);
    file.close();
  };
  const add = (entry: string, request: number, members: object) => {
    writeGap();
    file.write(entry, { ...askedOf(deliveries.waiting.get(request)), ...members });
  };
  return {
    path,
    bytes: file.bytes,
    abandon: close,
    flushed: file.flushed,
    ...questionLines({ key, id, file, requireRoom, writeGap, add }),
    startTimer: (request, dueMs) => add('timer', request, { dueMs }),
    startChange: (request, bytes) => add('change', request, { bytes }),
    suspend(entry) {
      writeGap();
      file.settle('suspend', entry, { status: 'suspended', wakeMs: entry.wakeMs });
      close();
    },
    receive: deliveries.receive,
    deliver: deliveries.deliver,
    readClock: deliveries.readClock,
    notice: deliveries.notice,
    canReplay: () => !hasGap,
    refuseReplay,
    place: (request, line) => void lines.set(request, line),
    begin({ number, request, tool, arguments: text, limit, plan, origins }: BegunCall, mayShare?: boolean) {
      requireRoom(text, 'The call was not sent.');
      writeGap();
      const line = request === undefined ? undefined : lines.get(request);
      const { request: id, mac } = (request === undefined ? undefined : deliveries.waiting.get(request)) ?? {};
      const members = { number, request: id, mac, line, tool, limit, plan, origins };
      if (mayShare && deliveries.waiting.size > 1) return file.writeShared('call', members, ',"arguments":', text);
      return void file.write('call', members, ',"arguments":', text);
    },
    end({ number, request, ok, result }) {
      if (ok) requireRoom(result, 'The call took effect, but its answer is lost.');
      file.writeSoon('answer', { number, ok }, ',"result":', result);
      if (request !== undefined) deliveries.answered(request, ok, result);
    },
    close(status, { limit, result, outcome } = {}) {
      try {
        deliveries.end();
        writeGap();
        const code = outcome === undefined || hasGap ? undefined : deliveries.outcomeCode(outcome);
        writeEnd(file, maxBytes, { status, limit, result, outcome: code });
      } finally {
        close();
      }
    },
  };
}

/** Writes the result, if there is one and it fits, and the end. */
function writeEnd(
  file: JournalLines,
  maxBytes: number,
  { status, limit, result, outcome }: JournalClosing & JournalEnd,
): void {
  const text = result === undefined ? undefined : exactText(result);
  const fits = text !== undefined && file.bytes() + Buffer.byteLength(text) <= maxBytes;
  const resultBytes = fits ? file.write('result', {}, ',"result":', text) : 0;
  const end: JournalEnd = {
    status,
    limit,
    resultBytes: resultBytes > 0 ? resultBytes : undefined,
    outcome,
  };
  file.settle('end', end, { status: endStatus(status, limit) });
}

function journalFull(bytes: number, more: number, maxBytes: number, outcome: string): ToolwrightError {
  const message = `The journal of this execution has ${bytes} bytes; ${more} more exceed its limit of ${maxBytes}. ${outcome} Do the rest in another execution.`;
  return new ToolwrightError('JOURNAL_FULL', message);
}

function askedOf(asked: Asked | undefined) {
  return asked ? { request: asked.request, mac: asked.mac } : {};
}
