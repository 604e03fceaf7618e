import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { InvalidServer, ServerConfig } from '@toolwright/connectors';
import { isObject } from '@toolwright/connectors/internal';
import { readRegularText } from '@toolwright/connectors/read-file';
import * as z from 'zod';
import { messageOf, ToolwrightError } from '../errors.ts';
import { CONFIG_FILES, MAX_CONFIG_BYTES } from './command.ts';
import { type ConfigProblem, PARSING, schemaProblems, typoProblems } from './problems.ts';
import { SETTING_KEYS, type Settings, settingsSchema } from './schema.ts';
import { readServers } from './servers.ts';
import { innermost, type Setting, settingsOf } from './setting.ts';
import { EXAMPLE, invalidConfig, parseConfigText, repeatedMembers } from './text.ts';
import type { Environment } from './variables.ts';

export { hasDirectTools } from '../catalog/profiles/callers.ts';
export { checkDataFolder } from './data-folder-check.ts';
export { editFile, readServerEntries, withChangedServer, withoutServer, withServer } from './edit.ts';
export { withMember, withoutMember, withReplacedValues } from './json-edit.ts';
export { openKeychain } from './secrets/keychain.ts';
export { parseConfigText } from './text.ts';

/** The complete configuration, checked and with all defaults. */
export interface ToolwrightConfig extends Omit<Settings, 'dataDir'> {
  /** Absolute path of the configuration file, or the name of the configuration in messages. */
  readonly file: string;
  /** Absolute folder of relative paths in the file. */
  readonly folder: string;
  /** Enabled servers by name, in the order of the file. Variables are filled in, and `cwd` is absolute. */
  readonly servers: ReadonlyMap<string, ServerConfig>;
  /** Enabled servers with a mistake in their entry, by name. They are listed as failed, and the others work. */
  readonly invalidServers: ReadonlyMap<string, InvalidServer>;
  /** Names of servers that the file disables. */
  readonly disabledServers: readonly string[];
  /** Objects of the file that plugins may read, by key, unchanged. */
  readonly sections: Readonly<Record<string, object>>;
  /** Absolute folder of journals, sessions and skills. */
  readonly dataDir: string;
  /** Absolute folder for copies of shown files. */
  readonly outputFolder?: string | undefined;
}

/** The files and the environment that {@link loadConfig} reads. */
export interface LoadConfigOptions {
  /** The file. Default: `TOOLWRIGHT_CONFIG`, else `toolwright.json`, else `.mcp.json` in `cwd`. */
  readonly path?: string | undefined;
  /** Default: `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** Default: `process.env`. It overrides the file. */
  readonly env?: Environment | undefined;
}

/** The options of {@link parseConfig}. */
export interface ParseConfigOptions extends Omit<LoadConfigOptions, 'path'> {
  readonly file?: string | undefined;
  /** Paths of members that the text has more than once. */
  readonly repeated?: readonly (readonly string[])[];
}

/** Settings of the environment by path, each with the name of its variable. */
type EnvironmentSettings = ReadonlyMap<string, { readonly variable: string; readonly value: unknown }>;

/** Accepted spellings of true and false in the environment. */
const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'on', 'yes'].map((word): [string, boolean] => [word, true]),
  ...['0', 'false', 'off', 'no'].map((word): [string, boolean] => [word, false]),
]);

/**
 * Reads the configuration file (JSON with comments, `mcpServers` as in Claude Desktop and Cursor or `servers` as in
 * VS Code) and the environment.
 *
 * A mistake in the entry of a server is no error: the server is in `invalidServers`.
 *
 * @throws ToolwrightError `CONFIG_INVALID`, once, with every problem in its message and in `details.problems`.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ToolwrightConfig> {
  const file = findConfig(options);
  if (file === undefined) {
    const looked = `neither ${CONFIG_FILES.join(' nor ')} is in ${options.cwd ?? process.cwd()}`;
    throw noConfig(looked);
  }
  const text = await readConfigText(file);
  return parseConfig(parseConfigText(file, text), { ...options, file, repeated: repeatedMembers(text) });
}

/**
 * Returns the file that {@link loadConfig} would read; undefined without one. Raises `CONFIG_INVALID` if a named file
 * is missing.
 */
export function findConfig({
  path,
  cwd = process.cwd(),
  env = process.env,
}: LoadConfigOptions = {}): string | undefined {
  const named = path ?? (env.TOOLWRIGHT_CONFIG || undefined);
  if (named === undefined) return CONFIG_FILES.map((name) => resolve(cwd, name)).find((file) => existsSync(file));
  const file = resolve(cwd, named);
  if (existsSync(file)) return file;
  throw noConfig(`there is no file ${file}`);
}

function noConfig(reason: string): ToolwrightError {
  const ways = `"toolwright init" makes one from the servers of your clients. A minimal toolwright.json: ${EXAMPLE}`;
  return new ToolwrightError('CONFIG_INVALID', `No configuration: ${reason}. ${ways}`);
}

