/** Milliseconds without rest after which unrequested messages are a flood, and their connection is ended. */
export const MAX_FLOOD_MS = 10_000;

export interface AllowanceOptions {
  /** The amount that may be used at once. */
  readonly burst: number;
  /** The amount that is added per millisecond. */
  readonly perMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** The time or bytes that a server may use for messages that nobody requested: a burst, and then a rate. */
export class Allowance {
  readonly #options: AllowanceOptions;
  #left: number;
  #countedAt: number;
  /** Since when the server has used all of it, without rest. */
  #usedUpAt: number | undefined;

  constructor(options: AllowanceOptions) {
    this.#options = options;
    this.#left = options.burst;
    this.#countedAt = options.now();
  }

  use(cost: number): void {
    this.#left -= cost;
  }

  /** Returns the milliseconds to wait before the next message; 0 for no wait. */
  pauseMs(): number {
    const { burst, perMs, now } = this.#options;
    if (this.#left >= burst) return 0;
    const at = now();
    this.#left = Math.min(burst, this.#left + (at - this.#countedAt) * perMs);
    this.#countedAt = at;
    if (this.#left < 0) this.#usedUpAt ??= at;
    else if (this.#left >= burst / 2) this.#usedUpAt = undefined;
    return this.#left < 0 ? Math.ceil(-this.#left / perMs) : 0;
  }

  /** Whether the server has used more than its rate for {@link MAX_FLOOD_MS}. */
  get isFlooded(): boolean {
    return this.#usedUpAt !== undefined && this.#countedAt - this.#usedUpAt >= MAX_FLOOD_MS;
  }
}
