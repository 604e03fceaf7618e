// `node:timers/promises` and `node:timers`, by the timers of the guest.
const { setTimeout: later, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;

/** @param {any} signal */
function abortError(signal) {
  return Object.assign(new Error('The operation was aborted', { cause: signal.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });
}

/** @param {number} [delay] @param {any} [value] @param {{ signal?: any }} [options] */
function wait(delay, value, { signal } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError(signal));
    const id = later(() => resolve(value), delay);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(id);
        reject(abortError(signal));
      },
      { once: true },
    );
  });
}

/** @param {number} [delay] @param {any} [value] @param {{ signal?: any }} [options] */
async function* every(delay, value, options) {
  for (;;) yield await wait(delay, value, options);
}

export const promises = {
  setTimeout: wait,
  setInterval: every,
  setImmediate: (/** @type {any} */ value, /** @type {any} */ options) => wait(0, value, options),
  scheduler: {
    wait: (/** @type {number} */ delay, /** @type {any} */ options) => wait(delay, undefined, options),
    yield: () => wait(0),
  },
};
export { clearImmediate, clearInterval, clearTimeout, later as setTimeout, setImmediate, setInterval };
export default { setTimeout: later, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises };
