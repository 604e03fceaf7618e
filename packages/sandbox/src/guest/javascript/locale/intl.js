// `Intl` and the locale methods for an engine without locale data. Node around the engine answers, so that texts are the same as in
// other sandboxes.
import { compute } from '../engine.js';
import { hidden, localesOf, numberText, numeric, OPTIONS, optionsOf } from './arguments.js';
import { addLocaleMethods, createCollate } from './methods.js';

const { parse, stringify } = JSON;
const DURATION_UNITS = 'years months weeks days hours minutes seconds milliseconds microseconds nanoseconds'.split(' ');
const DURATION_OPTIONS = `localeMatcher numberingSystem style fractionalDigits ${DURATION_UNITS.map((unit) => `${unit} ${unit}Display`).join(' ')}`;
/** @typedef {import('./arguments.js').Ask} Ask */

/** JSON text of the kind, the locales and the options of each format. @type {WeakMap<object, string>} */
const keys = new WeakMap();

/** @type {Ask} */
const ask = (operation, ...values) => compute('locale', [stringify([operation, ...values])]);

/**
 * Adds `Intl` and the locale methods.
 * @param {() => number} now
 */
export function installIntl(now) {
  const collate = createCollate();
  const made = formatClasses(ask, now, collate);
  const kinds = new Set(ask('kinds'));
  const added = Object.create(Object.prototype, { [Symbol.toStringTag]: { value: 'Intl', configurable: true } });
  for (const [name, value] of Object.entries(made)) if (kinds.has(name)) hidden(added, { [name]: value });
  hidden(added, {
    Locale: localeClass(ask),
    getCanonicalLocales: (/** @type {any} */ locales) => ask('canonical', localesOf(locales)),
    supportedValuesOf: (/** @type {any} */ key) => ask('values', String(key)),
  });
  hidden(globalThis, { Intl: added });
  addLocaleMethods(ask, collate);
}

/**
 * Creates the classes of formats.
 * @param {Ask} ask
 * @param {() => number} now
 * @param {ReturnType<typeof createCollate>} collate
 */
function formatClasses(ask, now, collate) {
  const time = (/** @type {any} */ date) => numberText(date === undefined ? now() : Number(date));
  const given = (/** @type {any} */ date) => {
    if (date === undefined) throw new TypeError('startDate or endDate cannot be undefined');
    return numberText(Number(date));
  };
  const range = (/** @type {any} */ value) => {
    if (value === undefined) throw new TypeError('start or end cannot be undefined');
    return numeric(value);
  };
  const plain = (/** @type {any} */ value) => numberText(Number(value));
  const texts = (/** @type {any} */ list) =>
    Array.from(list ?? [], (text) => {
      if (typeof text !== 'string') throw new TypeError('Iterable yielded a non-String value');
      return text;
    });
  const relative = [plain, String];
  const define = (
    /** @type {string} */ kind,
    /** @type {string} */ options,
    /** @type {Record<string, any[]>} */ methods,
  ) => formatClass(ask, { kind, options, methods });
  const Collator = define('Collator', OPTIONS.Collator, {});
  const classes = {
    Collator,
    DateTimeFormat: define('DateTimeFormat', OPTIONS.DateTimeFormat, {
      formatToParts: [time],
      formatRange: [given, given],
      formatRangeToParts: [given, given],
    }),
    NumberFormat: define('NumberFormat', OPTIONS.NumberFormat, {
      formatToParts: [numeric],
      formatRange: [range, range],
      formatRangeToParts: [range, range],
    }),
    PluralRules: define('PluralRules', OPTIONS.PluralRules, { select: [plain], selectRange: [plain, plain] }),
    RelativeTimeFormat: define('RelativeTimeFormat', OPTIONS.RelativeTimeFormat, {
      format: relative,
      formatToParts: relative,
    }),
    ListFormat: define('ListFormat', OPTIONS.ListFormat, { format: [texts], formatToParts: [texts] }),
    DisplayNames: define('DisplayNames', OPTIONS.DisplayNames, { of: [String] }),
    Segmenter: define('Segmenter', OPTIONS.Segmenter, {}),
    DurationFormat: define('DurationFormat', DURATION_OPTIONS, { format: [duration], formatToParts: [duration] }),
  };
  bindGetter(
    classes.DateTimeFormat,
    'format',
    (key) => (/** @type {any} */ date) => ask('call', key, 'format', time(date)),
  );
  bindGetter(
    classes.NumberFormat,
    'format',
    (key) => (/** @type {any} */ value) => ask('call', key, 'format', numeric(value)),
  );
  bindGetter(Collator, 'compare', (key) => {
    const [, locales, options] = parse(key);
    return (/** @type {unknown} */ a, /** @type {unknown} */ b) =>
      collate(String(a), String(b), { locales, options }, (x, y) => ask('call', key, 'compare', x, y));
  });
  hidden(classes.Segmenter.prototype, {
    /** @this {object} @param {unknown} input */
    segment(input) {
      const text = String(input);
      return segmentsOf(text, ask('segment', keyOf(this), text));
    },
  });
  return classes;
}

