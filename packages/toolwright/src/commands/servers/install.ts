import { chmod, constants, copyFile, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT, UsageError } from '@toolwright/core/command';
import { editFile } from '@toolwright/core/config';
import { isUncreatable } from '@toolwright/core/errors';
import { type Client, type Machine, OWN_NAME, type OwnServer } from '../../clients/client.ts';
import { editConfiguration } from '../project/edit-configuration.ts';
import type { ServersContext } from './context.ts';
import { readBytes, readText } from './files.ts';
import { type ClientFile, clientNamed, findClientFiles, type Merged, merge } from './find.ts';
import { configPreview, report, unchanged } from './import.ts';
import { previewOf } from './preview.ts';

/** The end of the name of a backup, which has the file of the client as it was. */
const BACKUP = '.before-toolwright';
const OWNER_ONLY = 0o600;

export interface InstallOptions {
  readonly words: readonly string[];
  /** The name of the client. */
  readonly into: string | undefined;
  readonly own: OwnServer;
}

/** Toolwright in place of the servers of a client. */
export interface InstallPlan {
  readonly client: Client;
  readonly target: ClientFile;
  readonly backup: string;
  /** Other files of the client that have servers too. */
  readonly others: readonly ClientFile[];
  /** Returns the text of the client's file with Toolwright in place of these servers. */
  withOwn(names: readonly string[]): string;
}

/** Moves the servers of a client into the configuration file, and puts Toolwright in their place. Keeps a backup. */
export async function install(context: ServersContext, { words, into, own }: InstallOptions): Promise<number> {
  const { machine, file, output, confirm } = context;
  const plan = await planInstall(context, requireClient('install', words, into), own);
  for (const { path, servers } of plan.others) output.err(`not changed: ${path} has ${servers.length} servers too`);

  const before = await readText(file);
  const merged = merge(file, before, [plan.target]);
  report(merged, output.err);
  const all = movedNames(plan.target, merged);
  if (merged.text !== before) output.err(`\n${configPreview(file, before, merged.text)}`);
  output.err(`\n${installPreview(plan, all)}\n`);
  if (!(await confirm(`Write both files? A backup stays in ${plan.backup}.`))) return EXIT.completed;

  if (merged.text !== before)
    await editConfiguration(file, (text) => unchanged(file, before, text) && merged.text, machine);
  await connectClient(context, plan, all);
  context.output.err(profileNote(merged.text));
  return EXIT.completed;
}

/** Reads the file of a client. Raises `UsageError` if it cannot be read, or has Toolwright already. */
export async function planInstall(
  { machine, file }: ServersContext,
  client: Client,
  own: OwnServer,
): Promise<InstallPlan> {
  const { files, unreadable } = await findClientFiles(machine, [client]);
  if (unreadable[0]) throw new UsageError(unreadable[0].problem);
  const target = files.find(({ path }) => path !== file) ?? emptyFile(client, machine);
  const backup = `${target.path}${BACKUP}`;
  if ((await readBytes(backup)) !== undefined)
    throw new UsageError(
      `Toolwright is in ${target.path} already. Run "toolwright servers uninstall --into ${client.name}" first.`,
    );
  const others = files.filter(({ path, servers }) => path !== target.path && path !== file && servers.length > 0);
  const withOwn = (names: readonly string[]) =>
    client.replace(target.text, target.path, [...names, OWN_NAME], own, machine);
  return { client, target, backup, others, withOwn };
}

/** Returns the servers of a client's file that a merged configuration has with the same entry. */
export function movedNames({ path, servers }: ClientFile, { added, known }: Merged): string[] {
  const names = new Set([...added.filter((one) => one.path === path).map(({ server }) => server.name)]);
  for (const { name, path: from } of known) if (from === path) names.add(name);
  return servers.map(({ name }) => name).filter((name) => names.has(name));
}

/** Returns the difference of a client's file for a person, without secrets. */
export function installPreview({ target, withOwn }: InstallPlan, names: readonly string[]): string {
  const entries = target.servers.map(({ entry }) => entry);
  return previewOf(target.path, target.text, withOwn(names), { entries, context: 0 });
}

/** Puts Toolwright in place of the servers of a client, and keeps a backup. A server that does not work in Toolwright stays. */
export async function connectClient(
  { output, check }: ServersContext,
  { client, target, backup, withOwn }: InstallPlan,
  all: readonly string[],
): Promise<void> {
  // A client never has fewer tools than before: a server that does not work here stays with it.
  const problems = await check(all);
  for (const [name, problem] of problems) output.err(`${name} stays in ${client.title} too: ${problem}`);
  const names = all.filter((name) => !problems.has(name));
  await keep(target.path, backup);
  await editFile(target.path, (text) => unchanged(target.path, target.text, text) && withOwn(names));
  const servers = all.length === 0 ? '' : ` with ${names.length} of its servers`;
  output.out(`${client.title} now starts Toolwright${servers}. Restart ${client.title}.`);
}

