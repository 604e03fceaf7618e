// Answers questions of the guest's `Intl` with that of Node, so that both write the same text. Only JSON text crosses, of bounded size,
// and no object stays: a guest reaches the named functions alone.
'use strict';

const { parse } = JSON;
/** The locale of programs that name none, on every machine. */
const DEFAULT_LOCALE = 'en-US';
/** Characters of one question. */
const MAX_QUESTION_CHARACTERS = 1_000_000;
const MAX_FORMATS = 100;

/** The methods of each kind of format that a guest may call. */
/** @type {Readonly<Record<string, readonly string[]>>} */
const METHODS = {
  Collator: ['compare', 'resolvedOptions'],
  DateTimeFormat: ['format', 'formatToParts', 'formatRange', 'formatRangeToParts', 'resolvedOptions'],
  NumberFormat: ['format', 'formatToParts', 'formatRange', 'formatRangeToParts', 'resolvedOptions'],
  PluralRules: ['select', 'selectRange', 'resolvedOptions'],
  RelativeTimeFormat: ['format', 'formatToParts', 'resolvedOptions'],
  ListFormat: ['format', 'formatToParts', 'resolvedOptions'],
  DisplayNames: ['of', 'resolvedOptions'],
  Segmenter: ['resolvedOptions'],
  DurationFormat: ['format', 'formatToParts', 'resolvedOptions'],
};
const LOCALE_PARTS = [
  ...[
    'baseName',
    'calendar',
    'caseFirst',
    'collation',
    'hourCycle',
    'language',
    'numberingSystem',
    'numeric',
    'region',
    'script',
  ],
];
const LOCALE_LISTS = ['Calendars', 'Collations', 'HourCycles', 'NumberingSystems', 'TextInfo', 'TimeZones', 'WeekInfo'];

/** Formats by their kind, locales and options. @type {Map<string, any>} */
const formats = new Map();

/** @param {any} locales */
function named(locales) {
  return locales === undefined ? DEFAULT_LOCALE : locales;
}

/** @param {string} kind */
function classOf(kind) {
  const known = Object.hasOwn(METHODS, kind) ? /** @type {any} */ (Intl)[kind] : undefined;
  if (!known) throw new TypeError(`There is no Intl.${kind}.`);
  return known;
}

/** @param {string} key JSON text of a kind, its locales and its options */
function formatOf(key) {
  const known = formats.get(key);
  if (known) return known;
  const [kind, locales, options] = arguments_(parse(key, revive));
  const made = new (classOf(kind))(named(locales), options);
  if (formats.size >= MAX_FORMATS) formats.delete(formats.keys().next().value ?? '');
  formats.set(key, made);
  return made;
}

/**
 * Converts `{"n": "-0"}`, `{"b": "1"}` and `{"u": 0}` to a number, a BigInt and `undefined`.
 * @param {string} _key
 * @param {any} value
 */
function revive(_key, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (typeof value.n === 'string') return Number(value.n);
  return typeof value.b === 'string' ? BigInt(value.b) : value;
}

/** @param {any[]} values */
function arguments_(values) {
  return values.map((value) => (value !== null && typeof value === 'object' && value.u === 0 ? undefined : value));
}

/** @type {Readonly<Record<string, (...values: any[]) => unknown>>} */
const OPERATIONS = {
  kinds: () => Object.keys(METHODS).filter((kind) => kind in Intl),
  create: (key) => {
    formatOf(key);
  },
  call: (key, method, ...values) => {
    const [kind] = parse(key);
    classOf(kind);
    if (!METHODS[kind]?.includes(method)) throw new TypeError(`There is no ${method}.`);
    return formatOf(key)[method](...values);
  },
  segment: (key, text) => {
    const format = formatOf(key);
    if (!(format instanceof Intl.Segmenter)) throw new TypeError('not a segmenter');
    return [...format.segment(text)].map(({ index, isWordLike }) => [index, isWordLike ?? null]);
  },
  supported: (kind, locales, options) => classOf(kind).supportedLocalesOf(locales, options),
  canonical: (locales) => /** @type {any} */ (Intl).getCanonicalLocales(locales),
  values: (key) => /** @type {any} */ (Intl).supportedValuesOf(key),
  locale: (tag, options) => localeParts(new Intl.Locale(tag, options)),
  number: (value, locales, options) => value.toLocaleString(named(locales), options),
  date: (method, time, locales, options) => {
    if (!['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'].includes(method)) throw new TypeError(method);
    return /** @type {any} */ (new Date(time))[method](named(locales), options);
  },
  compare: (text, other, locales, options) => text.localeCompare(other, named(locales), options),
  upper: (text, locales) => text.toLocaleUpperCase(locales),
  lower: (text, locales) => text.toLocaleLowerCase(locales),
};

/** @param {any} locale */
function localeParts(locale) {
  const parts = LOCALE_PARTS.map((name) => [name, locale[name]]);
  const lists = LOCALE_LISTS.map((name) => [
    name,
    typeof locale[`get${name}`] === 'function'
      ? locale[`get${name}`]()
      : (locale[`${name[0]?.toLowerCase()}${name.slice(1)}`] ?? null),
  ]);
  return {
    parts: Object.fromEntries(parts),
    lists: Object.fromEntries(lists),
    tags: {
      toString: locale.toString(),
      maximize: locale.maximize().toString(),
      minimize: locale.minimize().toString(),
    },
  };
}

/**
 * Answers one question: JSON text of an operation and its values. Raises the errors of Node.
 * @param {string} question
 * @returns {unknown}
 */
function answerLocale(question) {
  if (question.length > MAX_QUESTION_CHARACTERS) {
    throw new RangeError(`A text for Intl has at most ${MAX_QUESTION_CHARACTERS} characters. Pass shorter texts.`);
  }
  const [operation, ...values] = parse(question, revive);
  const run = Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
  if (!run) throw new TypeError('unknown operation');
  return run(...arguments_(values));
}

module.exports = { answerLocale };
