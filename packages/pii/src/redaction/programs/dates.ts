import { PiiError } from '../../errors.ts';
import { mayDerive } from '../../policy/policy.ts';
import type { Known } from '../../vault/vault.ts';
import { partsOf } from './parts.ts';
import { isoDate } from './text-transforms.ts';
import { admit, type TransformOptions } from './transform.ts';

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365.25;
/** Shorter spans would show the date. */
const MIN_SPAN_MS = 365 * DAY_MS;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
};

/** Returns whether each date is before (-1), at (0) or after (1) a time. Raises `PII_DENIED`. */
export async function sinceTime(known: readonly Known[], [time]: readonly unknown[], options: TransformOptions) {
  const at = Date.parse(String(time));
  const dates = known.map(timeOf);
  if (Number.isNaN(at) || dates.includes(Number.NaN)) return undefined;
  const areDays = dates.every((date) => date % DAY_MS === 0) && at % DAY_MS !== 0;
  await admit(
    'pii.age',
    known,
    JSON.stringify(['since', areDays ? dayCondition(Math.floor(at / DAY_MS)) : at]),
    options,
  );
  return dates.map((date) => Math.sign(date - at));
}

/** Returns the whole spans of at least a year between each date and a time, both in milliseconds. Raises `PII_DENIED`. */
export async function spansUntil(known: readonly Known[], [time, span]: readonly unknown[], options: TransformOptions) {
  const [until, length] = [Number(time), Number(span)];
  const dates = known.map(timeOf);
  const isYear =
    Number.isFinite(until) &&
    length >= MIN_SPAN_MS &&
    known.every(({ type }) => mayDerive(options.policy, type, 'year'));
  if (!isYear || dates.includes(Number.NaN)) return undefined;
  await admit('pii.age', known, JSON.stringify(['age', dayCondition(Math.floor(until / DAY_MS)), length]), options);
  return dates.map((date) => Math.floor((until - date) / length));
}

/** Returns whether the month or day of each date is before, or equal to, a number. Raises `PII_DENIED`. */
export async function comparedPart(
  known: readonly Known[],
  [part, operator, number]: readonly unknown[],
  options: TransformOptions,
) {
  const compare = COMPARISONS[String(operator)];
  const from = part === 'month' ? 'YYYY-'.length : 'YYYY-MM-'.length;
  const dates = known.map((one) => (one.type === 'DATE_OF_BIRTH' ? isoDate(one.spellings[0].text) : null));
  if (!compare || dates.includes(null)) return undefined;
  const today = new Date().toISOString().slice(from, from + 2);
  const isToday = operator === '==' && Number(today) === Number(number);
  await admit('pii.age', known, JSON.stringify(['date', part, operator, isToday ? 'today' : number]), options);
  return dates.map((date) => compare(Number(date?.slice(from, from + 2)), Number(number)));
}

/** Returns placeholders of dates in another format of `strftime`. */
export async function formattedDates(known: readonly Known[], [format]: readonly unknown[], options: TransformOptions) {
  const pattern = String(format);
  if (/%[^YmdyBb%]/.test(pattern))
    throw new PiiError('INVALID_ARGUMENTS', 'Not all directives of the format are known.');
  const cut = (text: string) => {
    const [year = '', month = '', day = ''] = isoDate(text)?.split('-') ?? [];
    const name = MONTHS[Number(month) - 1] ?? '';
    const parts: Record<string, string> = {
      Y: year,
      m: month,
      d: day,
      y: year.slice(2),
      B: name,
      b: name.slice(0, 3),
      '%': '%',
    };
    return year && pattern.replaceAll(/%(.)/g, (_, letter: string) => parts[letter] ?? '');
  };
  return partsOf(known, cut, ['format', pattern], options);
}

/**
 * Returns the condition of a day: today, or whole years before it, is the same one tomorrow. So a program that runs each day asks for the age
 * once, as `pii.age(born)` does.
 */
function dayCondition(day: number): number | string {
  const ago = Math.floor(Date.now() / DAY_MS) - day;
  const fromYears = Math.abs(ago - Math.round(ago / YEAR_DAYS) * YEAR_DAYS);
  return ago >= 0 && fromYears <= 1 ? `today-${ago}` : day;
}

/** Returns the time of a date of birth, as `Date.parse` reads it. */
function timeOf({ type, spellings: [{ text }] }: Known): number {
  return type === 'DATE_OF_BIRTH' ? Date.parse(text) : Number.NaN;
}
