import type { ExecutionResult, KeptReport } from './result.ts';

/** Names in a line. */
const MAX_NAMED = 20;

/** Returns the lines of an answer about kept values: `kept: orders (DataFrame 1,204 × 8), total (float)`, and those that were not kept. */
export function keptLines(result: ExecutionResult): string[] {
  if (result.status !== 'completed' || !result.kept) return [];
  const { values, problems }: KeptReport = result.kept;
  return [
    ...line(
      'kept',
      values.map(({ name, type }) => `${name} (${type})`),
    ),
    ...line(
      'not kept',
      problems.map(({ name, problem }) => `${name} (${problem})`),
    ),
  ];
}

function line(label: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  const more = texts.length > MAX_NAMED ? `, and ${texts.length - MAX_NAMED} more` : '';
  return [`${label}: ${texts.slice(0, MAX_NAMED).join(', ')}${more}`];
}
