import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readRegularFile, type UnreadableFile } from '@toolwright/connectors/read-file';
import { CONFIG_FILES, MAX_CONFIG_BYTES, type Output } from '@toolwright/core/command';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { prepareEnvironment, type Variables } from '../environment.ts';
import { askAtTerminal } from '../terminal.ts';
import { isTrusted, ownPlace, remember } from './trust.ts';

/** A command that is about to run. */
export interface Preparation {
  readonly command: string;
  readonly words: readonly string[];
  /** The options of the command. One with the option `config` looks up a configuration. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The value of `--config`. */
  readonly config: string | undefined;
}

/** Raised for files of the current folder that the user has not accepted. Nothing of them was used. */
export class UntrustedFilesError extends ToolwrightError {
  /** The files, with their commands, addresses and settings. */
  readonly found: string;
  readonly fix: string;

  constructor(found: string, fix: string, wasShown = false) {
    super('CONFIG_INVALID', wasShown ? fix : `${found}\n${fix}`);
    this.found = found;
    this.fix = fix;
  }
}

interface FoundFile {
  readonly path: string;
  readonly content: Buffer;
  /** Returns the lines for a person. */
  readonly describe: () => Promise<readonly string[]> | readonly string[];
}

/** Commands that serve, and commands that change the state of a server: all of them need the same environment. */
const READS_VARIABLES: ReadonlySet<string> = new Set([
  'init',
  'serve',
  'servers',
  'keys',
  'executions',
  'sessions',
  'doctor',
]);

/** The places of state, its keys, and trust: the user decides about these, never a file of a project. */
const OF_USER = /^TOOLWRIGHT_(TRUST|CONFIG|DATA_DIR|STORE|REDIS|BLOBS|MASTER_KEY|OLD_MASTER_KEYS)$/;
/** Settings of Toolwright, of its models and of its stores. */
const SETTING = /^(PORT|HOST|(TOOLWRIGHT|LLM|SANDBOX|AWS)_\w+|\w+_(API_KEY|BASE_URL))$/;
/** Variables that change how programs start: a configuration may refer to them, but a file of a project never sets them. */
const OF_PROGRAMS = /^(PATH|HOME|USERPROFILE|(XDG|LD|DYLD|NODE)_\w+)$/;
const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)/g;

/**
 * Prepares a command: asks about files of the current folder that nobody has named, and adds the variables of
 * `.env`. Raises {@link UntrustedFilesError} without a yes, and `CONFIG_INVALID`.
 */
export async function prepareProject(preparation: Preparation, { err }: Output): Promise<void> {
  const { configuration, variables, found } = await foundFiles(preparation, process.env, process.cwd());
  const unknown = found.filter(({ path, content }) => !isTrusted(path, content, ownPlace()));
  const refused = unknown.length === 0 ? undefined : await refusal(unknown, configuration, err);
  await prepareEnvironment(process.env, { variables: refused ? {} : variables, warn: err });
  if (refused) throw refused;
}

async function foundFiles(
  { command, words, options, config }: Preparation,
  env: Variables,
  folder: string,
): Promise<{ configuration: string | undefined; variables: Record<string, string>; found: readonly FoundFile[] }> {
  const none = { configuration: undefined, variables: {}, found: [] };
  // It checks the folders of its arguments, and reads no configuration.
  if (!Object.hasOwn(options, 'config') || (command === 'skills' && words[0] === 'check')) return none;
  const named = namedFile(config, env);
  const path =
    named === undefined
      ? CONFIG_FILES.map((name) => join(folder, name)).find((each) => existsSync(each))
      : resolve(folder, named);
  const isRead = READS_VARIABLES.has(command);
  const content = path !== undefined && (named === undefined || isRead) ? await contentOf(path) : undefined;
  const file = path === undefined || named !== undefined ? undefined : foundFile(path, content);
  const own = isRead ? await variablesIn(join(folder, '.env'), content?.toString() ?? '', env) : undefined;
  // A named configuration may start anything, and so its folder is trusted.
  const isOwnFolder = named !== undefined && path !== undefined && dirname(path) === folder;
  return {
    configuration: file?.path,
    variables: own?.variables ?? {},
    found: [...(file ? [file] : []), ...(own && !isOwnFolder ? [own] : [])],
  };
}

