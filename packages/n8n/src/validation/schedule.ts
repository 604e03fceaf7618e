import { isObject, type JsonObject, shown } from '../json.ts';
import { cronProblem } from './cron.ts';
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
