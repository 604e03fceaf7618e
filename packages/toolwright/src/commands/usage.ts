import { parseArgs } from 'node:util';
import { type Command, type Option, type Options, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import { suggest } from '@toolwright/core/suggest';
import { n8nCommand } from '@toolwright/n8n/command';
import { backupCommand, restoreCommand } from './backup/backup-options.ts';
import { dashboardCommand } from './dashboard/dashboard-options.ts';
import { doctorCommand } from './doctor/doctor-options.ts';
import { executionsCommand } from './executions/executions-options.ts';
import { initCommand } from './init/init-options.ts';
import { keysCommand } from './keys/keys-options.ts';
import { mcpCommand } from './mcp/mcp-options.ts';
import { migrateCommand } from './migrate/migrate-options.ts';
import { packagesCommand } from './packages/packages-options.ts';
import { piiCommand } from './pii/pii-options.ts';
import { policyCommand } from './policy/policy-options.ts';
import { promptsCommand, resourcesCommand } from './resources/resources-options.ts';
import { runCommand } from './run/run-options.ts';
import { serveCommand } from './serve/serve-options.ts';
import { serversCommand } from './servers-options.ts';
import { sessionsCommand } from './sessions/sessions-options.ts';
import { skillsCommand } from './skills/skills-options.ts';
import { toolsCommand } from './tools/tools-options.ts';

/** All built-in commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  initCommand,
  runCommand,
  toolsCommand,
  resourcesCommand,
  promptsCommand,
  serversCommand,
  skillsCommand,
  packagesCommand,
  mcpCommand,
  serveCommand,
  policyCommand,
  piiCommand,
  n8nCommand,
  executionsCommand,
  sessionsCommand,
  keysCommand,
  dashboardCommand,
  migrateCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
];

/** Options that work with every command and without a command. */
const GENERAL = {
  help: { type: 'boolean', short: 'h', text: 'Print this help' },
  version: { type: 'boolean', text: 'Print the version' },
} as const satisfies Options;

/** A parsed command line. Missing parts are `undefined`. */
export interface CommandLine {
  readonly command: Command | undefined;
  readonly values: Readonly<Record<string, unknown>>;
  /** The positional arguments after the command. */
  readonly words: readonly string[];
  readonly help: boolean;
  readonly version: boolean;
}

/** Raised for a command that is not built in. A plugin may define it. */
export class UnknownCommandError extends UsageError {}

/**
 * Parses a command line. Raises `UnknownCommandError` for a command that is not in `commands`, and `UsageError` for an
 * unknown option.
 */
export function readCommandLine(args: readonly string[], commands: readonly Command[] = COMMANDS): CommandLine {
  const [first, second] = args;
  const word = first === 'help' ? second : first;
  // Checked first: otherwise the options of an unknown command would be reported as mistyped.
  if (word !== undefined && !word.startsWith('-')) findCommand(word, commands);
  const { help, version, positionals, values } = parse(args, commands, word);
  const isHelp = positionals[0] === 'help';
  const [name, ...words] = isHelp ? positionals.slice(1) : positionals;
  const line = { words, help: help || isHelp, version };
  if (version || name === undefined) return { ...line, command: undefined, values };
  const command = findCommand(name, commands);
  const unknown = Object.keys(values).find((option) => !Object.hasOwn(command.options, option));
  if (unknown !== undefined) throw new UsageError(`"toolwright ${name}" has no option --${unknown}.`, name);
  return { ...line, command, values: { ...switchesOff(command.options), ...values } };
}

function findCommand(name: string, commands: readonly Command[]): Command {
  const command = commands.find((known) => known.name === name);
  if (command === undefined) throw new UnknownCommandError(noCommand(name, commands));
  return command;
}

/** Returns the text of `--help`, for one command or for all. */
export function helpText(command?: Command): string {
  return command === undefined ? overview() : commandHelp(command);
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    // A terminal has 24 lines, and the last one is for the next command.
    'Usage: toolwright COMMAND [options]',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    'Options and examples: toolwright COMMAND --help. Version: toolwright --version.',
  ].join('\n');
}

function commandHelp({ name, summary, usage, options, notes = [], examples, exitCodes }: Command): string {
  const codes = { 0: 'completed', 2: 'wrong usage or configuration', 4: 'internal or upstream error', ...exitCodes };
  return [
    ...usage.map((way, index) => `${index === 0 ? 'Usage:' : '      '} toolwright ${name} ${way}`),
    '',
    `${summary}.`,
    ...(notes.length > 0 ? ['', ...notes] : []),
    '',
    'Options:',
    ...table(
      Object.entries({ ...options, help: GENERAL.help }).map(([option, about]) => [
        label(option, about),
        textOf(about),
      ]),
    ),
    '',
    'Examples:',
    ...table(examples.map(([line, text]) => [line, text])),
    '',
    'Exit codes:',
    ...table(Object.entries(codes)),
  ].join('\n');
}

function label(name: string, { short, value }: Option): string {
  return `${short === undefined ? '   ' : `-${short},`} --${name}${value === undefined ? '' : ` ${value}`}`;
}

function textOf({ text, defaultText }: Option): string {
  return defaultText === undefined ? text : `${text} (default: ${defaultText})`;
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

/** Sets missing options of type `boolean` to false. */
function switchesOff(options: Options): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, { type }]) => type === 'boolean')
      .map(([name]) => [name, false]),
  );
}

function parse(args: readonly string[], commands: readonly Command[], word: string | undefined) {
  // The options of all commands are known, so that an option of another command is not reported as mistyped.
  const own = commands.find(({ name }) => name === word);
  const known: Options = Object.assign({}, ...commands.map(({ options }) => options), own?.options, GENERAL);
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short && { short }) },
    ]),
  );
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      tokens: true,
    });
    checkRepeats(tokens, known);
    const { help, version, ...rest } = values;
    return { help: help === true, version: version === true, positionals, values: rest };
  } catch (error) {
    const problem = error instanceof UsageError ? error.message : optionProblem(error, known);
    throw new UsageError(problem, own?.name);
  }
}

/** Raises `UsageError` for an option that is given twice and is not a list: the last value would replace the others in silence. */
function checkRepeats(tokens: readonly { readonly kind: string; readonly name?: string }[], options: Options): void {
  const given = new Set<string>();
  for (const { kind, name = '' } of tokens) {
    if (kind !== 'option' || options[name]?.multiple) continue;
    if (given.has(name)) throw new UsageError(`Option --${name} is given more than once. Give it once.`);
    given.add(name);
  }
}

function noCommand(name: string, commands: readonly Command[]): string {
  const known = commands.map((command) => command.name);
  const near = suggest(name, known, 1)[0];
  const hint = near === undefined ? `The commands are: ${known.join(', ')}.` : `Did you mean "${near}"?`;
  return `There is no command "${name}". ${hint}`;
}

/** Returns the message for an error of `parseArgs`, whose own messages about unknown options explain positionals instead. */
function optionProblem(error: unknown, options: Options): string {
  const { code } = error as NodeJS.ErrnoException;
  const name = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? /'(--?[^']+)'/.exec(messageOf(error))?.[1] : undefined;
  if (name === undefined)
    return messageOf(error).replace(
      /^Option '(?:-\w, )?(--[\w-]+) <value>' argument missing/,
      'Option $1 requires a value.',
    );
  const near = suggest(name.replace(/^-+/, ''), Object.keys(options), 1)[0];
  return `There is no option ${name}.${near === undefined ? '' : ` Did you mean --${near}?`}`;
}
