import { createInterface } from 'node:readline/promises';
import { type Output, UsageError, visibleText } from '@toolwright/core/command';
import type { Machine } from '../../clients/client.ts';

/** The parts that all actions of `toolwright servers` share. */
export interface ServersContext {
  readonly machine: Machine;
  /** Absolute path of the configuration file, which may not exist yet. */
  readonly file: string;
  readonly output: Output;
  /** Asks a person. Raises `UsageError` where nobody can answer. */
  readonly confirm: (question: string) => Promise<boolean>;
}

/** Asks at the terminal. Raises `UsageError` without one. */
export async function confirmAtTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError('Nobody can answer here. Check the changes above, and add --yes to make them.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${visibleText(question)} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
