import type { UsageReport, UserUsage } from './usage-report.ts';

type Value = string | number | undefined;
type Column = readonly [name: string, value: (row: UserUsage) => Value];

const NUMBERS = [
  ...(['at', 'userId', 'executions', 'completed', 'failed', 'stopped', 'cancelled', 'open', 'toolCalls'] as const),
  ...(['toolErrors', 'p50Ms', 'p95Ms', 'directTokens', 'usedTokens', 'savedTokens'] as const),
];
const TASKS = ['inputTokens', 'outputTokens', 'costUsd', 'unpriced'] as const;

/**
 * Returns the usage of each user in each part of the time as CSV. Numbers and tasks are first. Each type of personal data has a column, and
 * so have the calls of each of the most called tools.
 */
export function usageCsv({ byUser, tasks, personalData, tools }: UsageReport): string {
  const columns: readonly Column[] = [
    ...NUMBERS.map((name): Column => [name, (row) => row[name]]),
    ['tasks', (row) => row.tasks.count],
    ...TASKS.map((name): Column => [name, (row) => row.tasks[name]]),
    ['isPartial', () => (tasks.isPartial ? 'true' : '')],
    ...Object.keys(personalData).map((type): Column => [`personalData.${type}`, (row) => row.personalData[type] ?? 0]),
    ...tools.map(({ tool }): Column => [`calls.${tool}`, (row) => callsOf(row, tool)]),
  ];
  const lines = byUser.map((row) => columns.map(([, value]) => cell(value(row))));
  return [columns.map(([name]) => cell(name)), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function callsOf({ tools }: UserUsage, name: string): number {
  return tools.find(({ tool }) => tool === name)?.calls ?? 0;
}

/** Returns a cell. A text that a table program would calculate becomes plain text. */
function cell(value: Value): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
