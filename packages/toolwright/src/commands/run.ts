import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import type { ExecuteOptions, ExecutionResult, Toolwright } from '@toolwright/core';
import { type Output, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import { exitCodeOf } from './command.ts';

export interface RunArguments {
  /** A file, or `-` for standard input. */
  readonly file?: string;
  /** The source of the program, instead of a file. */
  readonly code?: string;
  readonly json: boolean;
  readonly execution: ExecuteOptions;
}

/** Reads the program of `run`. Raises `UsageError` unless exactly one source is given. */
export async function readProgram({ file, code }: Pick<RunArguments, 'file' | 'code'>): Promise<string> {
  if (code !== undefined && file !== undefined) throw new UsageError('Give a file or -e CODE, not both.');
  if (code !== undefined) return code;
  if (file === undefined) throw new UsageError('"run" requires a program: a file, - for standard input, or -e CODE.');
  if (file === '-') return text(process.stdin);
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`Cannot read the program file: ${messageOf(error)}. Correct the path.`);
  });
}

/** Runs a program, prints its result, and returns the exit code. */
export async function run(toolwright: Toolwright, source: string, args: RunArguments, output: Output): Promise<number> {
  const { name, warning } = await toolwright.sandbox(args.execution.language);
  if (warning !== undefined) output.err(`warning: sandbox ${name}: ${warning}`);
  const result = await toolwright.execute(source, {
    ...args.execution,
    ...(args.json ? {} : { onLog: ({ level, text }) => output.err(level === 'info' ? text : `${level}: ${text}`) }),
  });
  if (args.json) output.out(JSON.stringify(result));
  else print(result, output);
  return exitCodeOf(result);
}

function print(result: ExecutionResult, { out, err }: Output): void {
  if (result.status === 'completed') {
    if (typeof result.value === 'string') out(result.value);
    else if (result.value !== undefined) out(JSON.stringify(result.value, null, 2));
    if (result.file)
      err(`The result was shortened. The complete result (${result.file.bytes} bytes) is in ${result.file.hostPath}`);
  } else if (result.status === 'failed') {
    const { error } = result;
    err(`${error.name}: ${error.message}`);
    if (error.stack) err(error.stack);
    if (error.hint) err(`hint: ${error.hint}`);
  } else if (result.status === 'suspended') {
    printSuspended(result, err);
  } else {
    err(`Stopped (${result.limit}): ${result.message}`);
  }
  if (result.stats.droppedLogBytes > 0) err(`Dropped ${result.stats.droppedLogBytes} bytes of logs over the limit.`);
  const unanswered = result.calls.filter(({ status }) => status === 'unanswered').map(({ tool }) => tool);
  if (unanswered.length > 0)
    err(
      `Calls without an answer: ${inspect(unanswered)}. They may have taken effect. Await every call, or raise --timeout-ms.`,
    );
}

function printSuspended(
  { executionId, waitingFor, pending, wakeAt }: Extract<ExecutionResult, { status: 'suspended' }>,
  err: Output['err'],
): void {
  err(`Suspended: execution ${executionId} waits for ${waitingFor.join(', ')}, at the latest until ${wakeAt}.`);
  for (const { call, kind, tool, arguments: args } of pending)
    err(`  call ${call} (${kind}): ${tool} ${JSON.stringify(args)}`);
  if (pending.length > 0) err(`Decide with: toolwright executions approve ${executionId} (or deny).`);
  err(`Continue it with: toolwright executions resume ${executionId}`);
}
