import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { InputOptions } from '../../input.ts';

/** A call that is under way on a connection. */
export interface CallInFlight {
  readonly clock: CallClock;
  readonly onInput: InputOptions['onInput'];
  readonly userId: string | undefined;
  /** The questions of the server during this call. */
  questions: number;
}

/** The calls that are under way on the connections of one server. */
export interface CallsInFlight {
  /** Adds a call. Waits for its turn if the server gets one call at a time. Raises the reason of the signal. */
  enter(call: CallInFlight): Promise<void> | undefined;
  leave(call: CallInFlight): void;
  /** Returns the only call that is under way; undefined if there is none, or more than one. */
  only(): CallInFlight | undefined;
  /**
   * Resolves to the only call that is under way, when the others have ended: a call that asks cannot end before. Resolves to nothing when
   * they belong to several users, when all of them ask, and when the signal aborts.
   */
  whenOnly(signal: AbortSignal): Promise<CallInFlight | undefined>;
  count(): number;
  /** From now on, the server gets one call at a time. */
  serialize(): void;
}

/**
 * Creates the calls of one server. Questions of servers before 2026-07-28 do not name their call. A server that asks gets one call at
 * a time, so that no question reaches another user.
 */
export function createCallsInFlight(): CallsInFlight {
  const calls = new Set<CallInFlight>();
  const waiting: (() => void)[] = [];
  /** The questions that wait for the end of other calls. */
  const kept = new Set<(call: CallInFlight | undefined) => void>();
  const only = () => (calls.size === 1 ? [...calls][0] : undefined);
  const lookAtKept = () => {
    if (calls.size > 1 && kept.size < calls.size) return;
    for (const settle of [...kept]) settle(only());
  };
  let isSerial = false;
  const turn = async (call: CallInFlight): Promise<void> => {
    const { signal } = call.clock;
    while (calls.size > 0) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.push(wake);
        signal.addEventListener('abort', wake);
      });
      // It may have got the turn of another call.
      if (signal.aborted) waiting.shift()?.();
      signal.throwIfAborted();
    }
    calls.add(call);
  };
  return {
    enter(call) {
      if (isSerial && calls.size > 0) return call.clock.pauseFor(() => turn(call));
      calls.add(call);
      return undefined;
    },
    leave(call) {
      calls.delete(call);
      if (kept.size > 0) lookAtKept();
      if (calls.size === 0) waiting.shift()?.();
    },
    only,
    whenOnly(signal) {
      const users = new Set([...calls].map(({ userId }) => userId));
      if (calls.size < 2 || users.size > 1 || signal.aborted) return Promise.resolve(only());
      return new Promise((resolve) => {
        const settle = (call: CallInFlight | undefined) => {
          kept.delete(settle);
          resolve(call);
        };
        kept.add(settle);
        signal.addEventListener('abort', () => settle(undefined), { once: true });
        lookAtKept();
      });
    },
    count: () => calls.size,
    serialize() {
      isSerial = true;
    },
  };
}

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
