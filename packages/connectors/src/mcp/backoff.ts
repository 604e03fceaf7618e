const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/** Delays repeated attempts: 100 ms · 2ⁿ, at most 10 s, with a random variation of 25 %. */
export class Backoff {
  #failures = 0;
  #notBefore = 0;

  /** The number of consecutive failures. */
  get failures(): number {
    return this.#failures;
  }

  failed(): void {
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, MAX_DELAY_MS);
    this.#failures++;
    this.#notBefore = performance.now() + delay * (0.75 + Math.random() / 2);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#notBefore = 0;
  }

  /** Returns the milliseconds until the next attempt; 0 when it is due. */
  waitMs(): number {
    return Math.max(0, Math.ceil(this.#notBefore - performance.now()));
  }
}
