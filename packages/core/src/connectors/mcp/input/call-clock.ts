import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

/** Milliseconds after which the SDK ends a request: never before the clock does. */
export const SDK_TIMEOUT_MS: number = 2 ** 31 - 1;

/** The time limit of one call, over all times that it is sent. It does not run while a person is asked. */
export interface CallClock {
  /** Aborted at the limit, by the caller, and by {@link fail}. */
  readonly signal: AbortSignal;
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
  const ending = new AbortController();
  let leftMs = timeoutMs;
  let totalMs = Math.max(timeoutMs, maxTotalMs);
  let startedAt = 0;
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined;
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    ending.abort(error);
  };
  const run = () => {
    startedAt = performance.now();
    const limit = leftMs < timeoutMs && leftMs === totalMs ? TOTAL : {};
    timer = setTimeout(() => fail(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', limit)), leftMs);
  };
  const stop = () => {
    clearTimeout(timer);
    const ranMs = performance.now() - startedAt;
    leftMs = Math.max(0, leftMs - ranMs);
    totalMs = Math.max(0, totalMs - ranMs);
  };
  const onAbort = () => ending.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  run();
  return {
    signal: ending.signal,
    async pauseFor(work) {
      if (pauses++ === 0) stop();
      try {
        return await work();
      } finally {
        if (--pauses === 0 && !ending.signal.aborted) run();
      }
    },
    extend() {
      if (pauses > 0 || ending.signal.aborted || totalMs <= timeoutMs) return;
      stop();
      leftMs = Math.min(timeoutMs, totalMs);
      run();
    },
    fail,
    failure: () => failure,
    close() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
