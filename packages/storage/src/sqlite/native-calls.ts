/**
 * Two numbers that a thread shares with the main thread: whether it is inside a native call, and whether it is about to end. libsql expects
 * that it can return a value, and aborts the process where its thread ended meanwhile. So no call begins after the end, and the end waits for
 * the call that runs.
 */
export type NativeCalls = Int32Array;

const RUNS = 0;
const ENDS = 1;
const YES = 1;
const NO = 0;
/** Milliseconds that the end waits for a call, which may wait for a disk but for no lock. */
const MAX_CALL_MS = 10_000;

let own: NativeCalls | undefined;

export function shareNativeCalls(): NativeCalls {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** Sets the numbers of this thread. Without them, its native calls wait for nothing. */
export function setNativeCalls(calls: NativeCalls): void {
  own = calls;
}

/** Runs a native call. In a thread that is about to end, it never returns. */
export function nativeCall<R>(call: () => R): R {
  if (!own) return call();
  Atomics.store(own, RUNS, YES);
  if (Atomics.load(own, ENDS) === YES) {
    returned(own);
    Atomics.wait(own, ENDS, YES);
  }
  try {
    return call();
  } finally {
    returned(own);
  }
}

/** Waits for the native call that runs in a thread, and lets no other begin. Call it before the thread or the process ends. */
export function endNativeCalls(calls: NativeCalls): void {
  Atomics.store(calls, ENDS, YES);
  Atomics.wait(calls, RUNS, YES, MAX_CALL_MS);
}

function returned(calls: NativeCalls): void {
  Atomics.store(calls, RUNS, NO);
  Atomics.notify(calls, RUNS);
}
