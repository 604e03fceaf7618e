// `node:events` for engines that lack it.
// @ts-expect-error: it has no types
import EventEmitter from 'events/';

/** @param {any} emitter @param {string | symbol} name @param {{ signal?: any }} [options] */
export async function* on(emitter, name, { signal } = {}) {
  /** @type {any[]} */
  const seen = [];
  /** @type {(() => void) | undefined} */
  let wake;
  /** @type {{ error: unknown } | undefined} */
  let failure;
  const keep = (/** @type {any[]} */ ...values) => {
    seen.push(values);
    wake?.();
  };
  const fail = (/** @type {unknown} */ error) => {
    failure = { error };
    wake?.();
  };
  const abort = () =>
    fail(Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' }));
  emitter.on(name, keep);
  if (name !== 'error') emitter.on('error', fail);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      while (seen.length > 0) yield seen.shift();
      if (failure) throw failure.error;
      await new Promise((resolve) => {
        wake = () => resolve(undefined);
      });
    }
  } finally {
    emitter.off(name, keep);
    emitter.off('error', fail);
  }
}

const { once, defaultMaxListeners } = /** @type {any} */ (EventEmitter);
export const getEventListeners = (/** @type {any} */ emitter, /** @type {string} */ name) => emitter.listeners(name);
export const listenerCount = (/** @type {any} */ emitter, /** @type {string} */ name) => emitter.listenerCount(name);
Object.assign(EventEmitter, { on, getEventListeners, EventEmitter });

export { defaultMaxListeners, EventEmitter, once };
export default EventEmitter;
