import type { ExecutionCall, ExecutionRecord, ExecutionResult, Toolwright } from '@toolwright/core';
import { EXIT, type Output } from '@toolwright/core/command';
import { MAX_PAGE_CALLS } from '@toolwright/core/internal';
import { plannedLines } from '../run/planned-calls.ts';
import { nextCommand, originLines, questionText } from '../run/print-result.ts';
import { asLine, durationText } from '../terminal.ts';
import type { ExecutionsArguments } from './arguments.ts';

/** Shows an execution: its program, its calls, its logs, and its result or the reason of its failure. */
export async function show(
  toolwright: Toolwright,
  id: string,
  { json, userId, more, real }: ExecutionsArguments,
  output: Output,
): Promise<number> {
  const execution = await toolwright.executions.get(id, userId);
  const [calls, questions] = await Promise.all([
    callsOf(toolwright, id, userId),
    toolwright.executions.questions(id, userId, { arguments: real ? 'real' : 'redacted' }),
  ]);
  if (json) {
    output.out(JSON.stringify({ ...execution, calls, questions }));
    return EXIT.completed;
  }
  for (const line of [...headLines(execution), ...callLines(execution, calls)]) output.out(line);
  for (const line of execution.result ? resultLines(execution.result) : []) output.out(line);
  for (const question of questions) output.out(questionText(question));
  if (questions.length > 0) output.err(`Decide with: ${nextCommand(id, questions, more)}`);
  else if (execution.status === 'suspended' || (execution.status === 'interrupted' && !execution.isDryRun)) {
    output.err(`Continue it with: toolwright executions resume ${id}${more}`);
  }
  return EXIT.completed;
}

function headLines({
  id,
  status,
  startedAt,
  isDryRun,
  forkedFrom,
  sessionId,
  result,
  source,
}: ExecutionRecord): string[] {
  const parts = [
    ...[id, status, startedAt],
    result === undefined ? undefined : durationText(result.stats.totalMs),
    sessionId === undefined ? undefined : `session ${sessionId}`,
    isDryRun ? 'dry run' : undefined,
    forkedFrom && `forked from ${forkedFrom.id} at call ${forkedFrom.at}`,
  ];
  const program = source.trimEnd().split(/\r?\n/);
  return [parts.filter(Boolean).join('  '), ...program.map((line) => `  | ${asLine(line)}`)];
}

function callLines({ result }: ExecutionRecord, calls: readonly ExecutionCall[]): readonly string[] {
  return result?.dryRun ? plannedLines(result.dryRun.calls) : calls.flatMap(callLine);
}

function callLine({ number, tool, outcome, arguments: given, origins, isInvented, result }: ExecutionCall): string[] {
  const line = `call ${number}  ${isInvented ? 'invented' : outcome}  ${asLine(`${tool} ${JSON.stringify(given)}`)}`;
  const message: unknown = outcome === 'failed' ? Object(result).message : undefined;
  return [line, ...originLines(origins), ...(typeof message === 'string' ? [`  ${asLine(message)}`] : [])];
}

/** Returns the logs of an execution, and its value or the reason why it has none. Each text of the program stays in its line. */
function resultLines(result: ExecutionResult): string[] {
  const logs = result.logs.map(({ level, text }) => `log  ${asLine(level === 'info' ? text : `${level}: ${text}`)}`);
  if (result.status === 'suspended') return logs;
  if (result.status === 'stopped') return [...logs, asLine(`stopped  ${result.limit}: ${result.message}`)];
  if (result.status === 'completed') {
    const value = result.value === undefined ? [] : [asLine(`result  ${JSON.stringify(result.value)}`)];
    const file = result.file ? [`file  ${asLine(result.file.hostPath)} (${result.file.bytes} bytes)`] : [];
    return [...logs, ...value, ...file, ...(result.note === undefined ? [] : [`note  ${asLine(result.note)}`])];
  }
  const { code, name, message, stack, hint } = result.error;
  return [
    ...logs,
    asLine(`error  ${code}  ${name}: ${message}`),
    ...(stack === undefined ? [] : stack.split('\n').map(asLine)),
    ...(hint === undefined ? [] : [asLine(`hint  ${hint}`)]),
  ];
}

async function callsOf(toolwright: Toolwright, id: string, userId: string | undefined): Promise<ExecutionCall[]> {
  const calls: ExecutionCall[] = [];
  for (;;) {
    const page = await toolwright.executions.calls(id, userId, { after: calls.length, limit: MAX_PAGE_CALLS });
    calls.push(...page);
    if (page.length < MAX_PAGE_CALLS) return calls;
  }
}
