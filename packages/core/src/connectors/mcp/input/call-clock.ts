import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

/** Milliseconds after which the SDK ends a request: never before the clock does. */
export const SDK_TIMEOUT_MS: number = 2 ** 31 - 1;

/** The time limit of one call, over all times that it is sent. It does not run while a person is asked. */
export interface CallClock {
  /** Aborted at the limit, by the caller, and by {@link fail}. */
  readonly signal: AbortSignal;
  /** Sets the function that is called when the signal aborts, with the error of the SDK. Raises this error when it has. */
  onEnd(end: ((error: SdkError) => void) | undefined): void;
  /** Runs work that does not count. */
  pauseFor<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Starts the limit again, at most until the total limit. */
  extend(): void;
  /** Ends the call with an error. */
  fail(error: Error): void;
  /** The error of {@link fail}. */
  readonly failure: () => Error | undefined;
  close(): void;
}

/** The data of the error for a call that ended at its total limit. */
export const TOTAL = { limit: 'total' } as const;

/** Starts the clock of a call. Reports of progress extend it up to `maxTotalMs`, without pauses. */
export function startClock(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  maxTotalMs: number = timeoutMs,
): CallClock {
  let leftMs = timeoutMs;
  let totalMs = Math.max(timeoutMs, maxTotalMs);
  let startedAt = 0;
  let pauses = 0;
  let failure: Error | undefined;
  let ended: { readonly reason: unknown } | undefined;
  let controller: AbortController | undefined;
  let onEnd: ((error: SdkError) => void) | undefined;
  const end = (reason: unknown) => {
    if (ended) return;
    ended = { reason };
    controller?.abort(reason);
    onEnd?.(endError(reason));
  };
  const fail = (error: Error) => {
    failure ??= error;
    end(failure);
  };
  const atLimit = () => {
    const limit = leftMs < timeoutMs && leftMs === totalMs ? TOTAL : {};
    fail(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', limit));
  };
  const run = () => {
    startedAt = performance.now();
    startAlarm(atLimit, startedAt + leftMs);
  };
  const stop = () => {
    alarms.delete(atLimit);
    const ranMs = performance.now() - startedAt;
    leftMs = Math.max(0, leftMs - ranMs);
    totalMs = Math.max(0, totalMs - ranMs);
  };
  const others = signal && callsOf(signal);
  if (signal?.aborted) end(signal.reason);
  others?.add(end);
  run();
  return {
    get signal() {
      controller ??= new AbortController();
      if (ended) controller.abort(ended.reason);
      return controller.signal;
    },
    onEnd(listener) {
      if (ended && listener) throw endError(ended.reason);
      onEnd = listener;
    },
    async pauseFor(work) {
      if (pauses++ === 0) stop();
      try {
        return await work();
      } finally {
        if (--pauses === 0 && !ended) run();
      }
    },
    extend() {
      if (pauses > 0 || ended || totalMs <= timeoutMs) return;
      stop();
      leftMs = Math.min(timeoutMs, totalMs);
      run();
    },
    fail,
    failure: () => failure,
    close() {
      alarms.delete(atLimit);
      others?.delete(end);
    },
  };
}

function endError(reason: unknown): SdkError {
  return reason instanceof SdkError ? reason : new SdkError(SdkErrorCode.RequestTimeout, String(reason));
}

/** The running clocks, with the times of their ends. They share one timer, because a timer is a high cost for a short call. */
const alarms = new Map<() => void, number>();
let timer: NodeJS.Timeout | undefined;
let timerMs = Number.POSITIVE_INFINITY;

function startAlarm(ring: () => void, dueMs: number): void {
  alarms.set(ring, dueMs);
  if (dueMs < timerMs) setAlarm(dueMs);
}

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
  for (const [alarm, dueMs] of [...alarms]) {
    // A timer of Node may be up to a millisecond early.
    if (dueMs - nowMs >= 1) nextMs = Math.min(nextMs, dueMs);
    else {
      alarms.delete(alarm);
      alarm();
    }
  }
  if (nextMs < timerMs) setAlarm(nextMs);
}

/** The running calls of each signal. They share one listener, because the calls of an execution have the same signal. */
const running = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

function callsOf(signal: AbortSignal): Set<(reason: unknown) => void> {
  const known = running.get(signal);
  if (known) return known;
  const calls = new Set<(reason: unknown) => void>();
  running.set(signal, calls);
  signal.addEventListener('abort', () => {
    for (const end of [...calls]) end(signal.reason);
  });
  return calls;
}
