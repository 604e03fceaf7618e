#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { type Command, EXIT, type Output, UsageError, visibleText } from '@toolwright/core/command';
import { errorKind, messageOf, ToolwrightError } from '@toolwright/core/errors';
import { keepCompiledCode } from './commands/compile-cache.ts';
import { COMMANDS, type CommandLine, helpText, readCommandLine, UnknownCommandError } from './commands/usage.ts';

/** Milliseconds in which a failed command closes its connections. */
const MAX_CLOSING_MS = 5_000;

const output: Output = {
  out: writeTo(process.stdout),
  err: writeTo(process.stderr),
  isTerminal: process.stdout.isTTY && !process.env.CI,
};

/** Texts of programs and servers are everywhere in the output: a terminal, a log of CI or a pager must not interpret them. */
function writeTo(stream: NodeJS.WriteStream): (text: string) => void {
  return (text) => void stream.write(`${visibleText(text)}\n`);
}

async function main(args: readonly string[]): Promise<number> {
  const { command, values, words, help, version } = await commandLine(args);
  if (version) {
    output.out(ownVersion());
    return EXIT.completed;
  }
  if (help) {
    output.out(helpText(command));
    return EXIT.completed;
  }
  if (command === undefined) {
    output.err(helpText());
    return EXIT.usage;
  }
  keepCompiledCode();
  try {
    // It reports files that nobody has accepted, in place of an error.
    if (command.name !== 'doctor') await prepare(command, values, words);
    return await command.run(values, words, output);
  } catch (error) {
    return report(error, command.name);
  }
}

async function prepare({ name, options }: Command, values: CommandLine['values'], words: readonly string[]) {
  const { prepareProject } = await import('./commands/project/prepare.ts');
  const config = values.config as string | undefined;
  await prepareProject({ command: name, words, options, config }, output);
}

/** Parses the command line. For an unknown command, it loads the plugins of the configuration. */
async function commandLine(args: readonly string[]): Promise<CommandLine> {
  try {
    return readCommandLine(args);
  } catch (error) {
    if (!(error instanceof UnknownCommandError)) throw error;
    return readCommandLine(args, [...COMMANDS, ...(await configuredCommands(error))]);
  }
}

/** Returns the commands of the plugins in the default configuration file. Raises the error for an unknown command without them. */
async function configuredCommands(error: UnknownCommandError): Promise<Command[]> {
  const { findConfig, loadConfig } = await import('@toolwright/core/config');
  const path = findConfig();
  if (path === undefined) throw error;
  const { mayUse } = await import('./commands/project/prepare.ts');
  if (!(await mayUse(path, undefined))) {
    const fix = 'Its plugins may define commands: run "toolwright doctor" at a terminal to look at it.';
    throw new UnknownCommandError(`${error.message}\n${path} is not used, because you have not accepted it. ${fix}`);
  }
  const { pluginCommands } = await import('@toolwright/core/plugins');
  const known = new Set(COMMANDS.map(({ name }) => name));
  const commands = (await pluginCommands(await loadConfig({ path }))).filter(({ name }) => !known.has(name));
  if (commands.length === 0) throw error;
  return commands;
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(version);
}

function report(error: unknown, name?: string): number {
  if (error instanceof UsageError) {
    const command = name ?? error.command;
    const hint =
      command === undefined ? '"toolwright --help" for the commands' : `"toolwright ${command} --help" for the options`;
    output.err(`${error.message}\nRun ${hint}.`);
    return EXIT.usage;
  }
  output.err(messageOf(error));
  if (!(error instanceof ToolwrightError)) return EXIT.defect;
  return errorKind(error.code) === 'user' ? EXIT.usage : EXIT.defect;
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as `head` does. Nothing more can be written.
    if (error.code !== 'EPIPE') throw error;
  });
}
const code = await main(process.argv.slice(2)).catch((error: unknown) => report(error));
process.exitCode = code;
// A failed command may leave a connection open. A supervisor starts it again only when it has ended.
if (code !== EXIT.completed) setTimeout(() => process.exit(code), MAX_CLOSING_MS).unref();
