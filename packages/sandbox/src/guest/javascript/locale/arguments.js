// Locales, options and numbers as the questions to Node have them: JSON without objects of the guest.

/** @typedef {(operation: string, ...values: unknown[]) => any} Ask asks Node */

/** Options of each kind of format. Other options are ignored, as in other engines. */
export const OPTIONS = {
  Collator: 'usage localeMatcher collation numeric caseFirst sensitivity ignorePunctuation',
  DateTimeFormat:
    'localeMatcher calendar numberingSystem hour12 hourCycle timeZone weekday era year month day dayPeriod hour minute second fractionalSecondDigits timeZoneName formatMatcher dateStyle timeStyle',
  NumberFormat:
    'localeMatcher numberingSystem style currency currencyDisplay currencySign unit unitDisplay notation minimumIntegerDigits minimumFractionDigits maximumFractionDigits minimumSignificantDigits maximumSignificantDigits roundingIncrement roundingMode roundingPriority trailingZeroDisplay compactDisplay useGrouping signDisplay',
  PluralRules:
    'localeMatcher type notation minimumIntegerDigits minimumFractionDigits maximumFractionDigits minimumSignificantDigits maximumSignificantDigits roundingIncrement roundingMode roundingPriority trailingZeroDisplay',
  RelativeTimeFormat: 'localeMatcher numberingSystem style numeric',
  ListFormat: 'localeMatcher type style',
  DisplayNames: 'localeMatcher style type fallback languageDisplay',
  Segmenter: 'localeMatcher granularity',
  Locale:
    'language script region variants calendar collation firstDayOfWeek hourCycle caseFirst numeric numberingSystem',
};
/** Options whose values are true or false. */
const BOOLEANS = new Set(['numeric', 'ignorePunctuation', 'hour12']);
/** Stands for an absent value. */
export const ABSENT = { u: 0 };

/**
 * Defines properties that loops do not see.
 * @param {object} target
 * @param {Record<string, unknown>} values
 */
export function hidden(target, values) {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

/**
 * Returns locales as JSON has them.
 * @param {any} locales
 */
export function localesOf(locales) {
  if (locales === undefined) return ABSENT;
  if (locales === null || typeof locales === 'string') return locales;
  if (typeof locales !== 'object') return [];
  if (locales instanceof /** @type {any} */ (globalThis).Intl.Locale) return String(locales);
  return Array.from(locales, (locale) => {
    if (typeof locale === 'string' || typeof locale === 'number') return locale;
    if (typeof locale !== 'object' || locale === null) throw new TypeError('Incorrect locale information provided');
    return String(locale);
  });
}

/**
 * Returns the known options as JSON has them.
 * @param {string} names
 * @param {any} options
 */
export function optionsOf(names, options) {
  if (options === undefined) return ABSENT;
  if (options === null) return null;
  /** @type {Record<string, unknown>} */
  const read = {};
  for (const name of names.split(' ')) {
    const value = options[name];
    if (value === undefined) continue;
    if (BOOLEANS.has(name) && !(name === 'numeric' && typeof value === 'string')) read[name] = Boolean(value);
    else if (typeof value === 'number') read[name] = Number.isFinite(value) ? value : { n: String(value) };
    else read[name] = typeof value === 'boolean' || value === null ? value : `${value}`;
  }
  return read;
}

/** @param {unknown} value */
export function numeric(value) {
  const primitive = typeof value === 'object' && value !== null ? toPrimitive(value) : value;
  if (typeof primitive === 'bigint') return { b: String(primitive) };
  if (typeof primitive === 'string') return primitive;
  return numberText(Number(primitive));
}

/** @param {number} number */
export function numberText(number) {
  return { n: Object.is(number, -0) ? '-0' : String(number) };
}

/** @param {any} value */
function toPrimitive(value) {
  const held = value.valueOf();
  return typeof held === 'object' ? String(value) : held;
}
