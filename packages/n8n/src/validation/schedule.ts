import { isObject, type JsonObject, shown } from '../json.ts';
import type { Finding } from './finding.ts';
import type { WorkflowNode } from './workflow.ts';

const SCHEDULE = 'n8n-nodes-base.scheduleTrigger';
const CRON = 'n8n-nodes-base.cron';
/** First version of the schedule trigger whose interval ranges n8n checks. */
const RANGES_SINCE = 1.3;
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  seconds: [1, 59],
  minutes: [1, 59],
  hours: [1, 23],
  days: [1, 31],
  months: [1, Number.POSITIVE_INFINITY],
};

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

/** Returns the schedules of a node that n8n rejects. The node's parameters must hold the defaults. */
export function scheduleFindings(node: WorkflowNode, parameters: JsonObject): Finding[] {
  if (node.disabled) return [];
  if (node.type === SCHEDULE) {
    const { interval } = isObject(parameters.rule) ? parameters.rule : {};
    if (!Array.isArray(interval)) return [finding(node, 'parameters.rule', 'it has no list of intervals')];
    return problems(node, 'rule.interval', interval, (each) => intervalProblem(each, node.typeVersion ?? RANGES_SINCE));
  }
  if (node.type === CRON) return problems(node, 'triggerTimes.item', itemsOf(parameters.triggerTimes), timeProblem);
  return problems(node, 'pollTimes.item', itemsOf(parameters.pollTimes), pollProblem);
}

function itemsOf(times: unknown): readonly unknown[] {
  return isObject(times) && Array.isArray(times.item) ? times.item : [];
}

function problems(
  node: WorkflowNode,
  path: string,
  times: readonly unknown[],
  problemOf: (time: JsonObject) => string | undefined,
): Finding[] {
  return times.flatMap((time, index) => {
    // Only the execution knows the value of an expression.
    if (!isObject(time) || Object.values(time).some((value) => String(value).startsWith('='))) return [];
    const problem = problemOf(time);
    return problem === undefined ? [] : [finding(node, `parameters.${path}[${index}]`, problem)];
  });
}

function finding({ name }: WorkflowNode, path: string, problem: string): Finding {
  const fix = 'Use numbers in range for the parts of an interval, or a cron expression such as "0 9 * * 1-5".';
  return { code: 'CRON_SYNTAX', node: name, path, message: `n8n cannot schedule this: ${problem}.`, fix };
}

function intervalProblem(interval: JsonObject, version: number): string | undefined {
  const field = String(interval.field);
  const part = `${field}Interval`;
  const [least, most] = RANGES[field] ?? [];
  const size = Number(interval[part]);
  if (version >= RANGES_SINCE && least !== undefined && most !== undefined && (size < least || size > most))
    return `${part} is ${shown(interval[part])}, outside ${least} to ${most}`;
  const { triggerAtDay: days, expression } = interval;
  if (field === 'weeks' && !Array.isArray(days)) return `triggerAtDay is ${shown(days)}, not a list of weekdays`;
  return field === 'cronExpression' ? expressionProblem(expression) : cronProblem(intervalCron(field, interval));
}

/** Returns the cron expression that n8n builds from an interval. For parts that n8n chooses at random, the minimum is used. */
function intervalCron(field: string, interval: JsonObject): string {
  const { triggerAtMinute: minute = 0, triggerAtHour: hour = 0, triggerAtDayOfMonth: day = 1 } = interval;
  switch (field) {
    case 'seconds':
      return `*/${interval.secondsInterval} * * * * *`;
    case 'minutes':
      return `0 */${interval.minutesInterval} * * * *`;
    case 'hours':
      return `0 ${minute ?? 0} */${interval.hoursInterval} * * *`;
    case 'days':
      return `0 ${minute ?? 0} ${hour ?? 0} * * *`;
    case 'weeks':
      return `0 ${minute ?? 0} ${hour ?? 0} * * ${String(interval.triggerAtDay) || '*'}`;
    default:
      return `0 ${minute ?? 0} ${hour ?? 0} ${day ?? 1} */${interval.monthsInterval} *`;
  }
}

function pollProblem(time: JsonObject): string | undefined {
  const isCustom = time.mode === 'custom' && typeof time.cronExpression === 'string';
  const [first = ''] = isCustom ? String(time.cronExpression).trim().split(' ') : [];
  return first.includes('*') ? 'n8n polls at most once a minute' : timeProblem(time);
}

function timeProblem(time: JsonObject): string | undefined {
  const written = timeCron(time);
  return written === undefined ? expressionProblem(time.cronExpression, true) : cronProblem(written);
}

/** Returns the cron expression that n8n builds from a time; undefined when the time holds one. */
function timeCron({ mode, unit, value, minute, hour, weekday, dayOfMonth }: JsonObject): string | undefined {
  switch (`${mode}${mode === 'everyX' ? ` ${unit}` : ''}`) {
    case 'everyMinute':
      return '0 * * * * *';
    case 'everyHour':
      return `0 ${minute} * * * *`;
    case 'everyX minutes':
      return `0 */${value} * * * *`;
    case 'everyX hours':
      return `0 0 */${value} * * *`;
    case 'everyDay':
      return `0 ${minute} ${hour} * * *`;
    case 'everyWeek':
      return `0 ${minute} ${hour} * * ${weekday}`;
    case 'everyMonth':
      return `0 ${minute} ${hour} ${dayOfMonth} * *`;
    default:
      return undefined;
  }
}

function expressionProblem(expression: unknown, isTrimmed = false): string | undefined {
  if (typeof expression !== 'string') return `its cron expression is ${shown(expression)}, not a string`;
  return cronProblem(isTrimmed ? expression.trim() : expression);
}

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
