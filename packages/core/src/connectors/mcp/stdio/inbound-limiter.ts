/** The share of our time that a server may take with messages that nobody asked for, after a first while. */
const SHARE = 0.2;
const FIRST_WHILE_MS = 100;
/** What a message costs at least: some of its work is done later. */
const LEAST_MS = 0.05;

/**
 * Keeps a server that floods us from taking all of our time: each message that we send lets one come in, whatever it costs;
 * all others may take a share of our time.
 */
export class InboundLimiter {
  readonly #now: () => number;
  #expected = 0;
  #leftMs = FIRST_WHILE_MS;
  #countedAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#countedAt = now();
  }

  sent(): void {
    this.#expected++;
  }

  /** Takes one message, which is to do that work. */
  take(work: () => void): void {
    const started = this.#now();
    work();
    if (this.#expected > 0) this.#expected--;
    else this.#leftMs -= Math.max(LEAST_MS, this.#now() - started);
  }

  /** Milliseconds for which nothing more should be taken; 0 when all is well. */
  pauseMs(): number {
    if (this.#leftMs >= FIRST_WHILE_MS) return 0;
    const now = this.#now();
    this.#leftMs = Math.min(FIRST_WHILE_MS, this.#leftMs + (now - this.#countedAt) * SHARE);
    this.#countedAt = now;
    return this.#leftMs < 0 ? Math.ceil(-this.#leftMs / SHARE) : 0;
  }
}
