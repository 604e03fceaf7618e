/**
 * Returns a signal that aborts with the first of `signals`, and stops to listen to them when it is disposed. For each execution:
 * V8 keeps everything that an `AbortSignal.any` reaches until it collects its whole heap.
 */
export function firstAbort(signals: readonly AbortSignal[]): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = ({ target }: Event) => controller.abort((target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    },
  };
}