/** Returns the configuration that the user has named, by an option or in the environment. */
function namedFile(config: string | undefined, env: Readonly<Variables>): string | undefined {
  return config ?? (env.TOOLWRIGHT_CONFIG || undefined);
}

/** Returns whether a configuration may be used as it is now: the user has named it, or trusts its content. */
export async function mayUse(path: string, config: string | undefined): Promise<boolean> {
  if (namedFile(config, process.env) !== undefined) return true;
  const content = await contentOf(path);
  return content !== undefined && isTrusted(path, content, ownPlace());
}

function foundFile(path: string, content: Buffer | undefined): FoundFile {
  if (content === undefined)
    throw invalid(`${path} is not a file. Remove it, or name the configuration by --config FILE.`);
  return {
    path,
    content,
    // Nothing can start from an invalid file: the command reports its problem.
    describe: async () => (await import('./describe.ts')).describeConfiguration(path, content.toString()),
  };
}

/** Returns the file with its variables, if one of them would be used. */
async function variablesIn(
  path: string,
  configuration: string,
  env: Variables,
): Promise<(FoundFile & { readonly variables: Record<string, string> }) | undefined> {
  const content = await contentOf(path);
  if (content === undefined) return undefined;
  const variables = projectVariables(path, content.toString(), { configuration, env });
  const names = Object.keys(variables);
  return names.length === 0
    ? undefined
    : { path, content, variables, describe: () => [`${path} sets ${names.join(', ')}`] };
}

/** Returns the bytes of a file; undefined for a missing one and a folder. Raises `CONFIG_INVALID` for a pipe, and a file that is too large. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  return readRegularFile(path, MAX_CONFIG_BYTES).catch((error: UnreadableFile) => {
    // A folder `.env` is an environment of Python.
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return undefined;
    throw invalid(`${path} cannot be read: ${error.message}.`);
  });
}

/** Asks about files. Returns the error without a yes. */
async function refusal(
  files: readonly FoundFile[],
  configuration: string | undefined,
  err: Output['err'],
): Promise<UntrustedFilesError | undefined> {
  const lines = (await Promise.all(files.map(({ describe }) => describe()))).flat();
  if (lines.length === 0) return undefined;
  const listing = ['Toolwright found files in this folder that you have not accepted, or that have changed:', ...lines];
  const name = configuration === undefined ? '' : `name the configuration (--config ${configuration}), or `;
  const fix = `Nothing of them was used. If you trust them, ${name}set TOOLWRIGHT_TRUST=1. At a terminal, Toolwright asks once.`;
  const shown = listing.join('\n');
  const answer = await askAtTerminal(`${shown}\nUse them?`);
  if (answer !== true) return new UntrustedFilesError(shown, fix, answer === false);
  try {
    for (const { path, content } of files) remember(path, content, ownPlace());
  } catch (error) {
    err(`warning: the answer cannot be stored, so the next command asks again: ${messageOf(error)}`);
  }
  return undefined;
}

function invalid(message: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', message);
}

/**
 * Returns the variables that a `.env` file adds to an environment: settings, and those that the configuration refers to. Raises
 * `CONFIG_INVALID` for one that only the user may set.
 */
export function projectVariables(
  file: string,
  text: string,
  { configuration, env }: { readonly configuration: string; readonly env: Readonly<Variables> },
): Record<string, string> {
  const references = new Set([...configuration.matchAll(REFERENCE)].map(([, name = '']) => name));
  const missing = Object.entries(parsed(file, text)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && env[entry[0]] === undefined,
  );
  const refused = missing
    .map(([name]) => name)
    .filter((name) => OF_USER.test(name))
    .sort();
  if (refused.length > 0) {
    const message = `${file} sets ${refused.join(', ')}, which a file of a folder may not set. Set it in the environment, and remove it there.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const isUsed = (name: string) => SETTING.test(name) || (references.has(name) && !OF_PROGRAMS.test(name));
  return Object.fromEntries(missing.filter(([name]) => isUsed(name)));
}

function parsed(file: string, text: string): NodeJS.Dict<string> {
  try {
    return parseEnv(text);
  } catch (cause) {
    throw new ToolwrightError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}
