import type { Toolwright } from '@toolwright/core';
import { type Output, UsageError } from '@toolwright/core/command';
import { exitCodeOf, jsonOf } from '../command.ts';
import { approvalAnnouncer } from '../run/approval-prompt.ts';
import { printResult } from '../run/print-result.ts';
import { readProgram } from '../run/read-program.ts';
import type { ExecutionsArguments } from './arguments.ts';

/** Runs `toolwright executions fork`. Returns the exit code. */
export async function fork(
  toolwright: Toolwright,
  id: string,
  args: ExecutionsArguments,
  output: Output,
): Promise<number> {
  const { at, source, answer, userId, signal, json, more } = args;
  if (at === undefined) throw new UsageError('"executions fork" requires --at N: the last call to repeat, 0 for none.');
  const announcer = approvalAnnouncer(json ? () => undefined : output.err, more);
  const result = await toolwright.executions.fork(id, {
    at,
    userId,
    code: source === undefined ? undefined : await readProgram({ file: source }),
    answer: answer === undefined ? undefined : jsonOf('answer', answer),
    signal,
    onApproval: announcer.onApproval,
  });
  if (json) output.out(JSON.stringify(result));
  else {
    printResult(result, output, { more, announced: announcer.announced });
    output.err(`Forked at call ${at} as execution ${result.executionId}.`);
  }
  return exitCodeOf(result);
}
