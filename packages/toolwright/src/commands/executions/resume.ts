import type { Toolwright } from '@toolwright/core';
import type { Output } from '@toolwright/core/command';
import { exitCodeOf } from '../command.ts';
import { approvalAnnouncer } from '../run/approval-prompt.ts';
import { printResult } from '../run/print-result.ts';
import type { ExecutionsArguments } from './arguments.ts';

/** Continues an execution, and prints its result. Questions stay open: another command decides about them. */
export async function resume(
  toolwright: Toolwright,
  id: string,
  { json, userId, signal, more }: ExecutionsArguments,
  output: Output,
): Promise<number> {
  const announcer = approvalAnnouncer(json ? () => undefined : output.err, more);
  const result = await toolwright.executions.resume(id, { userId, signal, onApproval: announcer.onApproval });
  if (json) output.out(JSON.stringify(result));
  else printResult(result, output, { more, announced: announcer.announced });
  return exitCodeOf(result);
}
