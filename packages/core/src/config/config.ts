import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { DockerSettings } from '@toolwright/sandbox/internal';
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { ServerConfig } from '../connectors/server-config.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { Limits } from '../execution/limits.ts';
import type { PiiSettings } from '../privacy.ts';
import type { AuthSettings } from './access.ts';
import { type ConfigProblem, isObject, PARSING, pathText, schemaProblems, typoProblems } from './problems.ts';
import type { RateLimitSettings } from './rate-limits.ts';
import { SETTING_KEYS, settingsSchema } from './schema.ts';
import { readServers } from './servers.ts';
import type { Environment } from './variables.ts';

/** Everything that can be configured, checked and with defaults filled in. */
export interface ToolwrightConfig {
  /** Absolute path of the file it came from, or what stands for it. */
  readonly file: string;
  /** Enabled upstreams by name, in the order of the file; variables are filled in and `cwd` is absolute. */
  readonly servers: ReadonlyMap<string, ServerConfig>;
  /** Names of upstreams that the file turns off. */
  readonly disabledServers: readonly string[];
  /** Absolute folder that relative paths of the file start from. */
  readonly folder: string;
  /** Packages of plugins to load, beside those that an object of the file asks for. */
  readonly plugins: readonly string[];
  /** Objects of the file that a plugin may read, by key, as written. */
  readonly sections: Readonly<Record<string, object>>;
  /** Sandbox to run programs in; default `auto`. Environment: `TOOLWRIGHT_SANDBOX`. */
  readonly sandbox: string;
  /** Whether upstreams are connected when first needed (default) or at start. Environment: `TOOLWRIGHT_CONNECT`. */
  readonly connect: 'lazy' | 'eager';
  /**
   * Absolute folder for ledgers and sessions; default `$XDG_STATE_HOME/toolwright` or `~/.local/state/toolwright`.
   * Environment: `TOOLWRIGHT_DATA_DIR`.
   */
  readonly dataDir: string;
  /** Whose `/workspace` the sessions share; each has its own when not set. Environment: `TOOLWRIGHT_CUSTOMER`. */
  readonly customer?: string | undefined;
  /**
   * Image, engine socket and OCI runtime of the sandbox `docker`. Environment: `TOOLWRIGHT_DOCKER_IMAGE`,
   * `TOOLWRIGHT_DOCKER_SOCKET`, `TOOLWRIGHT_DOCKER_RUNTIME`.
   */
  readonly docker: DockerSettings;
  /** Whether TypeScript programs are checked before they run; default `true`. Environment: `TOOLWRIGHT_CHECK`. */
  readonly check: boolean;
  /**
   * Days after their last use at which sessions and ledgers are deleted; 0 keeps them. Default 90. Environment:
   * `TOOLWRIGHT_RETENTION_DAYS`.
   */
  readonly retentionDays: number;
  /**
   * Where state is kept that processes share: `sqlite` (default, a file of the data folder), `memory`, or a `redis://` URL.
   * Environment: `TOOLWRIGHT_STORE`.
   */
  readonly store: string;
  /** How personal data is protected. Environment: `TOOLWRIGHT_PII` for `mode`. */
  readonly pii: PiiSettings;
  /**
   * Limits that differ from `DEFAULT_LIMITS`. Environment: `TOOLWRIGHT_TIMEOUT_MS` for `timeoutMs` and
   * `TOOLWRIGHT_MEMORY_MB` (in MiB) for `memoryBytes`.
   */
  readonly limits: Partial<Limits>;
  /** Whose tokens a server accepts beside API keys. */
  readonly auth: AuthSettings;
  /** What users and keys of a server may use up. */
  readonly rateLimits: RateLimitSettings;
  /**
   * Names under which clients reach `toolwright serve`, beside those of this machine. Environment:
   * `TOOLWRIGHT_HOSTNAMES`, separated by commas.
   */
  readonly hostnames: readonly string[];
  /** Whether the answer of a task is given to its user with values in place of placeholders; default `false`. */
  readonly restoreAnswer: boolean;
}

/** Where {@link loadConfig} looks. */
export interface LoadConfigOptions {
  /** The file. Default: `TOOLWRIGHT_CONFIG`, else `toolwright.json`, else `.mcp.json` in `cwd`. */
  readonly path?: string | undefined;
  /** Default: `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** Default: `process.env`. It wins over the file. */
  readonly env?: Environment | undefined;
}

/** What {@link parseConfig} is told beside the configuration. */
export interface ParseConfigOptions extends Omit<LoadConfigOptions, 'path'> {
  readonly file?: string | undefined;
}

const DEFAULT_FILES = ['toolwright.json', '.mcp.json'];
const EXAMPLE =
  '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } }';
/** How people write yes and no in an environment variable. */
const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'on', 'yes'].map((word): [string, boolean] => [word, true]),
  ...['0', 'false', 'off', 'no'].map((word): [string, boolean] => [word, false]),
]);
const MIB = 1024 * 1024;

/**
 * Reads the configuration file (JSON with comments, `mcpServers` as in Claude Desktop and Cursor or `servers` as in
 * VS Code) and the environment.
 *
 * @throws ToolwrightError `CONFIG_INVALID`, once, with every problem in its message and in `details.problems`.
 */
export function loadConfig(options: LoadConfigOptions = {}): ToolwrightConfig {
  const file = findConfig(options);
  if (file === undefined) {
    const looked = `neither ${DEFAULT_FILES.join(' nor ')} is in ${options.cwd ?? process.cwd()}`;
    throw new ToolwrightError('CONFIG_INVALID', `No configuration: ${looked}. A minimal toolwright.json: ${EXAMPLE}`);
  }
  return parseConfig(parseFile(file), { ...options, file });
}

