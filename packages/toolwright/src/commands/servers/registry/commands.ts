import type { Toolwright } from '@toolwright/core';
import { EXIT, UsageError } from '@toolwright/core/command';
import { withoutSecrets } from '../../project/hidden-secrets.ts';
import { asLine } from '../../terminal.ts';
import { addEntry } from '../add.ts';
import type { ServersContext } from '../context.ts';
import { type RegistryServer, readRegistryServer, searchRegistry } from './client.ts';
import { entryOf } from './entry.ts';

/** Lists the servers of a registry whose names have a word. */
export async function searchServers(
  { output }: ServersContext,
  { words, registry, json }: { readonly words: readonly string[]; readonly registry: string; readonly json: boolean },
): Promise<number> {
  if (words.length === 0) throw new UsageError('Use "servers search WORD".');
  const { servers, hasMore } = await searchRegistry(registry, words.join(' '));
  if (json) output.out(JSON.stringify({ registry, servers: servers.map(viewOf), hasMore }));
  for (const server of json ? [] : servers) {
    const { version, description, runs } = viewOf(server);
    output.out(
      `${asLine(server.name)}  ${asLine(version)}  ${asLine(runs)}${server.isDeprecated ? '  deprecated' : ''}`,
    );
    if (description !== '') output.out(`  ${asLine(description)}`);
  }
  if (servers.length === 0) output.err(`No server of ${registry} has "${words.join(' ')}" in its name.`);
  else if (!json) output.err('Add one with "toolwright servers add NAME --from-registry".');
  if (hasMore) output.err('There are more. Search for a longer part of the name.');
  return EXIT.completed;
}

/** Shows what a server of a registry would run, asks, and adds it to the configuration file. */
export async function addFromRegistry(
  context: ServersContext,
  {
    words,
    env,
    registry,
  }: { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>>; readonly registry: string },
  toolwright: Toolwright,
): Promise<number> {
  const [wanted, given, more] = words;
  if (wanted === undefined || more !== undefined)
    throw new UsageError(
      'Use "servers add NAME --from-registry", or with another name behind it: "servers add NAME OWN --from-registry".',
    );
  const server = await findServer(registry, wanted);
  const found = entryOf(server);
  if ('reasons' in found)
    throw new UsageError(`Toolwright cannot run ${asLine(server.name)}: ${found.reasons.map(asLine).join('; ')}.`);
  const name = given ?? server.name.slice(server.name.lastIndexOf('/') + 1);
  const entry = {
    ...found.entry,
    ...(Object.keys(env).length > 0 ? { env: { ...Object(found.entry.env), ...env } } : {}),
  };
  const { err } = context.output;
  err(
    `${asLine(server.name)} ${asLine(server.version)}${server.isDeprecated ? ' (deprecated)' : ''}: ${asLine(server.description)}`,
  );
  for (const line of JSON.stringify({ [name]: withoutSecrets(entry) }, null, 2).split('\n')) err(`+ ${asLine(line)}`);
  for (const note of found.notes) err(`  ${asLine(note)}`);
  if (!(await context.confirm(`Add ${asLine(name)} to ${context.file} and start it?`))) return EXIT.completed;
  return addEntry(context, name, entry, toolwright);
}

/** Finds a server by its whole name, or by the part behind the slash. Raises `UsageError`. */
async function findServer(registry: string, wanted: string): Promise<RegistryServer> {
  if (wanted.includes('/')) {
    const server = await readRegistryServer(registry, wanted);
    if (server) return server;
    throw new UsageError(
      `The registry ${registry} has no server "${wanted}". Find its name with "servers search WORD".`,
    );
  }
  const { servers } = await searchRegistry(registry, wanted);
  const [only, other] = servers.filter(({ name }) => name.endsWith(`/${wanted}`));
  if (only && other === undefined) return only;
  const names = servers.map(({ name }) => asLine(name)).slice(0, 10);
  const known = names.length === 0 ? 'Find its name with "servers search WORD"' : `Write one of: ${names.join(', ')}`;
  throw new UsageError(`"${wanted}" is not the name of one server in ${registry}. ${known}.`);
}

function viewOf({ name, version, description, packages, remotes, isDeprecated }: RegistryServer) {
  const runs = [
    ...packages.map(({ registryType, identifier }) => `${String(registryType)} ${String(identifier)}`),
    ...remotes.map(({ url }) => String(url)),
  ].join(', ');
  return { name, version, description, runs, isDeprecated };
}
