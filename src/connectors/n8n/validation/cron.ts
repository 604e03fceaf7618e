/** Ranges of a cron expression's fields: second, minute, hour, day, month, weekday. The first may be left out. */
const FIELDS: readonly {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly names?: string;
}[] = [
  { name: 'second', from: 0, to: 59 },
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of the month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec' },
  { name: 'weekday', from: 0, to: 7, names: 'sun mon tue wed thu fri sat' },
];
const PRESETS = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|minutely|secondly|weekdays|weekends)$/;

/** What is wrong with a cron expression; undefined when n8n can schedule it. */
export function cronProblem(expression: string): string | undefined {
  const text = expression.trim().toLowerCase();
  if (PRESETS.test(text)) return undefined;
  const parts = text.split(/\s+/);
  if (text === '' || parts.length < 5 || parts.length > 6) {
    return `"${expression}" has ${text === '' ? 0 : parts.length} fields; it takes 5 or 6`;
  }
  const fields = FIELDS.slice(FIELDS.length - parts.length);
  for (const [index, field] of fields.entries()) {
    const problem = parts[index]
      ?.split(',')
      .map((part) => partProblem(part, field))
      .find((found) => found !== undefined);
    if (problem !== undefined) return `the ${field.name} of "${expression}" ${problem}`;
  }
  return undefined;
}

function partProblem(part: string, field: (typeof FIELDS)[number]): string | undefined {
  const names = field.names?.split(' ') ?? [];
  const text = part.replace(/[a-z]{1,3}/g, (name) =>
    names.includes(name) ? String(names.indexOf(name) + field.from) : name,
  );
  const alias = /[a-z]+/.exec(text);
  if (alias) return `has an unknown name "${alias[0]}"`;
  const match = /^(?:\*|\?|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(text);
  if (!match) return `cannot be read: "${part}"`;
  const [, low, high, step] = match;
  for (const bound of [low, high]) {
    if (bound !== undefined && (Number(bound) < field.from || Number(bound) > field.to))
      return `is ${bound}, outside ${field.from} to ${field.to}`;
  }
  if (low !== undefined && high !== undefined && Number(low) > Number(high)) return `runs backwards: "${part}"`;
  return step === '0' ? 'has a step of 0' : undefined;
}
