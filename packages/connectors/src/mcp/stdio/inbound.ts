import { heldBytes, textOf } from '@toolwright/sandbox/internal';
import { MessageMeter, namesExcess } from '../../content/message-meter.ts';
import { Allowance } from '../allowance.ts';

const NEWLINE = 0x0a;
/** Bytes of a line that can exceed no limit of messages. */
const SHORT_BYTES = 16 * 1024;
/** Bytes of one line after which its server counts as endless. */
const MAX_LINE_BYTES = 1024 * 1024 * 1024;

/** A line over the limits of a message. Its text was not kept. */
export interface LargeLine {
  /** The exceeded limit: `a message of more than 64 MiB`. */
  readonly excess: string;
  /** The ids of the answers in it. */
  readonly ids: readonly (string | number)[];
}

/** Splits a byte stream into lines. Buffers at most one unfinished line, and nothing of a line over the limits of a message. */
export class LineReader {
  readonly #lines: { push(line: string | LargeLine): unknown };
  readonly #meter: MessageMeter;
  readonly #held = heldBytes();
  /** Whether there is a part of an unfinished line. */
  #hasStarted = false;
  /** Whether the limits are those of messages. */
  readonly #hasDefaults: boolean;

  /** `lines` receives the lines. */
  constructor(lines: { push(line: string | LargeLine): unknown }, maxBytes?: number) {
    this.#lines = lines;
    this.#meter = new MessageMeter(maxBytes);
    this.#hasDefaults = maxBytes === undefined;
  }

  /** Adds the next bytes. Throws a `RangeError` for an endless line; the reader is unusable then. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#lines.push(this.#finish(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start === chunk.length) return;
    const rest = chunk.subarray(start);
    this.#hasStarted = true;
    this.#meter.push(rest);
    if (this.#meter.bytes > MAX_LINE_BYTES) throw new RangeError('a line of more than 1 GiB');
    if (this.#meter.excess === undefined) this.#held.add(rest);
    else this.#held.clear();
  }

  #finish(last: Buffer): string | LargeLine {
    if (this.#hasDefaults && !this.#hasStarted && last.length <= SHORT_BYTES) return withoutReturn(textOf(last));
    this.#hasStarted = false;
    this.#meter.push(last);
    const { excess: tooLong, hasManyMembers } = this.#meter;
    if (this.#held.length > 0) this.#held.add(last);
    const line = tooLong === undefined ? textOf(this.#held.length > 0 ? this.#held.take() : last) : '';
    const excess = tooLong ?? (hasManyMembers ? namesExcess(line) : undefined);
    const ids = excess === undefined ? [] : this.#meter.answeredIds();
    this.#meter.reset();
    if (excess === undefined) return withoutReturn(line);
    this.#held.clear();
    return { excess, ids };
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** The maximum share of time for unrequested messages of a server, after the initial allowance. */
const SHARE = 0.2;
const FIRST_WHILE_MS = 100;
/** The minimum cost of a message in milliseconds: a part of its work happens later. */
const LEAST_MS = 0.05;

/**
 * Limits the time for messages of a flooding server. Each sent message allows one received message at any cost. All other
 * received messages share a part of the time.
 */
export class InboundLimiter {
  readonly #now: () => number;
  readonly #allowance: Allowance;
  #expected = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#allowance = new Allowance({ burst: FIRST_WHILE_MS, perMs: SHARE, now });
  }

  sent(): void {
    this.#expected++;
  }

  /** Whether the server has sent messages that use the allowance. Until then, there is nothing to limit. */
  isUsed = false;

  /** Notes a received message if a sent message allows it at any cost. Returns false for any other, which {@link take} processes. */
  expects(): boolean {
    return this.#expected > 0 && this.#expected-- > 0;
  }

  /** Processes one message by calling `work`. */
  take(work: () => void): void {
    if (this.expects()) {
      work();
      return;
    }
    this.isUsed = true;
    const started = this.#now();
    work();
    this.#allowance.use(Math.max(LEAST_MS, this.#now() - started));
  }

  /** Returns the milliseconds to wait before the next message; 0 for no wait. */
  pauseMs(): number {
    return this.#allowance.pauseMs();
  }

  /** Whether the server has sent too much for too long. */
  get isFlooded(): boolean {
    return this.#allowance.isFlooded;
  }
}
