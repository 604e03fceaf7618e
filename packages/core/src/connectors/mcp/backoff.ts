const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/** Spaces out attempts at something that keeps failing: 100 ms · 2ⁿ up to 10 s, give or take a quarter. */
export class Backoff {
  #failures = 0;
  #notBefore = 0;

  /** How often it failed in a row. */
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

  /** Milliseconds until the next attempt is due; 0 when it is. */
  waitMs(): number {
    return Math.max(0, Math.ceil(this.#notBefore - performance.now()));
  }
}
