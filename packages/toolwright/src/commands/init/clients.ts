import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { type Output, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import { CLIENTS } from '../../clients/all.ts';
import type { Client, Machine } from '../../clients/client.ts';
import type { ServersContext } from '../servers/context.ts';
import { type ClientFile, clientNamed } from '../servers/find.ts';
import { type InstallPlan, ownServer, planInstall } from '../servers/install.ts';
import { askLineAtTerminal } from '../terminal.ts';

/** Asks which of several clients to connect. Resolves to its number from 1; undefined for none. */
export type Choose = (question: string) => Promise<number | undefined>;

/** Returns the clients of a machine: those with a file, and those whose own folder exists. */
export function foundClients(machine: Machine, files: readonly ClientFile[]): Client[] {
  return CLIENTS.filter((client) => {
    if (files.some((file) => file.client.name === client.name)) return true;
    const [file = ''] = client.files(machine);
    // The home folder and the folder of all programs show nothing.
    const folder = dirname(file);
    return existsSync(file) || (folder !== machine.home && folder !== machine.cwd && existsSync(folder));
  });
}

/** Returns the client to connect: the named one, the only one, or the chosen one. Undefined, with a sentence, for none. */
export async function clientToConnect(
  clients: readonly Client[],
  { into, choose }: { readonly into: string | undefined; readonly choose: Choose | undefined },
  { err }: Output,
): Promise<Client | undefined> {
  if (into !== undefined) return clientNamed(into);
  if (clients.length <= 1) return clients[0];
  const list = clients.map(({ title }, index) => `  [${index + 1}] ${title}`).join('\n');
  const number = await choose?.(`Connect which client?\n${list}\n  [Enter] none`);
  if (choose === undefined) {
    const [first] = clients;
    err(
      `${clients.length} clients were found, and none was changed: ${clients.map(({ title }) => title).join(', ')}. Name one: --into ${first?.name}.`,
    );
  }
  return number === undefined ? undefined : clients[number - 1];
}

/**
 * Returns the plan for a client. Undefined, with a sentence, where its file is broken, has Toolwright already, or is a link out of
 * the home folder. That file stays as it is. Raises `UsageError` for a client that the user has named.
 */
export async function planOf(
  context: ServersContext,
  client: Client,
  isNamed: boolean,
): Promise<InstallPlan | undefined> {
  try {
    const plan = await planInstall(context, client, ownServer(context.file));
    const link = linkElsewhere(plan.target.path, context.machine.home);
    if (link === undefined) return plan;
    throw new UsageError(
      `${plan.target.path} is a link to ${link}, and was not changed. To change that file: toolwright servers install --into ${client.name}`,
    );
  } catch (error) {
    if (isNamed) throw error;
    context.output.err(`${client.title} is not connected: ${messageOf(error)}`);
    return undefined;
  }
}

/** Returns the target of a path with a link that leads out of the home folder, or to nothing. Undefined for any other path. */
function linkElsewhere(path: string, home: string): string | undefined {
  try {
    const target = realpathSync(path);
    const own = realpathSync(home) + sep;
    return target !== path && path.startsWith(home + sep) && !target.startsWith(own) ? target : undefined;
  } catch {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    return isLink ? `${readlinkSync(path)}, which does not exist` : undefined;
  }
}

/** Asks for a number at the terminal. */
export const chooseAtTerminal: Choose = async (question) => {
  const number = Number(await askLineAtTerminal(`${question}\n`));
  return Number.isInteger(number) && number > 0 ? number : undefined;
};