/** The file that {@link loadConfig} would read, when there is one. Raises `CONFIG_INVALID` for a named one that is not there. */
export function findConfig({
  path,
  cwd = process.cwd(),
  env = process.env,
}: LoadConfigOptions = {}): string | undefined {
  const named = path ?? (env.TOOLWRIGHT_CONFIG || undefined);
  if (named === undefined) return DEFAULT_FILES.map((name) => resolve(cwd, name)).find((file) => existsSync(file));
  const file = resolve(cwd, named);
  if (existsSync(file)) return file;
  const message = `No configuration: there is no file ${file}. A minimal toolwright.json: ${EXAMPLE}`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/**
 * Checks a configuration that is an object already, as a file's content would be; the environment counts here too.
 * `file` is what messages call it, and where relative paths start. Raises `CONFIG_INVALID` like {@link loadConfig}.
 */
export function parseConfig(
  root: Readonly<Record<string, unknown>>,
  { file = 'the configuration', cwd = process.cwd(), env = process.env }: ParseConfigOptions = {},
): ToolwrightConfig {
  const folder = dirname(resolve(cwd, file));
  const problems = typoProblems(root, SETTING_KEYS, []);
  const { servers, disabled } = readServers(root, env, folder, problems);
  const fromEnvironment = environmentSettings(env, cwd);
  const settings = settingsSchema.safeParse(withEnvironment(root, fromEnvironment), PARSING);
  if (!settings.success) {
    const named = schemaProblems(settings.error, []);
    problems.push(...named.map((problem) => ({ ...problem, path: environmentPath(problem.path, fromEnvironment) })));
  }
  if (problems.length > 0 || !settings.success) throw invalid(file, problems);
  const { dataDir, ...others } = settings.data;
  return {
    file,
    servers,
    disabledServers: disabled,
    ...others,
    folder,
    sections: sectionsOf(root),
    dataDir: dataDir === undefined ? defaultDataDir(env) : resolve(folder, dataDir),
  };
}

function sectionsOf(root: Readonly<Record<string, unknown>>): Record<string, object> {
  const others = Object.entries(root).filter(([key]) => !SETTING_KEYS.includes(key));
  return Object.fromEntries(others.filter((entry): entry is [string, object] => isObject(entry[1])));
}

/** Where state goes when nothing says otherwise: never into the project that is worked on. */
function defaultDataDir(env: Environment): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'toolwright');
}

function parseFile(file: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw invalid(file, [{ path: [], text: `cannot be read: ${messageOf(error)}` }]);
  }
  const errors: ParseError[] = [];
  const tree: Node | undefined = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const before = text.slice(0, first.offset).split('\n');
    const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    throw invalid(file, [{ path: [], text: `not valid JSON at ${where}: ${words(printParseErrorCode(first.error))}` }]);
  }
  const root: unknown = tree === undefined ? undefined : getNodeValue(tree);
  if (!isObject(root)) throw invalid(file, [{ path: [], text: `expected an object such as ${EXAMPLE}` }]);
  return root;
}

/** Settings that the environment gives, with the name of the variable that each came from. */
type EnvironmentSettings = ReadonlyMap<string, { readonly variable: string; readonly value: unknown }>;

function environmentSettings(env: Environment, cwd: string): EnvironmentSettings {
  const settings = new Map<string, { variable: string; value: unknown }>();
  const read = (path: string, variable: string, convert: (text: string) => unknown): void => {
    const text = env[variable];
    if (text !== undefined && text !== '') settings.set(path, { variable, value: convert(text) });
  };
  read('sandbox', 'TOOLWRIGHT_SANDBOX', String);
  read('connect', 'TOOLWRIGHT_CONNECT', String);
  read('dataDir', 'TOOLWRIGHT_DATA_DIR', (text) => resolve(cwd, text));
  read('docker.image', 'TOOLWRIGHT_DOCKER_IMAGE', String);
  read('docker.socketPath', 'TOOLWRIGHT_DOCKER_SOCKET', String);
  read('docker.runtime', 'TOOLWRIGHT_DOCKER_RUNTIME', String);
  read('customer', 'TOOLWRIGHT_CUSTOMER', String);
  read('check', 'TOOLWRIGHT_CHECK', (text) => TRUTH.get(text.toLowerCase()) ?? text);
  read('retentionDays', 'TOOLWRIGHT_RETENTION_DAYS', (text) => numberOr(text, 1));
  read('store', 'TOOLWRIGHT_STORE', String);
  read('pii.mode', 'TOOLWRIGHT_PII', String);
  read('hostnames', 'TOOLWRIGHT_HOSTNAMES', (text) => text.split(',').map((name) => name.trim()));
  read('limits.timeoutMs', 'TOOLWRIGHT_TIMEOUT_MS', (text) => numberOr(text, 1));
  read('limits.memoryBytes', 'TOOLWRIGHT_MEMORY_MB', (text) => numberOr(text, MIB));
  return settings;
}

function numberOr(text: string, unit: number): unknown {
  return /^\d+$/.test(text) ? Number(text) * unit : text;
}

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

function environmentPath(path: readonly PropertyKey[], settings: EnvironmentSettings): readonly PropertyKey[] {
  const source = settings.get(path.join('.'));
  return source === undefined ? path : [source.variable];
}

function invalid(file: string, problems: readonly ConfigProblem[]): ToolwrightError {
  const lines = problems.map(({ path, text }) => (path.length === 0 ? text : `${pathText(path)}: ${text}`));
  const title = `${file} has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:`;
  return new ToolwrightError('CONFIG_INVALID', [title, ...lines.map((line) => `  ${line}`)].join('\n'), {
    details: { file, problems: lines },
  });
}

function words(camelCase: string): string {
  return camelCase.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
