import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

/** Milliseconds after which the SDK ends a request: never before the clock does. */
export const SDK_TIMEOUT_MS: number = 2 ** 31 - 1;

/** The time limit of one call, over all times that it is sent. It does not run while a person is asked. */
export interface CallClock {
  /** Aborted at the limit, by the caller, and by {@link fail}. */
  readonly signal: AbortSignal;
  /** Runs work that does not count. */
  pauseFor<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Ends the call with an error. */
  fail(error: Error): void;
  /** The error of {@link fail}. */
  readonly failure: () => Error | undefined;
  close(): void;
}

/** Starts the clock of a call. */
export function startClock(timeoutMs: number, signal: AbortSignal | undefined): CallClock {
  const ending = new AbortController();
  let leftMs = timeoutMs;
  let startedAt = 0;
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined;
  let failure: Error | undefined;
  const run = () => {
    startedAt = performance.now();
    timer = setTimeout(() => ending.abort(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out')), leftMs);
  };
  const stop = () => {
    clearTimeout(timer);
    leftMs = Math.max(0, leftMs - (performance.now() - startedAt));
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
    fail(error) {
      failure ??= error;
      ending.abort(error);
    },
    failure: () => failure,
    close() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