/** Returns which tools the client lists by the profile of the configuration, and why. */
function profileNote(configuration: string): string {
  if (/"toolProfile"\s*:\s*"full"/.test(configuration))
    return 'It lists all own tools: the configuration has the tool profile "full".';
  return 'It lists execute_code and search_tools, since a model pays for each definition. "toolProfile": "full" in the configuration lists all.';
}

/** Restores the file of a client from its backup, byte for byte. */
export async function uninstall(context: ServersContext, { words, into, own }: InstallOptions): Promise<number> {
  const { machine, output, confirm } = context;
  const client = requireClient('uninstall', words, into);
  const candidates = [...new Set(client.files(machine))].map(async (path) => ({
    path,
    bytes: await readBytes(`${path}${BACKUP}`),
  }));
  const found = (await Promise.all(candidates)).find(({ bytes }) => bytes !== undefined);
  if (found?.bytes === undefined)
    throw new UsageError(`There is no backup of ${client.title}: Toolwright is not installed in it.`);
  const { path, bytes } = found;
  const current = await readText(path);
  const original = bytes.toString('utf8');
  output.err(
    `${previewOf(path, current, original, { entries: entriesOf(client, original, path, machine), context: 0 })}\n`,
  );
  if (!isAsInstalled(client, { current, original, path }, own, machine))
    output.err(`${path} has changed since the installation. These changes are lost: copy what you need first.`);
  if (!(await confirm(`Restore ${path}?`))) return EXIT.completed;
  await restore(path, bytes);
  output.out(`Restored ${path}. The servers stay in ${context.file}. Restart ${client.title}.`);
  return EXIT.completed;
}

function requireClient(action: string, [word, more]: readonly string[], into: string | undefined): Client {
  const name = into ?? word;
  if (name === undefined || more !== undefined || (into !== undefined && word !== undefined))
    throw new UsageError(`Name one client: "servers ${action} --into cursor".`);
  return clientNamed(name);
}

function emptyFile(client: Client, machine: Machine): ClientFile {
  return { client, path: client.files(machine)[0] ?? '', text: '', servers: [], left: [] };
}

function entriesOf(client: Client, text: string, path: string, machine: Machine): unknown[] {
  return text === '' ? [] : client.read(text, path, machine).servers.map(({ entry }) => entry);
}

/** Returns whether a file is as the installation has left it, except for the place of Toolwright. */
function isAsInstalled(
  client: Client,
  { current, original, path }: { readonly current: string; readonly original: string; readonly path: string },
  own: OwnServer,
  machine: Machine,
): boolean {
  try {
    const names = (text: string) => entryNames(client, text, path, machine);
    const moved = names(original).filter((name) => !names(current).includes(name));
    const again = (text: string) => client.replace(text, path, [...moved, OWN_NAME], own, machine);
    return again(original) === again(current);
  } catch {
    return false;
  }
}

function entryNames(client: Client, text: string, path: string, machine: Machine): string[] {
  const { servers, left } = client.read(text, path, machine);
  return [...servers, ...left].map(({ name }) => name);
}

/** Copies a file to its backup, which must not exist. Without the file, the backup is empty. */
async function keep(path: string, backup: string): Promise<void> {
  await makeFolderOf(path);
  if ((await readBytes(path)) === undefined) await writeFile(backup, '', { flag: 'wx', mode: OWNER_ONLY });
  else {
    await copyFile(path, backup, constants.COPYFILE_EXCL);
    // It has the same secrets as the file, and no program needs to write it.
    await chmod(backup, OWNER_ONLY);
  }
}

async function restore(path: string, bytes: Buffer): Promise<void> {
  const file = await realpath(path).catch(() => path);
  if (bytes.length === 0) await rm(file, { force: true });
  else await editBytes(file, bytes);
  await rm(`${path}${BACKUP}`);
}

/** Writes in place, so that a link and the mode stay. A crash in between leaves the backup. */
async function editBytes(file: string, bytes: Buffer): Promise<void> {
  await makeFolderOf(file);
  await writeFile(file, bytes);
}

/** Raises `UsageError` for a folder whose file system creates none. */
async function makeFolderOf(file: string): Promise<void> {
  const folder = dirname(file);
  if (isUncreatable(folder))
    throw new UsageError(
      `The folder ${folder} cannot be created: its file system creates no folders. Set HOME to yours.`,
    );
  await mkdir(folder, { recursive: true });
}

/** Returns the command by which a client starts this Toolwright. */
export function ownServer(file: string, program: string = process.argv[1] ?? ''): OwnServer {
  const args = ['mcp', '--config', file];
  // A package that npx has fetched is removed at some time.
  const isKept = program !== '' && !/[/\\]_npx[/\\]/.test(program);
  if (isKept) return { command: process.execPath, args: [join(program), ...args] };
  return { command: 'npx', args: ['-y', 'toolwright', ...args] };
}
