import type { CallDifference, ComparedCall, ComparedOutcome, ExecutionDiff, Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { asLine } from '../terminal.ts';
import type { ExecutionsArguments } from './arguments.ts';

/** Runs `toolwright executions diff`. Returns the exit code: like `diff`, 1 for a difference. */
export async function diff(
  toolwright: Toolwright,
  before: string,
  { words, json, userId }: ExecutionsArguments,
  output: Output,
): Promise<number> {
  const [, , after] = words;
  if (after === undefined) throw new UsageError('"executions diff" requires the ids of two executions.');
  const found = await toolwright.executions.diff(before, after, userId);
  if (json) output.out(JSON.stringify(found));
  else for (const line of linesOf(found)) output.out(asLine(line));
  return found.status === 'identical' ? EXIT.completed : EXIT.guestFailed;
}

function linesOf({ status, calls, logs, outcome }: ExecutionDiff): string[] {
  if (status === 'identical') return ['Identical: the calls, their answers, the logs and the outcome.'];
  return [
    ...calls.flatMap(callLines),
    ...logs.map(({ change, level, text }) => `${change === 'removed' ? '-' : '+'} log ${level}: ${text}`),
    ...(outcome ? [`- ${outcomeText(outcome.before)}`, `+ ${outcomeText(outcome.after)}`] : []),
  ];
}

function callLines(difference: CallDifference): string[] {
  if (difference.change === 'removed') return [`- ${callText(difference.before)}`];
  if (difference.change === 'added') return [`+ ${callText(difference.after)}`];
  return [`- ${callText(difference.before)}`, `+ ${callText(difference.after)}`];
}

function callText({
  number,
  tool,
  arguments: args,
  argumentBytes,
  outcome,
  result,
  resultBytes,
}: ComparedCall): string {
  const answer = outcome === 'unanswered' ? '' : ` ${valueText(result, resultBytes)}`;
  return `call ${number}  ${tool} ${valueText(args, argumentBytes)} ${outcome}${answer}`;
}

function valueText(value: unknown, bytes = 0): string {
  return JSON.stringify(value) ?? `(${bytes} bytes)`;
}

function outcomeText({ status, value, error }: ComparedOutcome): string {
  if (error) return `${status}  ${error.code}: ${error.message}`;
  return value === undefined ? status : `${status}  ${JSON.stringify(value)}`;
}
