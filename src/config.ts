import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type ConfigProblem, pathText, schemaProblems, typoProblems } from './config-problems.ts';
import { type Environment, SERVER_KEYS, SETTING_KEYS, serverSchema, settingsSchema } from './config-schema.ts';
import type { ServerConfig } from './connectors/server-config.ts';
import { messageOf, ToolwrightError } from './errors.ts';
import type { Limits } from './execution/limits.ts';

/** Everything that can be configured, checked and with defaults filled in. */
export interface ToolwrightConfig {
  /** Absolute path of the file it came from. */
  readonly file: string;
  /** Enabled upstreams by name, in the order of the file; variables are filled in and `cwd` is absolute. */
  readonly servers: ReadonlyMap<string, ServerConfig>;
  /** Names of upstreams that the file turns off. */
  readonly disabledServers: readonly string[];
  /** Sandbox to run programs in; default `auto`. Environment: `TOOLWRIGHT_SANDBOX`. */
  readonly sandbox: string;
  /** Whether upstreams are connected when first needed (default) or at start. Environment: `TOOLWRIGHT_CONNECT`. */
  readonly connect: 'lazy' | 'eager';
  /** Absolute folder for state; default `.toolwright` beside the file. Environment: `TOOLWRIGHT_DATA_DIR`. */
  readonly dataDir: string;
  /**
   * Limits that differ from `DEFAULT_LIMITS`. Environment: `TOOLWRIGHT_TIMEOUT_MS` for `timeoutMs` and
   * `TOOLWRIGHT_MEMORY_MB` (in MiB) for `memoryBytes`.
   */
  readonly limits: Partial<Limits>;
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

const EXAMPLE =
  '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } }';
const MIB = 1024 * 1024;

/**
 * Reads the configuration file (JSON with comments, `mcpServers` as in Claude Desktop and Cursor or `servers` as in
 * VS Code) and the environment.
 *
 * @throws ToolwrightError `CONFIG_INVALID`, once, with every problem in its message and in `details.problems`.
 */
export function loadConfig(options: LoadConfigOptions = {}): ToolwrightConfig {
  const env = options.env ?? process.env;
  const cwd = options.cwd ?? process.cwd();
  const file = findFile(options.path ?? (env.TOOLWRIGHT_CONFIG || undefined), cwd);
  const root = parseFile(file);
  const problems = typoProblems(root, SETTING_KEYS, []);
  const { servers, disabled } = readServers(root, env, dirname(file), problems);
  const fromEnvironment = environmentSettings(env, cwd);
  const settings = settingsSchema.safeParse(withEnvironment(root, fromEnvironment), { reportInput: true });
  if (!settings.success) {
    const named = schemaProblems(settings.error, []);
    problems.push(...named.map((problem) => ({ ...problem, path: environmentPath(problem.path, fromEnvironment) })));
  }
  if (problems.length > 0 || !settings.success) throw invalid(file, problems);
  const { sandbox, connect, dataDir, limits } = settings.data;
  return {
    file,
    servers,
    disabledServers: disabled,
    sandbox,
    connect,
    dataDir: resolve(dirname(file), dataDir),
    limits,
  };
}

function findFile(path: string | undefined, cwd: string): string {
  const candidates = path === undefined ? ['toolwright.json', '.mcp.json'] : [path];
  const found = candidates.map((candidate) => resolve(cwd, candidate)).find((candidate) => existsSync(candidate));
  if (found !== undefined) return found;
  const looked =
    path === undefined
      ? `neither toolwright.json nor .mcp.json is in ${cwd}`
      : `there is no file ${resolve(cwd, path)}`;
  throw new ToolwrightError('CONFIG_INVALID', `No configuration: ${looked}. A minimal toolwright.json: ${EXAMPLE}`);
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

function readServers(
  root: Readonly<Record<string, unknown>>,
  env: Environment,
  folder: string,
  problems: ConfigProblem[],
): { servers: Map<string, ServerConfig>; disabled: string[] } {
  const servers = new Map<string, ServerConfig>();
  const disabled: string[] = [];
  for (const group of ['mcpServers', 'servers']) {
    const entries = root[group];
    if (entries === undefined) continue;
    if (!isObject(entries)) {
      problems.push({ path: [group], text: 'expected an object with one entry per server' });
      continue;
    }
    for (const [name, entry] of Object.entries(entries)) {
      const path = [group, name];
      const server = readServer(name, entry, env, path, problems);
      if (servers.has(name) || disabled.includes(name))
        problems.push({ path, text: 'this name is in mcpServers already' });
      else if (server === 'disabled') disabled.push(name);
      else if (server !== undefined) servers.set(name, withAbsoluteCwd(server, folder));
    }
  }
  return { servers, disabled };
}

function readServer(
  name: string,
  entry: unknown,
  env: Environment,
  path: readonly string[],
  problems: ConfigProblem[],
): ServerConfig | 'disabled' | undefined {
  if (name === '') problems.push({ path, text: 'a server needs a name' });
  if (!isObject(entry)) {
    problems.push({ path, text: 'expected an object with "command" or "url"' });
    return undefined;
  }
  if (entry.disabled === true || entry.enabled === false) return 'disabled';
  problems.push(...typoProblems(entry, SERVER_KEYS, path));
  for (const key of ['enabled', 'disabled']) {
    const flag = entry[key];
    if (flag !== undefined && typeof flag !== 'boolean')
      problems.push({ path: [...path, key], text: 'expected true or false' });
  }
  const kinds = [
    entry.command === undefined ? [] : ['stdio' as const],
    entry.url === undefined ? [] : ['http' as const],
  ].flat();
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const got = kind === undefined ? 'neither' : 'both';
    problems.push({ path, text: `expected "command" (a program to start) or "url" (a server to reach), got ${got}` });
    return undefined;
  }
  const { type, ...rest } = entry;
  if ((type === 'stdio') !== (kind === 'stdio') && type !== undefined) {
    const belongs = kind === 'stdio' ? '"command" goes with "stdio"' : '"url" goes with "http" or "sse"';
    problems.push({ path: [...path, 'type'], text: belongs });
    return undefined;
  }
  const parsed = serverSchema(env, kind).safeParse(kind === 'stdio' ? rest : entry, { reportInput: true });
  if (parsed.success) return parsed.data;
  problems.push(...schemaProblems(parsed.error, path));
  return undefined;
}

function withAbsoluteCwd(server: ServerConfig, folder: string): ServerConfig {
  return 'command' in server && server.cwd !== undefined ? { ...server, cwd: resolve(folder, server.cwd) } : server;
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function words(camelCase: string): string {
  return camelCase.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
