import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../../errors.ts';
import { Allowance, MAX_FLOOD_MS } from '../allowance.ts';

const MIB = 1024 * 1024;
/** Bytes of events without an answer that a server may send at once, and per second. */
const BURST_BYTES = 8 * MIB;
const BYTES_PER_SECOND = MIB;
/** Bytes that an event counts at least. */
const MIN_EVENT_BYTES = 1024;

/** A clock, and a way to wait. */
export interface Clock {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const CLOCK: Clock = { now: () => performance.now(), sleep: (ms) => sleep(ms, undefined, { ref: false }) };

/**
 * Limits the events of all streams of one server: notifications, comments, and answers that nobody asked for. A server that sends more is read
 * more slowly. A server that sends more for 10 seconds floods: its streams are ended.
 */
export class EventLimiter {
  readonly #clock: Clock;
  readonly #allowance: Allowance;
  #expected = 0;

  constructor(clock: Clock = CLOCK) {
    this.#clock = clock;
    this.#allowance = new Allowance({ burst: BURST_BYTES, perMs: BYTES_PER_SECOND / 1_000, now: clock.now });
  }

  /** Counts a request, whose answer may have any size. */
  sent(): void {
    this.#expected++;
  }

  /** Counts a complete event. */
  count(bytes: number, isAnswer: boolean): void {
    if (isAnswer && this.#expected > 0) this.#expected--;
    else this.#allowance.use(Math.max(MIN_EVENT_BYTES, bytes));
  }

  /** Returns a promise of capacity for the next events, or nothing when there is some. Raises `UPSTREAM_PROTOCOL` for a flood. */
  capacity(): Promise<unknown> | undefined {
    const pauseMs = this.#allowance.pauseMs();
    if (this.#allowance.isFlooded) throw flooded();
    return pauseMs > 0 ? this.#clock.sleep(pauseMs) : undefined;
  }
}

function flooded(): ToolwrightError {
  const rate = `more than ${BYTES_PER_SECOND / MIB} MiB of notifications and comments per second, for ${MAX_FLOOD_MS / 1_000} s`;
  return new ToolwrightError(
    'UPSTREAM_PROTOCOL',
    `The server sent ${rate}. Toolwright ended the stream. Let it send less.`,
  );
}
