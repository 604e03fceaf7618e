import { rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { checkDataFolder, loadConfig, readServerEntries, withMember, withServer } from '@toolwright/core/config';
import { messageOf } from '@toolwright/core/errors';
import { openState } from '@toolwright/storage/shared-state';
import { openDashboard } from '../dashboard/dashboard.ts';
import { findServer } from '../dashboard/running-server.ts';
import { withToolwright } from '../lifetime.ts';
import { editConfiguration } from '../project/edit-configuration.ts';
import { run } from '../run/run.ts';
import type { ServersContext } from '../servers/context.ts';
import { readText } from '../servers/files.ts';
import { type ClientFile, findClientFiles, type Merged, merge } from '../servers/find.ts';
import { configPreview, report, unchanged } from '../servers/import.ts';
import { connectClient, installPreview, movedNames } from '../servers/install.ts';
import { type BackgroundServer, portToUse, startServer } from './background-server.ts';
import { chooseAtTerminal, clientToConnect, foundClients, planOf } from './clients.ts';
import { missingCommand, summary } from './summary.ts';

export interface InitOptions {
  /** Name of the client to connect. */
  readonly into: string | undefined;
  readonly port: number | undefined;
  readonly hasDashboard: boolean;
  readonly opensBrowser: boolean;
  /** Whether a person answers. */
  readonly asks: boolean;
}

/** The server of the first write. */
const NOTES_SERVER = fileURLToPath(new URL('../../notes-server.js', import.meta.url));
const NAMES = ['notes', 'example-notes'];

/** A configuration for the first minutes. */
interface FirstConfiguration extends Merged {
  /** The name of the server with the first write. */
  readonly notes: string;
  /** Absolute path of the file that it writes. */
  readonly notesFile: string;
}

interface FirstPrograms {
  /** The name of the server with the first write. */
  readonly notes: string;
  /** Options of the commands that the output names. */
  readonly more: string;
  /** Whether the person at the terminal is asked. */
  readonly asks: boolean;
  readonly signal: AbortSignal;
}

/**
 * Sets up Toolwright in a folder: servers, a client, the dashboard, and a first approval. Checks everything before it writes, and
 * prints how to undo it. Raises `UsageError` and `CONFIG_INVALID`: then nothing was written.
 */
export async function init(context: ServersContext, options: InitOptions): Promise<number> {
  const { machine, file, output, check } = context;
  const { into, asks } = options;
  checkFolders(machine.home, dirname(file));
  const before = await readText(file);
  if (before.trim() !== '') await loadConfig({ path: file });
  const port = options.hasDashboard ? await portToUse(options.port, output.err) : 0;
  const { files, unreadable } = await findClientFiles(machine);
  for (const { problem } of unreadable) output.err(`not read, and not changed: ${problem}`);
  const clients = foundClients(machine, files).filter(isReadable(unreadable, machine));
  if (clients.length === 0) output.err('No client such as Cursor or Claude was found. Toolwright works without one.');
  const choose = asks ? chooseAtTerminal : undefined;
  const client = await clientToConnect(clients, { into, choose }, output);
  const plan = client && (await planOf(context, client, into !== undefined));

  const sources = files.filter(({ path }) => path !== file);
  const first = firstConfiguration({ file, folder: dirname(file) }, before, sources);
  report(first, output.err);
  const moved = plan ? movedNames(plan.target, first) : [];
  if (first.text !== before) output.err(`\n${configPreview(file, before, first.text)}`);
  if (plan) output.err(`\n${installPreview(plan, moved)}\n`);
  const place = plan ? ` A backup of the client's file stays in ${plan.backup}.` : '';
  if ((plan || first.text !== before) && !(await context.confirm(`Make these changes?${place}`))) {
    output.err('Nothing was changed.');
    return EXIT.completed;
  }
  await editConfiguration(file, (text) => unchanged(file, before, text) && first.text, machine);
  const added = first.added.map(({ server }) => server.name);
  const others = added.filter((name) => !moved.includes(name));
  for (const [name, problem] of await check([...others, first.notes]))
    output.err(`${name} does not work yet: ${problem}`);
  if (plan) await connectClient(context, plan, moved);

  const more = file === join(machine.cwd, 'toolwright.json') ? '' : ` --config ${file}`;
  const cli = process.argv[1] ?? '';
  const { dataDir } = await loadConfig({ path: file });
  await checkDataFolder(dataDir);
  const server = options.hasDashboard ? await dashboard({ file, port, cli }, dataDir, options, output) : undefined;
  const code = await withToolwright({ config: file, startSandbox: true }, (toolwright, signal) =>
    runFirstPrograms(toolwright, { notes: first.notes, more, asks, signal }, output),
  );
  const servers = [...added, ...(first.text.includes('notes-server.js') ? [first.notes] : [])];
  const changes = { file, isNew: before.trim() === '', servers, notes: first.notes, notesFile: first.notesFile };
  const waits = code === EXIT.suspended;
  for (const line of summary({ ...changes, plan, server, waits, more })) output.out(line);
  const missing = missingCommand(cli, machine.env, machine.platform);
  if (missing !== undefined) output.err(`\n${missing}`);
  return waits ? EXIT.completed : code;
}

/** Raises `UsageError` unless the home folder exists, and the folder of the configuration can be written to. */
function checkFolders(home: string, folder: string): void {
  if (!statSync(home, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`The home folder ${home} does not exist. Set HOME to a folder of yours.`);
  const probe = join(folder, `.toolwright-${process.pid}`);
  try {
    writeFileSync(probe, '', { flag: 'wx' });
    rmSync(probe);
  } catch (error) {
    throw new UsageError(
      `Nothing can be written into ${folder}: ${messageOf(error)}. Change to a folder of yours, or use --config FILE.`,
    );
  }
}

function isReadable(unreadable: readonly { readonly path: string }[], machine: ServersContext['machine']) {
  const paths = new Set(unreadable.map(({ path }) => path));
  return (client: ReturnType<typeof foundClients>[number]) => !client.files(machine).some((path) => paths.has(path));
}

/** Starts the dashboard, unless a server of this configuration runs, and opens it. A failure is reported: the rest works without it. */
async function dashboard(
  wanted: { readonly file: string; readonly port: number; readonly cli: string },
  dataDir: string,
  { opensBrowser }: InitOptions,
  output: Output,
): Promise<BackgroundServer | undefined> {
  const running = await findServer(dataDir);
  let server: BackgroundServer;
  try {
    server = running?.config === wanted.file ? running : await startServer(wanted, dataDir);
  } catch (error) {
    output.err(messageOf(error));
    return undefined;
  }
  await using state = await openState(await loadConfig({ path: wanted.file }));
  const isOpened = opensBrowser && process.stderr.isTTY === true;
  await openDashboard(state.store, { url: server.url, isOpened, json: false, hasIssuer: false }, output);
  return server;
}

/**
 * Adds the servers of clients and the server of the first write to the text of a configuration. A new one gets a policy that asks
 * before tools that write; an existing one keeps its policy.
 */
function firstConfiguration(
  { file, folder }: { readonly file: string; readonly folder: string },
  text: string,
  files: readonly ClientFile[],
): FirstConfiguration {
  const merged = merge(file, text, files);
  const entries = readServerEntries(file, merged.text.trim() === '' ? '{}' : merged.text);
  const entry = { command: process.execPath, args: [NOTES_SERVER], description: 'Notes in notes.md: try a write' };
  const known = NAMES.find((name) => JSON.stringify(entries.get(name))?.includes('notes-server.js'));
  const notes = known ?? NAMES.find((name) => !entries.has(name)) ?? 'toolwright-notes';
  const complete = known === undefined ? withServer(file, merged.text, notes, entry) : merged.text;
  const isNew = text.trim() === '';
  return {
    ...merged,
    text: isNew ? withMember(complete, ['policy', 'preset'], 'careful') : complete,
    notes,
    notesFile: join(folder, 'notes.md'),
  };
}

/** Runs a program that reads, and one that writes. Resolves to the exit code of the second: 5 while its write waits. */
async function runFirstPrograms(
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
