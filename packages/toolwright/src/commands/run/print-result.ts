import { inspect } from 'node:util';
import type { ExecutionResult, PendingQuestion, PlannedCall, StopLimit } from '@toolwright/core';
import type { Output } from '@toolwright/core/command';
import { keptLines } from '@toolwright/core/internal';
import { asLine } from '../terminal.ts';
import { plannedLines, plannedSummary } from './planned-calls.ts';
import { detailLines } from './question-details.ts';

/** How a person allows more. A model receives the message without it: it cannot change a limit. */
const OPTIONS: Readonly<Partial<Record<StopLimit, string>>> = {
  timeout: '--timeout-ms, or limits.timeoutMs',
  memory: '--memory-mb, or limits.memoryBytes',
  toolCalls: 'limits.toolCalls',
};

export interface PrintOptions {
  /** Options of the commands that the output names, such as ` --user ann`. */
  readonly more?: string;
  /** Calls whose questions are on the screen already. */
  readonly announced?: ReadonlySet<number>;
}

/** Prints the result of an execution: its value on `out`, all else on `err`. */
export function printResult(
  result: ExecutionResult,
  { out, err }: Output,
  { more = '', announced = new Set() }: PrintOptions = {},
): void {
  if (result.status === 'completed') {
    if (typeof result.value === 'string') out(result.value);
    else if (result.value !== undefined) out(JSON.stringify(result.value, null, 2));
    for (const line of keptLines(result)) err(asLine(line));
    for (const { path, mimeType, hostPath } of result.media ?? [])
      err(asLine(`shown: ${path} (${mimeType}), in ${hostPath}`));
    if (result.file)
      err(`The result was shortened. The complete result (${result.file.bytes} bytes) is in ${result.file.hostPath}`);
    if (result.note !== undefined) err(`note: ${result.note}`);
  } else if (result.status === 'failed') {
    const { error } = result;
    err(`${error.name}: ${error.message}`);
    if (error.stack) err(error.stack);
    if (error.hint) err(`hint: ${error.hint}`);
  } else if (result.status === 'suspended') {
    printSuspended(result, err, more, announced);
  } else {
    err(`Stopped (${result.limit}): ${result.message}`);
    const option = OPTIONS[result.limit];
    if (option !== undefined) err(`To allow more, use ${option} in the configuration.`);
  }
  if (result.dryRun) printDryRun(result, result.dryRun.calls, err, more);
  if (result.stats.droppedLogBytes > 0) err(`Dropped ${result.stats.droppedLogBytes} bytes of logs over the limit.`);
  const unanswered = result.calls.filter(({ status }) => status === 'unanswered').map(({ tool }) => tool);
  if (unanswered.length > 0 && result.status !== 'suspended')
    err(
      `Calls without an answer: ${inspect(unanswered)}. They may have taken effect. Await every call, or raise --timeout-ms.`,
    );
}

function printDryRun(
  { executionId, status }: ExecutionResult,
  calls: readonly PlannedCall[],
  err: Output['err'],
  more: string,
): void {
  for (const line of plannedLines(calls)) err(line);
  err(`Dry run ${executionId} made ${plannedSummary(calls)}`);
  if (status !== 'completed') return;
  err(`Approve it with: toolwright executions approve ${executionId}${more} (or deny)`);
  err(approvedCommand(executionId));
}

/** Returns how to run the program of an approved dry run. */
export function approvedCommand(id: string): string {
  return `Then run the same program in the same session, once: toolwright run … --approved ${id}`;
}

function printSuspended(
  { executionId, waitingFor, pending, wakeAt }: Extract<ExecutionResult, { status: 'suspended' }>,
  err: Output['err'],
  more: string,
  announced: ReadonlySet<number>,
): void {
  err(`Suspended: execution ${executionId} waits for ${waitingFor.join(', ')}, at the latest until ${wakeAt}.`);
  for (const question of pending) if (!announced.has(question.call)) err(questionText(question));
  const resume = `toolwright executions resume ${executionId}${more}`;
  if (!pending.every(({ call }) => announced.has(call))) err(`Decide with: ${nextCommand(executionId, pending, more)}`);
  const isContinued = pending.length > 0 && pending.every(({ kind }) => kind === 'approval');
  err(isContinued ? `An approval continues it. After a denial: ${resume}` : `Then continue it with: ${resume}`);
}

/** Returns a question as data: hostile text stays in its line, and moves no cursor. */
export function questionText(question: PendingQuestion): string {
  const { call, kind, tool, rule, origins, arguments: args, expiresAt } = question;
  const asks = rule === undefined ? '' : `, by ${asLine(rule)}`;
  const head = `call ${call}  asks for ${kind}${asks}, until ${expiresAt}\n  ${asLine(`${tool} ${JSON.stringify(args)}`)}`;
  return [head, ...originLines(origins), ...detailLines(question)].join('\n');
}

/** Returns the lines that say where arguments came from. */
export function originLines(origins: PendingQuestion['origins'] = []): string[] {
  return origins.map(({ argument, kind, from, isSuspicious }) =>
    asLine(`  ${isSuspicious ? '!' : ' '} ${argument} (${kind}): ${from}`),
  );
}

/** Returns the command that decides about open questions. */
export function nextCommand(id: string, questions: readonly PendingQuestion[], more = ''): string {
  const unknown = questions.find(({ kind }) => kind === 'outcome');
  if (unknown)
    return `toolwright executions outcome ${id} --call ${unknown.call} --result JSON${more} (or --resend, --fail)`;
  const [first] = questions;
  if (first && first.kind !== 'approval') {
    const { call, kind, details } = first;
    const isPage = kind === 'authorization' || Object(details).mode === 'url';
    return `toolwright executions answer ${id} --call ${call}${isPage ? '' : ' --answer JSON'}${more} (or --decline, --cancel)`;
  }
  return `toolwright executions approve ${id}${more} (or deny)`;
}
