import { isObject, shown } from '../json.ts';
import { cronProblem } from './cron.ts';
import type { Finding } from './finding.ts';
import type { WorkflowNode } from './workflow.ts';

const SCHEDULE = 'n8n-nodes-base.scheduleTrigger';

/** What n8n cannot schedule about a schedule trigger, whose parameters have their defaults already. */
export function scheduleFindings(node: WorkflowNode, parameters: Readonly<Record<string, unknown>>): Finding[] {
  if (node.type !== SCHEDULE || node.disabled) return [];
  const rule = isObject(parameters.rule) ? parameters.rule : {};
  const intervals = Array.isArray(rule.interval) ? rule.interval.filter(isObject) : [];
  return intervals.flatMap((interval, index) => {
    const problem = intervalProblem(interval);
    if (problem === undefined) return [];
    const path = `parameters.rule.interval[${index}]`;
    const fix =
      'Use {"field": "cronExpression", "expression": "0 9 * * 1-5"}, or numbers for the parts of the interval.';
    return [
      { code: 'CRON_SYNTAX' as const, node: node.name, path, message: `n8n cannot schedule this: ${problem}.`, fix },
    ];
  });
}

/** The parts of an interval that n8n writes into a cron expression. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  seconds: ['secondsInterval'],
  minutes: ['minutesInterval'],
  hours: ['hoursInterval', 'triggerAtMinute'],
  days: ['triggerAtMinute', 'triggerAtHour'],
  weeks: ['triggerAtMinute', 'triggerAtHour'],
  months: ['triggerAtMinute', 'triggerAtHour', 'triggerAtDayOfMonth', 'monthsInterval'],
};

function intervalProblem(interval: Readonly<Record<string, unknown>>): string | undefined {
  if (interval.field === 'cronExpression') {
    const { expression } = interval;
    if (typeof expression !== 'string') return `expression is ${shown(expression)}, not a text`;
    return expression.startsWith('=') ? undefined : cronProblem(expression);
  }
  for (const part of PARTS[String(interval.field)] ?? []) {
    const value = interval[part];
    if (value === undefined || value === null || (typeof value === 'string' && value.startsWith('='))) continue;
    if (typeof value === 'object' || !/^\d+$/.test(String(value)))
      return `${part} is ${shown(value)}, not a whole number`;
  }
  return undefined;
}
