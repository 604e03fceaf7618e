// Events and abort signals for engines that lack them.
import { abortAfter } from './abort-after.js';

/** The codes of older names. */
const CODES = /** @type {Record<string, number>} */ ({
  ...{
    InvalidCharacterError: 5,
    NotFoundError: 8,
    NotSupportedError: 9,
    InvalidStateError: 11,
    SyntaxError: 12,
    InvalidAccessError: 15,
  },
  ...{ TypeMismatchError: 17, AbortError: 20, QuotaExceededError: 22, TimeoutError: 23, DataCloneError: 25 },
});

/** The error of the web platform. */
export class DOMException extends Error {
  #name;
  /** @param {string} [message] @param {any} [options] its name, or an object with `name` and `cause` */
  constructor(message = '', options = 'Error') {
    const { name = 'Error', cause } = typeof options === 'object' ? options : { name: options };
    super(String(message), ...(cause === undefined ? [] : [{ cause }]));
    this.#name = String(name);
  }
  get name() {
    return this.#name;
  }
  get code() {
    return CODES[this.#name] ?? 0;
  }
}
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, { value: 'DOMException', configurable: true });

/** @typedef {{ type: string, handler: any, capture: boolean, once: boolean, removed: boolean }} Listener */
/** @type {(event: Event, target: EventTarget | null) => void} */
let setTarget;
/** @type {(event: Event) => boolean} */
let isStopped;

/** An event. */
export class Event {
  #type;
  /** @type {EventTarget | null} */
  #target = null;
  #prevented = false;
  #stopped = false;
  #options;
  static {
    setTarget = (event, target) => {
      event.#target = target;
    };
    isStopped = (event) => event.#stopped;
  }
  /** @param {any[]} given its type, and the options `bubbles`, `cancelable` and `composed` */
  constructor(...given) {
    const [type, options = {}] = given;
    if (given.length === 0)
      throw Object.assign(new TypeError('The "type" argument must be specified'), { code: 'ERR_MISSING_ARGS' });
    this.#type = String(type);
    this.#options = options;
    this.timeStamp = globalThis.performance.now();
  }
  get type() {
    return this.#type;
  }
  get target() {
    return this.#target;
  }
  get currentTarget() {
    return this.#target;
  }
  get bubbles() {
    return Boolean(this.#options.bubbles);
  }
  get cancelable() {
    return Boolean(this.#options.cancelable);
  }
  get composed() {
    return Boolean(this.#options.composed);
  }
  get defaultPrevented() {
    return this.#prevented;
  }
  preventDefault() {
    this.#prevented ||= this.cancelable;
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this.#stopped = true;
  }
}
Object.defineProperty(Event.prototype, Symbol.toStringTag, { value: 'Event', configurable: true });

/** An event with data. */
export class CustomEvent extends Event {
  #detail;
  /** @param {string} type @param {any} [options] */
  constructor(type, options = {}) {
    super(type, options);
    this.#detail = options.detail ?? null;
  }
  get detail() {
    return this.#detail;
  }
}

/** A target of events. */
export class EventTarget {
  /** @type {Listener[]} */
  #listeners = [];
  /** @param {string} type @param {any} handler @param {any} [options] */
  addEventListener(type, handler, options) {
    const {
      capture = false,
      once = false,
      signal = undefined,
    } = typeof options === 'object' && options !== null ? options : { capture: Boolean(options) };
    if (handler === null || handler === undefined || signal?.aborted) return;
    if (typeof handler !== 'function' && typeof handler !== 'object')
      throw Object.assign(new TypeError('The "listener" argument must be an instance of EventListener.'), {
        code: 'ERR_INVALID_ARG_TYPE',
      });
    const name = String(type);
    if (this.#find(name, handler, capture)) return;
    this.#listeners.push({ type: name, handler, capture, once, removed: false });
    signal?.addEventListener('abort', () => this.removeEventListener(name, handler, { capture }), { once: true });
  }
  /** @param {string} type @param {any} handler @param {any} [options] */
  removeEventListener(type, handler, options) {
    const capture = Boolean(typeof options === 'object' && options !== null ? options.capture : options);
    const found = this.#find(String(type), handler, capture);
    if (!found) return;
    found.removed = true;
    this.#listeners = this.#listeners.filter((listener) => listener !== found);
  }
  /** @param {string} type @param {unknown} handler @param {boolean} capture */
  #find(type, handler, capture) {
    return this.#listeners.find(
      (listener) => listener.type === type && listener.handler === handler && listener.capture === capture,
    );
  }
  /** @param {Event} event */
  dispatchEvent(event) {
    if (!(event instanceof Event))
      throw Object.assign(new TypeError('The "event" argument must be an instance of Event.'), {
        code: 'ERR_INVALID_ARG_TYPE',
      });
    setTarget(event, this);
    for (const listener of [...this.#listeners]) {
      if (listener.type !== event.type || listener.removed) continue;
      if (isStopped(event)) break;
      if (listener.once) this.removeEventListener(listener.type, listener.handler, listener.capture);
      try {
        if (typeof listener.handler === 'function') listener.handler.call(this, event);
        else listener.handler.handleEvent(event);
      } catch {
        // As in Node, where it is an uncaught exception: the other listeners run.
      }
    }
    return !event.defaultPrevented;
  }
}
Object.defineProperty(EventTarget.prototype, Symbol.toStringTag, { value: 'EventTarget', configurable: true });

/** @type {(signal: AbortSignal, reason: unknown) => void} */
let abort;
let isAllowed = false;

/** @returns {AbortSignal} */
function newSignal() {
  isAllowed = true;
  try {
    return new AbortSignal();
  } finally {
    isAllowed = false;
  }
}

/** A signal that something shall stop. */
export class AbortSignal extends EventTarget {
  #aborted = false;
  /** @type {any} */
  #reason = undefined;
  /** @type {any} */
  #onabort = null;
  static {
    abort = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
      signal.dispatchEvent(new Event('abort'));
    };
  }
  constructor() {
    if (!isAllowed) throw Object.assign(new TypeError('Illegal constructor'), { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
    super();
  }
  get aborted() {
    return this.#aborted;
  }
  get reason() {
    return this.#reason;
  }
  get onabort() {
    return this.#onabort;
  }
  set onabort(handler) {
    if (this.#onabort) this.removeEventListener('abort', this.#onabort);
    this.#onabort = typeof handler === 'function' ? handler : null;
    this.addEventListener('abort', this.#onabort);
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }
  /** @param {unknown} [reason] */
  static abort(reason) {
    const signal = newSignal();
    abort(signal, reason);
    return signal;
  }
  /** @param {number} delay */
  static timeout(delay) {
    return /** @type {AbortSignal} */ (abortAfter(delay));
  }
  /** @param {Iterable<AbortSignal>} signals */
  static any(signals) {
    const signal = newSignal();
    const all = [...signals];
    const first = all.find(({ aborted }) => aborted);
    if (first) abort(signal, first.reason);
    else for (const each of all) each.addEventListener('abort', () => abort(signal, each.reason), { once: true });
    return signal;
  }
}
Object.defineProperty(AbortSignal.prototype, Symbol.toStringTag, { value: 'AbortSignal', configurable: true });

/** Aborts its signal. */
export class AbortController {
  #signal = newSignal();
  get signal() {
    return this.#signal;
  }
  /** @param {unknown} [reason] */
  abort(reason) {
    abort(this.#signal, reason);
  }
}
Object.defineProperty(AbortController.prototype, Symbol.toStringTag, { value: 'AbortController', configurable: true });