/** @param {any} value */
function duration(value) {
  if (typeof value === 'string') return value;
  return Object.fromEntries(
    DURATION_UNITS.filter((unit) => value[unit] !== undefined).map((unit) => [unit, Number(value[unit])]),
  );
}

/** @param {object} format */
function keyOf(format) {
  const key = keys.get(format);
  if (key === undefined) throw new TypeError('Method called on incompatible receiver');
  return key;
}

/**
 * @param {Ask} ask
 * @param {{ kind: string, options: string, methods: Record<string, any[]> }} definition
 * @returns {any}
 */
function formatClass(ask, { kind, options: names, methods }) {
  const isCallable = ['Collator', 'DateTimeFormat', 'NumberFormat'].includes(kind);
  /** @this {any} @param {any} [locales] @param {any} [options] */
  function Format(locales, options) {
    if (!new.target && !isCallable) throw new TypeError(`Constructor Intl.${kind} requires 'new'`);
    const made = new.target ? this : Object.create(Format.prototype);
    const key = stringify([kind, localesOf(locales), optionsOf(names, options)]);
    ask('create', key);
    keys.set(made, key);
    return new.target ? undefined : made;
  }
  Object.defineProperty(Format, 'name', { value: kind, configurable: true });
  Object.defineProperty(Format, 'length', { value: kind === 'DisplayNames' ? 2 : 0, configurable: true });
  Object.defineProperty(Format, 'prototype', { writable: false });
  hidden(Format, {
    supportedLocalesOf: (/** @type {any} */ locales, /** @type {any} */ options) =>
      ask('supported', kind, localesOf(locales), optionsOf('localeMatcher', options)),
  });
  for (const [name, reads] of Object.entries(
    /** @type {Record<string, any[]>} */ ({ ...methods, resolvedOptions: [] }),
  )) {
    hidden(Format.prototype, {
      /** @this {object} @param {unknown[]} values */
      [name](...values) {
        return ask('call', keyOf(this), name, ...reads.map((read, index) => read(values[index])));
      },
    });
  }
  Object.defineProperty(Format.prototype, Symbol.toStringTag, { value: `Intl.${kind}`, configurable: true });
  return Format;
}

/**
 * Adds a getter for a function that needs no receiver, as `format` and `compare` are.
 * @param {any} Format
 * @param {string} name
 * @param {(key: string) => Function} bind
 */
function bindGetter(Format, name, bind) {
  const bound = new WeakMap();
  Object.defineProperty(Format.prototype, name, {
    /** @this {object} */
    get() {
      const key = keyOf(this);
      if (!bound.has(this)) bound.set(this, bind(key));
      return bound.get(this);
    },
    configurable: true,
  });
}

/**
 * @param {string} text
 * @param {[number, boolean | null][]} starts the index of each segment, and whether it is like a word
 */
function segmentsOf(text, starts) {
  const at = (/** @type {number} */ number) => {
    const [index = 0, isWordLike] = starts[number] ?? [];
    const segment = text.slice(index, starts[number + 1]?.[0]);
    return { segment, index, input: text, ...(typeof isWordLike === 'boolean' ? { isWordLike } : {}) };
  };
  return {
    *[Symbol.iterator]() {
      for (let number = 0; number < starts.length; number++) yield at(number);
    },
    containing(place = 0) {
      const wanted = Math.trunc(Number(place)) || 0;
      if (wanted < 0 || wanted >= text.length) return undefined;
      const next = starts.findIndex(([index]) => index > wanted);
      return at(next < 0 ? starts.length - 1 : next - 1);
    },
  };
}

/** @param {Ask} ask */
function localeClass(ask) {
  const held = new WeakMap();
  class Locale {
    /** @param {any} tag @param {any} [options] */
    constructor(tag, options) {
      if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null))
        throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing");
      held.set(this, ask('locale', String(tag), optionsOf(OPTIONS.Locale, options)));
    }
    toString() {
      return held.get(this).tags.toString;
    }
    maximize() {
      return new Locale(held.get(this).tags.maximize);
    }
    minimize() {
      return new Locale(held.get(this).tags.minimize);
    }
  }
  const { parts, lists } = ask('locale', 'en');
  for (const part of [
    ...Object.keys(parts),
    'numeric',
    'calendar',
    'caseFirst',
    'collation',
    'hourCycle',
    'numberingSystem',
    'region',
    'script',
  ]) {
    Object.defineProperty(Locale.prototype, part, {
      /** @this {Locale} */
      get() {
        return held.get(this).parts[part];
      },
      configurable: true,
    });
  }
  for (const name of Object.keys(lists)) {
    hidden(Locale.prototype, {
      /** @this {Locale} */
      [`get${name}`]() {
        return held.get(this).lists[name] ?? undefined;
      },
    });
  }
  Object.defineProperty(Locale.prototype, Symbol.toStringTag, { value: 'Intl.Locale', configurable: true });
  return Locale;
}