/**
 * Checks a configuration that is already an object, in the form of a file. The environment overrides it. `file` is its
 * name in messages, and relative paths start in the folder of `file`. Raises `CONFIG_INVALID` like {@link loadConfig}.
 */
export function parseConfig(
  root: Readonly<Record<string, unknown>>,
  { file = 'the configuration', cwd = process.cwd(), env = process.env, repeated = [] }: ParseConfigOptions = {},
): ToolwrightConfig {
  const folder = dirname(resolve(cwd, file));
  const problems: ConfigProblem[] = typoProblems(root, SETTING_KEYS, []);
  const twice = repeated.map((path): ConfigProblem => ({ path, text: 'is there more than once; keep one' }));
  const ofServer = ({ path: [group, name] }: ConfigProblem) =>
    name !== undefined && (group === 'mcpServers' || group === 'servers');
  problems.push(...twice.filter((problem) => !ofServer(problem)));
  const reading = { env, folder, problems, repeated: twice.filter(ofServer) };
  const { servers, invalid, disabled } = readServers(root, reading);
  const fromEnvironment = environmentSettings(env, cwd);
  const settings = settingsSchema.safeParse(withEnvironment(root, fromEnvironment), PARSING);
  if (!settings.success) {
    const named = schemaProblems(settings.error, []);
    problems.push(...named.map((problem) => ({ ...problem, path: environmentPath(problem.path, fromEnvironment) })));
  }
  if (problems.length > 0 || !settings.success) {
    const ofServers = [...invalid.values()].flatMap((server) => server.problems);
    throw invalidConfig(file, [...problems, ...ofServers.map((text) => ({ path: [], text }))]);
  }
  const { dataDir, outputFolder, ...others } = settings.data;
  return {
    file,
    servers,
    invalidServers: invalid,
    disabledServers: disabled,
    ...others,
    folder,
    sections: sectionsOf(root),
    dataDir: dataDir === undefined ? defaultDataDir(env) : resolve(folder, dataDir),
    outputFolder: outputFolder && resolve(folder, outputFolder),
  };
}

function sectionsOf(root: Readonly<Record<string, unknown>>): Record<string, object> {
  const others = Object.entries(root).filter(([key]) => !SETTING_KEYS.includes(key));
  return Object.fromEntries(others.filter((entry): entry is [string, object] => isObject(entry[1])));
}

/** Returns the default data folder, which is never inside the user's project. */
function defaultDataDir(env: Environment): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'toolwright');
}

/** Reads the text of a configuration file. Raises `CONFIG_INVALID` for anything but a file of at most 16 MiB. */
export async function readConfigText(file: string): Promise<string> {
  try {
    return await readRegularText(file, MAX_CONFIG_BYTES);
  } catch (error) {
    const fix = Object(error).code === 'EISDIR' ? `; name a file in it: ${join(file, 'toolwright.json')}` : '';
    throw invalidConfig(file, [{ path: [], text: `cannot be read: ${messageOf(error)}${fix}` }]);
  }
}

/** Reads all settings that have an environment variable. A relative data folder starts in `cwd`. */
function environmentSettings(env: Environment, cwd: string): EnvironmentSettings {
  const settings = new Map<string, { variable: string; value: unknown }>();
  for (const setting of settingsOf(settingsSchema)) {
    const { env: variable, path } = setting;
    const text = variable === undefined ? undefined : env[variable];
    if (variable === undefined || text === undefined || text === '') continue;
    settings.set(path, { variable, value: path === 'dataDir' ? resolve(cwd, text) : parseVariable(setting, text) });
  }
  return settings;
}

/** Returns the configuration, overridden by the settings of the environment. */
function withEnvironment(root: Readonly<Record<string, unknown>>, settings: EnvironmentSettings): unknown {
  const merged: Record<string, unknown> = { ...root };
  for (const [path, { value }] of settings) {
    const [outer = path, inner] = path.split('.');
    if (inner === undefined) merged[outer] = value;
    else if (merged[outer] === undefined || isObject(merged[outer]))
      merged[outer] = { ...merged[outer], [inner]: value };
  }
  return merged;
}

/** Returns the variable of a setting in place of its path, so that a problem names the variable. */
function environmentPath(path: readonly PropertyKey[], settings: EnvironmentSettings): readonly PropertyKey[] {
  const source = settings.get(path.join('.'));
  return source === undefined ? path : [source.variable];
}

function parseVariable({ schema, envUnit = 1 }: Setting, text: string): unknown {
  const inner = innermost(schema);
  if (inner instanceof z.ZodBoolean) return TRUTH.get(text.toLowerCase()) ?? text;
  if (inner instanceof z.ZodNumber) return /^\d+$/.test(text) ? Number(text) * envUnit : text;
  return inner instanceof z.ZodArray ? text.split(',').map((name) => name.trim()) : text;
}
