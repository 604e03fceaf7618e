import { linearPattern, readPlaceholders } from '@toolwright/pii/internal';

/** The type of one extracted value. */
export type ValueType = 'date' | 'date-time' | 'email' | 'uri' | 'number' | 'integer' | 'boolean' | 'text';

/** A value in a text. Without `value`, the text has two readings. */
interface Found {
  readonly start: number;
  readonly end: number;
  readonly value: string | number | boolean | undefined;
}

/** Values of one type that one text may have. */
const MAX_FOUND = 1_000;
const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt'];
const NUMERIC_DATE =
  /(?<![\w./-])(?:(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{1,2})([-/.])(\d{1,2})\6(\d{4}))(?![\d/]|[-.]\d)/g;
const DAY_MONTH =
  /(?<![\w./-])(\d{1,2})(?:st|nd|rd|th|\.)?[ -](?:of |de )?(\p{L}{3,12})\.?,?[ -](?:de )?(\d{4})(?!\d)/gu;
const MONTH_DAY = /(?<![\p{L}\p{N}])(\p{L}{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/gu;
const TIME =
  /^(?:T|,? (?:at |um |à )?)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?: ?([ap])\.?m\b\.?)?( ?(?:(?:Z|UTC|GMT)\b|[+-]\d{2}:?\d{2}))?(?![\w:])/i;
/** The name of a time zone, whose offset depends on the date and country. */
const ZONE_NAME = /^ ?\(?(?!AT\b)[A-Z]{2,4}T\b/;
const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,63}(?![\w-])/g;
const ADDRESS = /(?<!\w)https?:\/\/[^\s<>"'`|\\^{}]+/gi;
const NUMBER =
  /(?<![\p{L}\p{N}_.,/:#+-]|\d[ '’])([-−]?)(?:[$€£¥] ?|[A-Z]{3} )?(\d{1,3}(?:[ '’,.\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\p{L}\p{N}_/:-]|[.,]\d)/gu;
const BOOLEANS = new Map([...words('yes true on y'), ...words('no false off n', false)]);

function words(list: string, value = true): [string, boolean][] {
  return list.split(' ').map((word) => [word, value]);
}

/** Returns the values of a type in a text, each once. `undefined` among them is a text with two readings. */
export function valuesOf(text: string, type: ValueType): readonly Found['value'][] {
  return [...new Set(findValues(text, type).map(({ value }) => value))];
}

/** Returns the whole matches of a pattern in a text, each once. Raises an `Error` for a pattern that cannot be used. */
export function matchesOf(text: string, pattern: string): readonly string[] {
  const matcher = linearPattern(pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')).matcher(text);
  const found = new Set<string>();
  const placeholders = readPlaceholders(text);
  while (found.size < MAX_FOUND && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    const cuts = placeholders.some(
      (each) => each.start < end && start < each.end && (each.start < start || end < each.end),
    );
    if (end > start && !cuts && isWhole(text, start, end)) found.add(text.slice(start, end));
  }
  return [...found];
}

/** Returns those of the choices that a text has as whole words. */
export function choicesIn(text: string, choices: readonly unknown[]): readonly unknown[] {
  const plain = withoutPlaceholders(text).toLowerCase();
  const exact = choices.filter((choice) => String(choice).toLowerCase() === plain.trim());
  if (exact.length > 0) return exact;
  return choices.filter((choice) => {
    const wanted = String(choice).toLowerCase();
    for (let at = plain.indexOf(wanted); wanted !== '' && at >= 0; at = plain.indexOf(wanted, at + 1)) {
      if (isWhole(plain, at, at + wanted.length)) return true;
    }
    return false;
  });
}

function isWhole(text: string, start: number, end: number): boolean {
  const isPart = (one: string | undefined, other: string | undefined) =>
    /[\p{L}\p{N}_]/u.test(one ?? '') && /[\p{L}\p{N}_]/u.test(other ?? '');
  return !isPart(text[start - 1], text[start]) && !isPart(text[end - 1], text[end]);
}

function findValues(text: string, type: ValueType): readonly Found[] {
  switch (type) {
    case 'date':
      return datesIn(withoutPlaceholders(text), text);
    case 'date-time':
      return timesIn(withoutPlaceholders(text));
    case 'email':
      return [...placeholdersIn(text, 'EMAIL'), ...matchesIn(withoutPlaceholders(text), EMAIL)];
    case 'uri':
      return matchesIn(withoutPlaceholders(text), ADDRESS).map(withoutPunctuation);
    case 'number':
      return numbersIn(withoutPlaceholders(text));
    case 'integer':
      return numbersIn(withoutPlaceholders(text)).filter(
        ({ value }) => value === undefined || Number.isSafeInteger(value),
      );
    case 'boolean': {
      const value = BOOLEANS.get(text.trim().replace(/[.!]$/, '').toLowerCase());
      return value === undefined ? [] : [{ start: 0, end: text.length, value }];
    }
    case 'text': {
      const value = text.trim();
      return value === '' ? [] : [{ start: 0, end: text.length, value }];
    }
  }
}

/** Returns a text of the same length without placeholders: their names have digits. */
function withoutPlaceholders(text: string): string {
  let plain = text;
  for (const { start, end } of readPlaceholders(text)) {
    plain = plain.slice(0, start) + '_'.repeat(end - start) + plain.slice(end);
  }
  return plain;
}

function placeholdersIn(text: string, type: string): readonly Found[] {
  return readPlaceholders(text)
    .filter((each) => each.type === type && each.escapes === 0)
    .map(({ start, end }) => ({ start, end, value: text.slice(start, end) }));
}

function matchesIn(text: string, pattern: RegExp): readonly Found[] {
  return [...text.matchAll(pattern)]
    .slice(0, MAX_FOUND)
    .map(({ 0: value, index }) => ({ start: index, end: index + value.length, value }));
}

/** Signs after an address belong to its sentence. */
function withoutPunctuation({ start, value }: Found): Found {
  let address = String(value).replace(/[.,;:!?*\]]+$/, '');
  while (address.endsWith(')') && !address.includes('(')) address = address.slice(0, -1).replace(/[.,;:!?]+$/, '');
  return { start, end: start + address.length, value: address };
}

function datesIn(text: string, original = text): readonly Found[] {
  const found = [...text.matchAll(NUMERIC_DATE)].map((match): Found => {
    const [whole, year, , month, day, first, separator, second, lastYear] = match;
    const value = year ? dateOf(year, month, day) : dayFirst(first, separator, second, lastYear);
    return { start: match.index, end: match.index + whole.length, value: value === 'none' ? undefined : value };
  });
  const named = (match: RegExpExecArray, year?: string, name?: string, day?: string): readonly Found[] => {
    const month = monthOf(name);
    const value = month === undefined ? 'none' : dateOf(year, month, day);
    return value === 'none' ? [] : [{ start: match.index, end: match.index + match[0].length, value }];
  };
  const byName = [
    ...[...text.matchAll(DAY_MONTH)].flatMap((match) => named(match, match[3], match[2], match[1])),
    ...[...text.matchAll(MONTH_DAY)].flatMap((match) => named(match, match[3], match[1], match[2])),
  ];
  return [...placeholdersIn(original, 'DATE_OF_BIRTH'), ...found, ...byName].slice(0, MAX_FOUND);
}

/** With points, the day is first. With slashes, people of some countries write the month first. */
function dayFirst(first?: string, separator?: string, second?: string, year?: string): string | undefined {
  const readings = new Set([dateOf(year, second, first), ...(separator === '.' ? [] : [dateOf(year, first, second)])]);
  readings.delete('none');
  const [only] = readings;
  return readings.size === 1 ? only : undefined;
}

/** Returns a date in the form of ISO 8601, or `none` if no calendar has it. */
function dateOf(year = '', month: string | number = '', day = ''): string {
  const text = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? 'none' : text;
}

let months: ReadonlyMap<string, number> | undefined;

function monthOf(name = ''): number | undefined {
  months ??= new Map(
    LOCALES.flatMap((locale) =>
      (['long', 'short'] as const).flatMap((style) => {
        const format = new Intl.DateTimeFormat(locale, { month: style, timeZone: 'UTC' });
        return Array.from({ length: 12 }, (_, index): [string, number] => [
          format
            .format(Date.UTC(2024, index, 1))
            .toLowerCase()
            .replace(/\.$/, ''),
          index + 1,
        ]);
      }),
    ),
  );
  return months.get(name.toLowerCase());
}

/** A date with a time. Without an offset in the text, the value has none either. */
function timesIn(text: string): readonly Found[] {
  return datesIn(text).flatMap(({ start, end, value: date }): readonly Found[] => {
    const match = TIME.exec(text.slice(end, end + 60));
    if (match === null) return [];
    const [whole, hours = '', minutes = '', seconds = '00', half, zone = ''] = match;
    const hour = Number(hours);
    const isWrong = Number(minutes) > 59 || Number(seconds) > 59 || (half ? hour < 1 || hour > 12 : hour > 23);
    if (isWrong) return [];
    const ofDay = half ? (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : hour;
    const offset = /[zugUZG]/.test(zone) ? 'Z' : zone.replace(/(\d{2}):?(\d{2})$/, '$1:$2').trim();
    const isNamed = ZONE_NAME.test(text.slice(end + whole.length, end + whole.length + 10));
    const time = `${String(ofDay).padStart(2, '0')}:${minutes}:${seconds}`;
    return [
      { start, end: end + whole.length, value: date === undefined || isNamed ? undefined : `${date}T${time}${offset}` },
    ];
  });
}

/** Returns the numbers outside of dates and times. */
function numbersIn(text: string): readonly Found[] {
  const others = [...datesIn(text), ...timesIn(text)];
  const pointIsDecimal = /\d\.\d{1,2}(?![\d.,])/.test(text);
  const commaIsDecimal = /\d,\d{1,2}(?![\d.,])/.test(text);
  return [...text.matchAll(NUMBER)]
    .slice(0, MAX_FOUND)
    .map((match): Found => {
      const [whole, sign, digits = ''] = match;
      const value = numberOf(digits, { pointIsDecimal, commaIsDecimal });
      const isNegative = sign !== '' && value !== undefined;
      return { start: match.index, end: match.index + whole.length, value: isNegative ? -Number(value) : value };
    })
    .filter(({ start, end }) => !others.some((other) => other.start < end && start < other.end));
}

/** Returns a number, or undefined for one with two readings or more digits than a number has. */
function numberOf(
  written: string,
  { pointIsDecimal, commaIsDecimal }: { readonly pointIsDecimal: boolean; readonly commaIsDecimal: boolean },
): number | undefined {
  const plain = written.replaceAll(/[ '’\u00a0\u202f]/g, '');
  const signs = plain.replaceAll(/\d/g, '');
  const last = signs.at(-1);
  // A sign that occurs twice, or before the other one, groups digits.
  const isGrouping = signs.length > 1 && new Set(signs).size === 1;
  let decimal: string | undefined = isGrouping ? '' : last;
  if (signs.length === 1 && /^[1-9]\d{0,2}[.,]\d{3}$/.test(plain)) {
    if (last === ',') decimal = commaIsDecimal && !pointIsDecimal ? last : '';
    else if (pointIsDecimal === commaIsDecimal) return undefined;
    else decimal = pointIsDecimal ? last : '';
  }
  const [whole = '', fraction] = decimal === undefined || decimal === '' ? [plain] : plain.split(decimal);
  const value = Number(whole.replaceAll(/[.,]/g, '') + (fraction === undefined ? '' : `.${fraction}`));
  return whole.length > 15 && !Number.isSafeInteger(Math.trunc(value)) ? undefined : value;
}
