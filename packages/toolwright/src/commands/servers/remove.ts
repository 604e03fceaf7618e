import { EXIT, UsageError } from '@toolwright/core/command';
import { readServerEntries, withoutServer } from '@toolwright/core/config';
import { editConfiguration } from '../project/edit-configuration.ts';
import type { ServersContext } from './context.ts';

/** Removes a server from the configuration file. */
export async function removeServer(
  { machine, file, output }: ServersContext,
  words: readonly string[],
): Promise<number> {
  const [name, more] = words;
  if (name === undefined || more !== undefined) throw new UsageError('Use "servers remove NAME".');
  const change = (text: string) => {
    const changed = withoutServer(file, text.trim() === '' ? '{}' : text, name);
    if (changed !== undefined) return changed;
    const known = [...readServerEntries(file, text.trim() === '' ? '{}' : text).keys()].join(', ') || 'none';
    throw new UsageError(`${file} has no server "${name}". Its servers: ${known}.`);
  };
  await editConfiguration(file, change, machine);
  output.out(`Removed ${name} from ${file}.`);
  return EXIT.completed;
}
