import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output } from '@toolwright/core/command';
import { redactedFor } from '../redacted.ts';
import { asLine } from '../terminal.ts';

/** Prints each server that could not list, unless one server was named: its error was raised. Returns the exit code. */
export async function reportProblems(
  toolwright: Toolwright,
  server: string | undefined,
  output: Output,
): Promise<number> {
  if (server !== undefined) return EXIT.completed;
  const failed = (await toolwright.servers()).filter(({ status }) => status.problem !== undefined);
  for (const { name, status } of await redactedFor(failed, toolwright, output, false)) {
    output.err(asLine(`${name}: ${status.problem}`));
  }
  return failed.length === 0 ? EXIT.completed : EXIT.defect;
}
