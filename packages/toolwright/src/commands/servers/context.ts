import { type Output, UsageError } from '@toolwright/core/command';
import type { Machine } from '../../clients/client.ts';
import { askAtTerminal } from '../terminal.ts';

/** The parts that all actions of `toolwright servers` share. */
export interface ServersContext {
  readonly machine: Machine;
  /** Absolute path of the configuration file, which may not exist yet. */
  readonly file: string;
  readonly output: Output;
  /** Asks a person. Raises `UsageError` where nobody can answer. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Connects servers of the configuration file. Resolves to the problem of each that does not work, by name. */
  readonly check: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Asks at the terminal. Raises `UsageError` without one. */
export async function confirmAtTerminal(question: string): Promise<boolean> {
  const answer = await askAtTerminal(question);
  if (answer !== undefined) return answer;
  throw new UsageError('Nobody can answer here. Check the changes above, and add --yes to make them.');
}
