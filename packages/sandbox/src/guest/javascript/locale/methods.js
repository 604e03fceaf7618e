// The locale methods of texts, numbers, dates and lists, for an engine without locale data.
import { hidden, localesOf, numberText, numeric, OPTIONS, optionsOf } from './arguments.js';

/** @typedef {import('./arguments.js').Ask} Ask */

/** Printable ASCII in the order of `en-US`, which is that of Unicode's root collation. Upper case has the place of lower case. */
const ASCII = ` _-,;:!?.'"()[]{}@*/\\&#%\`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz`;

/** Creates the comparison of texts. Printable ASCII in the default order is compared here: sorts compare often. */
export function createCollate() {
  /** @type {Map<string, number>} */
  const order = new Map();
  for (const [rank, character] of [...ASCII].entries()) {
    order.set(character, rank);
    order.set(character.toUpperCase(), rank);
  }
  /** @param {string} a @param {string} b */
  const compareAscii = (a, b) => {
    for (let at = 0; at < a.length && at < b.length; at++) {
      const difference = (order.get(a.charAt(at)) ?? 0) - (order.get(b.charAt(at)) ?? 0);
      if (difference !== 0) return Math.sign(difference);
    }
    if (a.length !== b.length) return a.length < b.length ? -1 : 1;
    // Only the case differs: lower case comes first.
    for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return (a[at] ?? '') > (b[at] ?? '') ? -1 : 1;
    return 0;
  };
  const isAscii = /^[ -~]*$/;
  const isPlain = (/** @type {any} */ locales, /** @type {any} */ options) =>
    (locales === undefined || locales === null || locales.u === 0 || locales === 'en' || locales === 'en-US') &&
    (options === undefined || options === null || options.u === 0 || Object.keys(options).length === 0);
  /**
   * @param {string} a
   * @param {string} b
   * @param {{ locales: unknown, options: unknown }} how
   * @param {(a: string, b: string) => number} otherwise
   */
  return (a, b, { locales, options }, otherwise) =>
    isPlain(locales, options) && isAscii.test(a) && isAscii.test(b) ? compareAscii(a, b) : otherwise(a, b);
}

/**
 * @param {Ask} ask
 * @param {ReturnType<typeof createCollate>} collate
 */
export function addLocaleMethods(ask, collate) {
  const toLocaleUpperCase = String.prototype.toUpperCase;
  const toLocaleLowerCase = String.prototype.toLowerCase;
  hidden(String.prototype, {
    /** @this {string} @param {unknown} other @param {any} [locales] @param {any} [options] */
    localeCompare(other, locales, options) {
      const how = { locales: localesOf(locales), options: optionsOf(OPTIONS.Collator, options) };
      return collate(String(this), String(other), how, (a, b) => ask('compare', a, b, how.locales, how.options));
    },
    /** @this {string} @param {any} [locales] */
    toLocaleUpperCase(locales) {
      return locales === undefined ? toLocaleUpperCase.call(this) : ask('upper', String(this), localesOf(locales));
    },
    /** @this {string} @param {any} [locales] */
    toLocaleLowerCase(locales) {
      return locales === undefined ? toLocaleLowerCase.call(this) : ask('lower', String(this), localesOf(locales));
    },
  });
  for (const prototype of [Number.prototype, BigInt.prototype]) {
    hidden(prototype, {
      /** @this {any} @param {any} [locales] @param {any} [options] */
      toLocaleString(locales, options) {
        return ask('number', numeric(this.valueOf()), localesOf(locales), optionsOf(OPTIONS.NumberFormat, options));
      },
    });
  }
  const read = Date.prototype.getTime;
  for (const method of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
    hidden(Date.prototype, {
      /** @this {Date} @param {any} [locales] @param {any} [options] */
      [method](locales, options) {
        const time = numberText(read.call(this));
        return ask('date', method, time, localesOf(locales), optionsOf(OPTIONS.DateTimeFormat, options));
      },
    });
  }
  for (const method of /** @type {const} */ (['toString', 'toTimeString'])) {
    const original = Date.prototype[method];
    hidden(Date.prototype, {
      /** @this {Date} */
      [method]() {
        const text = original.call(this);
        return text.endsWith('GMT+0000') ? `${text} (Coordinated Universal Time)` : text;
      },
    });
  }
  for (const prototype of [Array.prototype, Object.getPrototypeOf(Int8Array.prototype)]) {
    hidden(prototype, {
      /** @this {any} @param {unknown[]} how */
      toLocaleString(...how) {
        return Array.from(this, (value) =>
          value === undefined || value === null ? '' : value.toLocaleString(...how),
        ).join(',');
      },
    });
  }
}
