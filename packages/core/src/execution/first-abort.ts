/**
 * Returns a signal that aborts with the first of `signals`, and stops to listen to them when it is disposed. For each execution:
 * V8 keeps everything that an `AbortSignal.any` reaches until it collects its whole heap.
 */
export function firstAbort(signals: readonly AbortSignal[]): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stops = signals.map((signal) => {
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const stop of stops) stop();
    },
  };
}
