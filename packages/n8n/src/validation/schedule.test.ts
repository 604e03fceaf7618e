import { expect, it } from 'vitest';
import { cronProblem, scheduleFindings } from './schedule.ts';
import { readWorkflow } from './workflow.ts';

/** Returns the problem of the schedule of one node. */
function problem(type: string, parameters: object, typeVersion = 1.2): string | undefined {
  const [node] = readWorkflow({
    nodes: [{ name: 'At', type: `n8n-nodes-base.${type}`, typeVersion, parameters }],
  }).nodes;
  return node && scheduleFindings(node, node.parameters)[0]?.message;
}

const interval = (...intervals: object[]) => ({ rule: { interval: intervals } });

it.each([
  ['scheduleTrigger', interval({ field: 'days', triggerAtHour: 9 })],
  ['scheduleTrigger', interval({ field: 'weeks', triggerAtDay: [] }, { field: 'weeks', triggerAtDay: [1, 5] })],
  ['scheduleTrigger', interval({ field: 'months', monthsInterval: 2 }, { field: 'seconds', secondsInterval: 30 })],
  ['scheduleTrigger', interval({ field: 'hours', hoursInterval: 2, triggerAtMinute: '={{ 5 }}' })],
  ['cron', { triggerTimes: { item: [{ mode: 'everyX', unit: 'hours', value: 2 }, { mode: 'everyMinute' }] } }],
  ['gmailTrigger', { pollTimes: { item: [{ mode: 'custom', cronExpression: ' 0 9 * * * ' }] } }],
  ['noOp', {}],
])('%s is scheduled: %j', (type, parameters) => expect(problem(type, parameters)).toBeUndefined());

it.each([
  ['scheduleTrigger', {}, 'no list of intervals'],
  ['scheduleTrigger', interval({ field: 'days', triggerAtHour: 24 }), 'the hour'],
  ['scheduleTrigger', interval({ field: 'weeks', triggerAtDay: 'monday' }), 'not a list of weekdays'],
  ['scheduleTrigger', interval({ field: 'minutes', minutesInterval: 0 }), 'step of 0'],
  ['scheduleTrigger', interval({ field: 'cronExpression', expression: 5 }), 'not a string'],
  ['scheduleTrigger', interval({ field: 'years' }), 'unknown name'],
  ['cron', { triggerTimes: { item: [{ mode: 'everyDay', hour: 25, minute: 0 }] } }, 'outside 0 to 23'],
  ['gmailTrigger', { pollTimes: { item: [{ mode: 'custom', cronExpression: '* * * * * *' }] } }, 'once a minute'],
])('%s is not: %j', (type, parameters, message) => expect(problem(type, parameters)).toContain(message));

it('checks ranges in the same versions as n8n', () => {
  const seconds = interval({ field: 'seconds', secondsInterval: 0.5 });
  expect(problem('scheduleTrigger', seconds, 1.3)).toContain('outside 1 to 59');
  const days = interval({ field: 'days', daysInterval: 40 });
  expect(problem('scheduleTrigger', days, 1.2)).toBeUndefined();
  expect(problem('scheduleTrigger', days, 1.3)).toContain('outside 1 to 31');
});

it.each([
  '* * * * *',
  '0 9 * * 1-5',
  '*/10 * * * * *',
  '30 4 1,15 * 5',
  '0 0 1 jan mon-fri',
  '@daily',
  '0 22 * * sun',
  '5/15 * * * *',
  '0 0 31 2 1',
  '0 0 29 feb *',
  '0 9 * * 0-7',
])('%s is valid', (expression) => expect(cronProblem(expression)).toBeUndefined());

it.each([
  ['', '0 fields'],
  ['* * * *', '4 fields'],
  ['61 * * * *', 'outside 0 to 59'],
  ['* * * foo *', 'unknown name "foo"'],
  ['0 obj */1 * * *', 'unknown name "obj"'],
  ['* 5-2 * * *', 'runs backwards'],
  ['*/0 * * * *', 'step of 0'],
  ['a-b * * * *', 'unknown name'],
  ['0 9 ? * *', 'cannot be read'],
  ['0 9 * * monday', 'unknown name "day"'],
  ['@midnight', 'unknown name'],
  ['0 0 31 4,6 *', 'never comes'],
])('%s is invalid: %s', (expression, problem) => expect(cronProblem(expression)).toContain(problem));
