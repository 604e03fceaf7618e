import { EXIT, UsageError } from '@toolwright/core/command';
import { readServerEntries } from '@toolwright/core/config';
import { ToolwrightError } from '@toolwright/core/errors';
import { editConfiguration } from '../project/edit-configuration.ts';
import { plainSecrets, secretFix } from '../project/plain-secrets.ts';
import type { ServersContext } from './context.ts';
import { readText } from './files.ts';
import { clientNamed, findClientFiles, type Merged, merge } from './find.ts';
import { previewOf } from './preview.ts';

/** Imports the servers of all clients, or of some, into the configuration file. A person sees the difference first. */
export async function importServers(
  context: ServersContext,
  {
    words,
    from,
    json,
  }: { readonly words: readonly string[]; readonly from: readonly string[]; readonly json: boolean },
): Promise<number> {
  if (words.length > 0) throw new UsageError('"servers import" takes the client as an option: --from CLIENT.');
  const { machine, file, output } = context;
  const { files, unreadable } = await findClientFiles(machine, from.length === 0 ? undefined : from.map(clientNamed));
  for (const { problem } of unreadable) output.err(`not read: ${problem}`);
  const before = await readText(file);
  const merged = merge(
    file,
    before,
    files.filter(({ path }) => path !== file),
  );
  report(merged, output.err);
  const isDone = merged.added.length > 0 && (await written(context, before, merged));
  const imported = isDone ? merged.added.map(({ server }) => server.name) : [];
  if (json) output.out(JSON.stringify({ file, imported, known: merged.known, left: merged.left, unreadable }));
  else if (isDone) output.out(`Imported ${imported.length} servers into ${file}: ${imported.join(', ')}`);
  if (isDone)
    for (const [name, problem] of await context.check(imported)) output.err(`${name} does not work yet: ${problem}`);
  else if (merged.added.length === 0) output.err('There is nothing to import.');
  return unreadable.length > 0 && from.length > 0 ? EXIT.usage : EXIT.completed;
}

/** Reports the servers of a merge and their differences. */
export function report({ added, known, left }: Merged, err: (text: string) => void): void {
  for (const { server, path } of added) {
    err(`${server.name}  from ${path}`);
    for (const note of server.notes) err(`  ${note}`);
    for (const place of plainSecrets(server.entry))
      err(`  ${place} is a secret in plain text: ${secretFix(server.name)}`);
  }
  for (const { name, path } of known) err(`${name}  from ${path}: imported already`);
  for (const { name, path, reason } of left) err(`${name}  from ${path}: left out, ${reason}`);
}

/** Shows the difference, asks, and writes. Returns whether it was written. */
async function written(
  { machine, file, output, confirm }: ServersContext,
  before: string,
  merged: Merged,
): Promise<boolean> {
  output.err(`\n${configPreview(file, before, merged.text)}\n`);
  if (!(await confirm(`Write ${file}?`))) return false;
  await editConfiguration(file, (text) => unchanged(file, before, text) && merged.text, machine);
  return true;
}

/** Returns the difference of two configurations, without secrets. */
export function configPreview(file: string, before: string, after: string): string {
  const entries = [before, after].flatMap((text) => [
    ...readServerEntries(file, text.trim() === '' ? '{}' : text).values(),
  ]);
  return previewOf(file, before, after, { entries, context: 2 });
}

/** Raises `CONFIG_INVALID` if a file has changed since a person saw it. */
export function unchanged(file: string, seen: string, text: string): true {
  if (text === seen) return true;
  throw new ToolwrightError('CONFIG_INVALID', `${file} has changed in the meantime. Run the command again.`);
}
