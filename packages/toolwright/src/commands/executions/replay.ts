import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output } from '@toolwright/core/command';
import { asLine } from '../terminal.ts';
import type { ExecutionsArguments } from './arguments.ts';

/** Runs `toolwright executions replay`. Returns the exit code. */
export async function replay(
  toolwright: Toolwright,
  id: string,
  { json, userId }: ExecutionsArguments,
  output: Output,
) {
  const replayed = await toolwright.executions.replay(id, userId);
  const isSame = replayed.status === 'identical';
  if (json) output.out(JSON.stringify(replayed));
  else if (replayed.status === 'identical')
    output.out(`Identical: ${replayed.requests} requests, the logs and the result.`);
  else {
    const { request, expected, actual, line } = replayed.difference;
    const places = [
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(request === undefined ? [] : [`request ${request}`]),
    ];
    const where = places.length === 0 ? '' : ` at ${places.join(', ')}`;
    output.out(asLine(`Different${where}: recorded ${expected}, now ${actual}.`));
  }
  if (replayed.note !== undefined && !json) output.out(asLine(replayed.note));
  return isSame ? EXIT.completed : EXIT.guestFailed;
}
