import { Allowance } from '../allowance.ts';

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
