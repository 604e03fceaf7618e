// `AbortSignal.timeout`, by the timers of the guest.

/**
 * Returns a signal that aborts later.
 * @param {number} delay
 */
export function abortAfter(delay) {
  const { AbortController: Controller, DOMException: Exception, setTimeout } = /** @type {any} */ (globalThis);
  if (!Number.isSafeInteger(delay) || delay < 0) {
    const code = typeof delay === 'number' ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE';
    const Raised = typeof delay === 'number' ? RangeError : TypeError;
    throw Object.assign(new Raised('The "delay" argument must be a whole number of milliseconds.'), { code });
  }
  const controller = new Controller();
  setTimeout(() => controller.abort(new Exception('The operation was aborted due to timeout', 'TimeoutError')), delay);
  return controller.signal;
}
