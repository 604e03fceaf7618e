import type { ExecutionStatus, ExecutionSummary, ListedExecution, Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { DEFAULT_PAGE_EXECUTIONS, MAX_PAGE_EXECUTIONS } from '@toolwright/core/internal';
import { asLine, durationText } from '../terminal.ts';
import type { ExecutionsArguments } from './arguments.ts';

const STATUSES: readonly ExecutionStatus[] = [
  ...(['running', 'suspended', 'interrupted', 'completed', 'failed', 'stopped', 'cancelled'] as const),
];
/** Characters of a program, and tools, in the line of an execution. */
const MAX_SHOWN_PROGRAM = 80;
const MAX_SHOWN_TOOLS = 3;

/** Lists executions, newest first: two lines each. */
export async function list(toolwright: Toolwright, args: ExecutionsArguments, output: Output): Promise<number> {
  const { json, userId, status, limit = DEFAULT_PAGE_EXECUTIONS } = args;
  if (limit > MAX_PAGE_EXECUTIONS) throw new UsageError(`--limit takes at most ${MAX_PAGE_EXECUTIONS}, not ${limit}.`);
  const known = STATUSES.find((name) => name === status);
  if (status !== undefined && known === undefined) {
    throw new UsageError(`There is no status "${status}". Use one of: ${STATUSES.join(', ')}.`);
  }
  const executions: ExecutionSummary[] = [];
  let cursor: string | undefined;
  do {
    const rest = limit - executions.length;
    const page = await toolwright.executions.list({ userId, status: known, cursor, limit: rest });
    executions.push(...page.executions);
    cursor = page.nextCursor;
  } while (cursor !== undefined && executions.length < limit);
  if (json) output.out(JSON.stringify({ executions, nextCursor: cursor }));
  else {
    const figures = executions.length === 0 ? new Map() : await figuresOf(toolwright, { userId, status: known, limit });
    for (const found of executions) for (const line of linesOf(found, figures.get(found.id))) output.out(line);
  }
  if (cursor !== undefined && !json) output.err(`There are more: raise --limit, up to ${MAX_PAGE_EXECUTIONS}.`);
  if (executions.length === 0 && !json) output.err('There are no such executions.');
  return EXIT.completed;
}

/** Returns the figures of the newest executions. The index may lack those that it has not read yet. */
async function figuresOf(
  { executions }: Toolwright,
  query: Parameters<Toolwright['executions']['find']>[0],
): Promise<ReadonlyMap<string, ListedExecution>> {
  return new Map((await executions.find(query)).executions.map((found) => [found.id, found]));
}

function linesOf(found: ExecutionSummary, figures: ListedExecution | undefined): string[] {
  const { id, status, startedAt, language, sandbox, sessionId, isDryRun } = found;
  const session = sessionId === undefined ? '' : `, session ${sessionId}`;
  const head = `${id}  ${status}  ${startedAt}  ${language} in ${sandbox}${session}${isDryRun ? ', dry run' : ''}`;
  if (figures === undefined) return [head];
  const { totalMs, error, limit, tools, preview } = figures;
  const more = tools.length > MAX_SHOWN_TOOLS ? ['…'] : [];
  const called = tools.slice(0, MAX_SHOWN_TOOLS).map(({ tool, calls }) => (calls === 1 ? tool : `${tool} ×${calls}`));
  const parts = [
    totalMs === undefined ? undefined : durationText(totalMs),
    error?.code ?? limit,
    [...called, ...more].join(', '),
    shortened(preview.replace(/\s+/g, ' ').trim()),
  ];
  return [head, `  ${asLine(parts.filter(Boolean).join('  '))}`];
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN_PROGRAM ? `${text.slice(0, MAX_SHOWN_PROGRAM - 1)}…` : text;
}
