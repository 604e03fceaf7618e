import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

/** Milliseconds after which the SDK ends a request: never before the clock does. */
export const SDK_TIMEOUT_MS: number = 2 ** 31 - 1;

/** The data of the error for a call that ended at its total limit. */
export const TOTAL = { limit: 'total' } as const;

/**
 * The time limit of one call, over all times that it is sent. It does not run while a person is asked. Reports of progress extend it up to
 * `maxTotalMs`, without pauses. A class, because a call has many of these functions and mostly needs none.
 */
export class CallClock {
  readonly #timeoutMs: number;
  readonly #others: Set<CallClock> | undefined;
  #leftMs: number;
  #totalMs: number;
  #startedAt = 0;
  #pauses = 0;
  #failure: Error | undefined;
  #ended: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;
  #onEnd: ((error: SdkError) => void) | undefined;

  constructor(timeoutMs: number, signal: AbortSignal | undefined, maxTotalMs: number = timeoutMs) {
    this.#timeoutMs = timeoutMs;
    this.#leftMs = timeoutMs;
    this.#totalMs = Math.max(timeoutMs, maxTotalMs);
    if (signal?.aborted) this.end(signal.reason);
    this.#others = signal && (running.get(signal) ?? watch(signal));
    this.#others?.add(this);
    this.#run();
  }

  /** Aborted at the limit, by the caller, and by {@link fail}. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#ended) this.#controller.abort(this.#ended.reason);
    return this.#controller.signal;
  }

  /** The error of {@link fail}. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Sets the function that is called when the signal aborts, with the error of the SDK. Raises this error when it has. */
  onEnd(listener: (error: SdkError) => void): void {
    if (this.#ended) throw endError(this.#ended.reason);
    this.#onEnd = listener;
  }

  /** Runs work that does not count. */
  async pauseFor<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#pauses++ === 0) this.#stop();
    try {
      return await work();
    } finally {
      if (--this.#pauses === 0 && !this.#ended) this.#run();
    }
  }

  /** Starts the limit again, at most until the total limit. */
  extend(): void {
    if (this.#pauses > 0 || this.#ended || this.#totalMs <= this.#timeoutMs) return;
    this.#stop();
    this.#leftMs = Math.min(this.#timeoutMs, this.#totalMs);
    this.#run();
  }

  /** Ends the call with an error. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.end(this.#failure);
  }

  /** Ends the call for the reason of its caller. */
  end(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = { reason };
    this.#controller?.abort(reason);
    this.#onEnd?.(endError(reason));
  }

  /** Ends the call at its limit. */
  ring(): void {
    const limit = this.#leftMs < this.#timeoutMs && this.#leftMs === this.#totalMs ? TOTAL : {};
    this.fail(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', limit));
  }

  close(): void {
    alarms.delete(this);
    this.#others?.delete(this);
  }

  #run(): void {
    this.#startedAt = performance.now();
    const dueMs = this.#startedAt + this.#leftMs;
    alarms.set(this, dueMs);
    if (dueMs < timerMs) setAlarm(dueMs);
  }

  #stop(): void {
    alarms.delete(this);
    const ranMs = performance.now() - this.#startedAt;
    this.#leftMs = Math.max(0, this.#leftMs - ranMs);
    this.#totalMs = Math.max(0, this.#totalMs - ranMs);
  }
}

function endError(reason: unknown): SdkError {
  return reason instanceof SdkError ? reason : new SdkError(SdkErrorCode.RequestTimeout, String(reason));
}

/** The running clocks, with the times of their ends. They share one timer, because a timer is a high cost for a short call. */
const alarms = new Map<CallClock, number>();
let timer: NodeJS.Timeout | undefined;
let timerMs = Number.POSITIVE_INFINITY;

function setAlarm(dueMs: number): void {
  clearTimeout(timer);
  timerMs = dueMs;
  // The connection of a call keeps the process running.
  timer = setTimeout(ring, Math.max(0, dueMs - performance.now())).unref();
}

function ring(): void {
  timerMs = Number.POSITIVE_INFINITY;
  const nowMs = performance.now();
  let nextMs = Number.POSITIVE_INFINITY;
  for (const [clock, dueMs] of [...alarms]) {
    // A timer of Node may be up to a millisecond early.
    if (dueMs - nowMs >= 1) nextMs = Math.min(nextMs, dueMs);
    else {
      alarms.delete(clock);
      clock.ring();
    }
  }
  if (nextMs < timerMs) setAlarm(nextMs);
}

/** The running clocks of each signal. They share one listener, because the calls of an execution have the same signal. */
const running = new WeakMap<AbortSignal, Set<CallClock>>();

function watch(signal: AbortSignal): Set<CallClock> {
  const clocks = new Set<CallClock>();
  running.set(signal, clocks);
  signal.addEventListener('abort', () => {
    for (const clock of [...clocks]) clock.end(signal.reason);
  });
  return clocks;
}
