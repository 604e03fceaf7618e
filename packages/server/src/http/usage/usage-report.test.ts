import type { ListedExecution } from '@toolwright/core';
import { expect, test } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import type { Task, Tasks } from '../../agent/task.ts';
import { usageCsv } from './usage.ts';
import { usageReport } from './usage-report.ts';

const DAY_MS = 24 * 60 * 60_000;
const START = Date.parse('2026-03-01T00:00:00Z');
const at = (day: number) => new Date(START + day * DAY_MS).toISOString();

const execution = (userId: string, day: number, more: Partial<ListedExecution> = {}) =>
  ({
    userId,
    startedAt: at(day),
    status: 'completed',
    tools: [],
    toolCalls: 0,
    toolErrors: 0,
    ...more,
  }) as ListedExecution;
const task = (userId: string, day: number, costUsd?: number) =>
  ({
    id: `${userId}-${day}`,
    userId,
    createdAt: at(day),
    usage: { steps: 1, inputTokens: 10, outputTokens: 1, ...(costUsd === undefined ? {} : { costUsd }) },
  }) as Task;

const report = (found: readonly ListedExecution[], tasks: readonly Task[]) => {
  async function* scan() {
    yield [...found];
  }
  const list: Tasks['list'] = async (user, { limit = 50, before } = {}) => {
    const own = tasks.filter(({ userId }) => userId === user);
    const start = own.findIndex(({ id }) => id === before) + 1;
    return own.slice(start, start + limit);
  };
  return usageReport(
    { executions: partial({ scan }), tasks: { list } as Tasks },
    { fromMs: START, toMs: START + 7 * DAY_MS, bucket: 'day', subjects: { all: true } },
  );
};

test('each user and day has its tasks, tools and personal data, also a day with tasks only', async () => {
  const tools = [{ tool: 'crm__find', calls: 3, failed: 0 }];
  const made = await report(
    [execution('ada', 1, { tools, personalData: { EMAIL: 2 } }), execution('bob', 1, { personalData: { IBAN: 1 } })],
    [task('ada', 2, 0.5), task('ada', 1, 0.25), task('ada', -1, 9), task('bob', 1)],
  );
  expect(made.tasks).toEqual({ count: 3, inputTokens: 30, outputTokens: 3, costUsd: 0.75, unpriced: 1 });
  expect(made.byUser).toMatchObject([
    { at: at(1), userId: 'ada', executions: 1, tasks: { count: 1, costUsd: 0.25 }, personalData: { EMAIL: 2 }, tools },
    {
      at: at(1),
      userId: 'bob',
      executions: 1,
      tasks: { count: 1, costUsd: 0, unpriced: 1 },
      personalData: { IBAN: 1 },
    },
    { at: at(2), userId: 'ada', executions: 0, tasks: { count: 1, costUsd: 0.5 }, personalData: {}, tools: [] },
  ]);
  const [names, ...lines] = usageCsv(made).trim().split('\r\n');
  expect(names).toMatch(
    /,tasks,inputTokens,outputTokens,costUsd,unpriced,isPartial,personalData.EMAIL,personalData.IBAN,calls.crm__find$/,
  );
  expect(lines.map((line) => line.split(',').slice(-9).join())).toEqual([
    '1,10,1,0.25,0,,2,0,3',
    '1,10,1,0,1,,0,1,0',
    '1,10,1,0.5,0,,0,0,0',
  ]);
});

test('a tool has the time of its answered calls over all executions, and none without an answer', async () => {
  const slow = { tool: 'crm__slow', calls: 19, failed: 0, times: { 3: 19 } };
  const once = { tool: 'crm__slow', calls: 2, failed: 1, times: { 1200: 1 } };
  const never = { tool: 'crm__never', calls: 1, failed: 1 };
  const made = await report(
    [execution('ada', 1, { tools: [slow] }), execution('bob', 2, { tools: [once, never] })],
    [],
  );
  expect(made.tools).toEqual([{ tool: 'crm__slow', calls: 21, failed: 1, p50Ms: 3, p95Ms: 3 }, never]);
  const more = await report([execution('ada', 1, { tools: [slow, once, once] })], []);
  expect(more.tools).toMatchObject([{ p50Ms: 3, p95Ms: 1200 }]);
});

test('a report of too many tasks is marked as a part, also in each line of the CSV', async () => {
  const made = await report(
    [execution('ada', 1)],
    Array.from({ length: 1_001 }, (_, each) => ({ ...task('ada', 1, 0.001), id: `task ${each}` })),
  );
  expect([made.tasks.count, made.tasks.isPartial]).toEqual([1_000, true]);
  expect(usageCsv(made)).toMatch(/,1000,10000,1000,[\d.]+,0,true\r\n$/);
});

test('a name that a table program would calculate is a text', async () => {
  const made = await report([execution('=1+1', 1, { tools: [{ tool: '@sum,"x"', calls: 1, failed: 0 }] })], []);
  const csv = usageCsv(made);
  expect([csv.includes(",'=1+1,1,"), csv.includes('"calls.@sum,""x"""')]).toEqual([true, true]);
});

test('failures have their cause, most frequent first', async () => {
  const failed = (code: string) =>
    execution('ada', 1, { status: 'failed', error: { code } as ListedExecution['error'] });
  const stopped = execution('bob', 2, { status: 'stopped', limit: 'timeout' });
  const found = [execution('ada', 1), failed('TOOL_FAILED'), failed('SYNTAX'), failed('TOOL_FAILED'), stopped];
  expect((await report(found, [])).failures).toEqual([
    { status: 'failed', code: 'TOOL_FAILED', executions: 2 },
    { status: 'failed', code: 'SYNTAX', executions: 1 },
    { status: 'stopped', code: 'timeout', executions: 1 },
  ]);
});
