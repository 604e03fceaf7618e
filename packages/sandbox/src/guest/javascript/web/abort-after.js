// `AbortSignal.timeout`, by the clock of the host. It is no timer of the program: none is pending when the program ends.

/**
 * Returns a signal that aborts later.
 * @param {number} delay
 */
export function abortAfter(delay) {
  const { AbortController: Controller, DOMException: Exception, sleep } = /** @type {any} */ (globalThis);
  if (!Number.isSafeInteger(delay) || delay < 0) {
    const code = typeof delay === 'number' ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE';
    const Raised = typeof delay === 'number' ? RangeError : TypeError;
    throw Object.assign(new Raised('The "delay" argument must be a whole number of milliseconds.'), { code });
  }
  const controller = new Controller();
  const abort = () => controller.abort(new Exception('The operation was aborted due to timeout', 'TimeoutError'));
  sleep(delay).then(abort);
  return controller.signal;
}
