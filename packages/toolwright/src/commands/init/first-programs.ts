import type { Toolwright } from '@toolwright/core';
import type { Output } from '@toolwright/core/command';
import { run } from '../run/run.ts';

export interface FirstPrograms {
  /** The name of the server with the first write. */
  readonly notes: string;
  /** Options of the commands that the output names. */
  readonly more: string;
  /** Whether the person at the terminal is asked. */
  readonly asks: boolean;
  readonly signal: AbortSignal;
}

/** Runs a program that reads, and one that writes. Resolves to the exit code of the second: 5 while its write waits. */
export async function runFirstPrograms(
  toolwright: Toolwright,
  { notes, more, asks, signal }: FirstPrograms,
  output: Output,
): Promise<number> {
  const read = `return (await search_tools('add a note', { limit: 3 })).map(({ name }) => name);`;
  const write = [
    '// The first write: it waits for a person.',
    `const { notes } = await callMCPTool('${notes}__add_note', { text: 'My first approved write' });`,
    'return notes;',
  ].join('\n');
  output.err(`\nA first program searches the tools:\n  ${read}`);
  const args = { json: false, more, asks: false, execution: { signal } } as const;
  const code = await run(toolwright, read, args, output);
  if (code !== 0) return code;
  output.err(`\nA second one writes:\n${write.replace(/^/gm, '  ')}`);
  return run(toolwright, write, { ...args, asks }, output);
}
