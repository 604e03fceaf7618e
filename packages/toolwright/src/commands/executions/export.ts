import { writeFile } from 'node:fs/promises';
import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import type { ExecutionsArguments } from './arguments.ts';

/** Runs `toolwright executions export`. Returns the exit code. */
export async function exportTest(
  toolwright: Toolwright,
  id: string,
  { out, json, userId }: ExecutionsArguments,
  output: Output,
): Promise<number> {
  const text = await toolwright.executions.exportTest(id, userId);
  if (out === undefined) {
    output.out(json ? JSON.stringify({ text }) : text.trimEnd());
    return EXIT.completed;
  }
  // A file that is there may be a test with changes.
  await writeFile(out, text, { flag: 'wx' }).catch((error: unknown) => {
    throw new UsageError(`Cannot write the test file: ${messageOf(error)}. Name a new file in a folder that exists.`);
  });
  if (json) output.out(JSON.stringify({ file: out }));
  else output.err(`Wrote ${out}.`);
  return EXIT.completed;
}
