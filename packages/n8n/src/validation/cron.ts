interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Fields of a cron expression. The first one, seconds, is optional. */
const FIELDS: readonly Field[] = [
  { name: 'second', from: 0, to: 59 },
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of the month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12 },
  { name: 'weekday', from: 0, to: 7 },
];
const PRESETS = /^@(yearly|monthly|weekly|daily|hourly|minutely|secondly|weekdays|weekends)$/;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');
/** Number of days in each month of a leap year. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the problem of a cron expression; undefined when n8n can schedule it. */
export function cronProblem(expression: string): string | undefined {
  const text = expression.toLowerCase();
  if (PRESETS.test(text)) return undefined;
  const numbered = text.replace(/[a-z]{1,3}/g, (name) => String(numberOf(name) ?? name));
  const unknown = /[a-z]+/.exec(numbered)?.[0];
  if (unknown !== undefined) return `"${expression}" has an unknown name "${unknown}"`;
  const parts = numbered.trim().split(/\s+/);
  if (parts[0] === '' || parts.length < 5 || parts.length > 6) {
    return `"${expression}" has ${parts[0] === '' ? 0 : parts.length} fields instead of 5 or 6`;
  }
  const fields = FIELDS.slice(FIELDS.length - parts.length);
  const sets: (readonly number[])[] = [];
  for (const [index, field] of fields.entries()) {
    const values = valuesOf(parts[index] ?? '', field);
    if (typeof values === 'string') return `the ${field.name} of "${expression}" ${values}`;
    sets.push(values);
  }
  return neverProblem(expression, sets.slice(-3));
}

/** Replaces names by numbers. n8n accepts names of months and weekdays in any field. */
function numberOf(name: string): number | undefined {
  if (MONTHS.includes(name)) return MONTHS.indexOf(name) + 1;
  return WEEKDAYS.includes(name) ? WEEKDAYS.indexOf(name) : undefined;
}

/** Returns all values of a field, or its problem as text. */
function valuesOf(text: string, { from, to }: Field): readonly number[] | string {
  const values: number[] = [];
  for (const part of text.split(',')) {
    const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part);
    if (!match) return `cannot be read: "${part}"`;
    const [, first, last, step] = match;
    const low = first === undefined ? from : Number(first);
    const high = last !== undefined ? Number(last) : first === undefined || step !== undefined ? to : low;
    for (const bound of [low, high]) {
      if (bound < from || bound > to) return `is ${bound}, outside ${from} to ${to}`;
    }
    if (low > high) return `runs backwards: "${part}"`;
    if (step !== undefined && Number(step) === 0) return 'has a step of 0';
    for (let value = low; value <= high; value += Number(step ?? 1)) values.push(value);
  }
  return values;
}

/** Returns a problem when no month has the day. A weekday makes it valid: cron needs only one of the two. */
function neverProblem(
  expression: string,
  [days = [], months = [], weekdays = []]: (readonly number[])[],
): string | undefined {
  if (new Set(weekdays.map((day) => day % 7)).size < 7) return undefined;
  const exists = months.some((month) => days.some((day) => day <= (LONGEST[month - 1] ?? 0)));
  return exists ? undefined : `"${expression}" names a day that never comes`;
}
