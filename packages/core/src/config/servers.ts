import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { InvalidServer, ServerConfig } from '@toolwright/connectors';
import { isObject, isUrl } from '@toolwright/connectors/internal';
import { type ConfigProblem, linesOf, PARSING, schemaProblems, typoProblems } from './problems.ts';
import { secretSources } from './secrets/settings.ts';
import { KIND_KEYS, serverKeys, serverSchema } from './server-schema.ts';
import type { Environment } from './variables.ts';

/** The name under which a server without a name is listed. */
const UNNAMED = '(unnamed)';
const KINDS_TEXT =
  'one of "command" (a program to start), "url" (an MCP server to reach), "openapi" or "graphql" (an API)';

/** The servers of a configuration. */
export interface ReadServers {
  /** Enabled servers without a problem. */
  readonly servers: ReadonlyMap<string, ServerConfig>;
  /** Enabled servers that cannot be used as they are written. */
  readonly invalid: ReadonlyMap<string, InvalidServer>;
  readonly disabled: readonly string[];
}

/** The place of the servers of a configuration. */
export interface ReadingServers {
  readonly env: Environment;
  /** Absolute folder in which relative paths start. */
  readonly folder: string;
  /** Receives the mistakes outside of entries. */
  readonly problems: ConfigProblem[];
  /** Members of entries, and entries, that the text has more than once. */
  readonly repeated: readonly ConfigProblem[];
}

/**
 * Reads the servers of a configuration from `mcpServers` (Claude Desktop, Cursor) and `servers` (VS Code). A mistake in an entry
 * makes this server invalid.
 */
export function readServers(
  root: Readonly<Record<string, unknown>>,
  { env, folder, problems, repeated }: ReadingServers,
): ReadServers {
  const servers = new Map<string, ServerConfig>();
  const invalid = new Map<string, InvalidServer>();
  const disabled: string[] = [];
  const sources = secretSources(root.secrets);
  for (const group of ['mcpServers', 'servers']) {
    const entries = root[group];
    if (entries === undefined) continue;
    if (!isObject(entries)) {
      problems.push({ path: [group], text: 'expected an object with one entry per server' });
      continue;
    }
    for (const [key, entry] of Object.entries(entries)) {
      const path = [group, key];
      const name = key || UNNAMED;
      const own: ConfigProblem[] = key === '' ? [{ path, text: 'a server needs a name' }] : [];
      own.push(...repeated.filter((problem) => problem.path[0] === group && problem.path[1] === key));
      const server = readServer(entry, path, { env, sources, problems: own });
      const before = isObject(root.mcpServers) && group === 'servers' ? root.mcpServers[key] : undefined;
      if (before !== undefined) {
        if (isDeepStrictEqual(before, entry)) continue;
        servers.delete(name);
        own.push({ path, text: 'mcpServers has another server with this name; rename one of them' });
      }
      if (own.length > 0) invalid.set(name, { problems: [...(invalid.get(name)?.problems ?? []), ...linesOf(own)] });
      else if (server === 'disabled') disabled.push(name);
      else if (server !== undefined) servers.set(name, withAbsolutePaths(server, folder));
    }
  }
  return { servers, invalid, disabled };
}

interface ReadContext {
  readonly env: Environment;
  /** The sources of secrets. */
  readonly sources: readonly string[];
  readonly problems: ConfigProblem[];
}

function readServer(
  entry: unknown,
  path: readonly string[],
  { env, sources, problems }: ReadContext,
): ServerConfig | 'disabled' | undefined {
  if (!isObject(entry)) {
    problems.push({ path, text: 'expected an object with "command", "url", "openapi" or "graphql"' });
    return undefined;
  }
  if (entry.disabled === true || entry.enabled === false) return 'disabled';
  const mistaken = typoProblems(entry, serverKeys(entry), path);
  problems.push(...mistaken);
  for (const key of ['enabled', 'disabled']) {
    const flag = entry[key];
    if (flag !== undefined && typeof flag !== 'boolean')
      problems.push({ path: [...path, key], text: 'expected true or false' });
  }
  const [kind, ...more] = KIND_KEYS.filter((key) => entry[key] !== undefined);
  // The mistaken key is the problem; a second one about the same key would not help.
  if (kind === undefined && mistaken.some(({ meant }) => KIND_KEYS.some((key) => key === meant))) return undefined;
  if (kind === undefined || more.length > 0) {
    const got = kind === undefined ? 'none' : [kind, ...more].map((key) => `"${key}"`).join(' and ');
    problems.push({ path, text: `expected ${KINDS_TEXT}, got ${got}` });
    return undefined;
  }
  const { type, ...rest } = entry;
  if ((type === 'stdio') !== (kind === 'command') && type !== undefined) {
    const belongs = kind === 'command' ? '"command" goes with "stdio"' : '"url" goes with "http" or "sse"';
    problems.push({ path: [...path, 'type'], text: belongs });
    return undefined;
  }
  const parsed = serverSchema(env, kind, sources).safeParse(kind === 'command' ? rest : entry, PARSING);
  if (parsed.success) return parsed.data;
  problems.push(...schemaProblems(parsed.error, path));
  return undefined;
}

/** Relative paths in an entry start in the folder of the configuration. */
function withAbsolutePaths(server: ServerConfig, folder: string): ServerConfig {
  const absolute = (path: string): string => (isUrl(path) ? path : resolve(folder, path));
  if ('openapi' in server) return { ...server, openapi: absolute(server.openapi) };
  if ('graphql' in server)
    return server.schema === undefined ? server : { ...server, schema: resolve(folder, server.schema) };
  return 'command' in server && server.cwd !== undefined ? { ...server, cwd: absolute(server.cwd) } : server;
}
