import { resolve } from 'node:path';
import type { ServerConfig } from '../connectors/server-config.ts';
import { type ConfigProblem, isObject, PARSING, schemaProblems, typoProblems } from './problems.ts';
import { SERVER_KEYS, serverSchema } from './schema.ts';
import { secretSources } from './secrets/settings.ts';
import type { Environment } from './variables.ts';

/**
 * Reads the servers of a configuration from `mcpServers` (Claude Desktop, Cursor) and `servers` (VS Code). Adds every
 * mistake to `problems`. Relative working folders start in `folder`.
 */
export function readServers(
  root: Readonly<Record<string, unknown>>,
  env: Environment,
  folder: string,
  problems: ConfigProblem[],
): { servers: Map<string, ServerConfig>; disabled: string[] } {
  const servers = new Map<string, ServerConfig>();
  const disabled: string[] = [];
  const context = { env, sources: secretSources(root.secrets), problems };
  for (const group of ['mcpServers', 'servers']) {
    const entries = root[group];
    if (entries === undefined) continue;
    if (!isObject(entries)) {
      problems.push({ path: [group], text: 'expected an object with one entry per server' });
      continue;
    }
    for (const [name, entry] of Object.entries(entries)) {
      const path = [group, name];
      const server = readServer(name, entry, path, context);
      if (servers.has(name) || disabled.includes(name)) problems.push({ path, text: 'mcpServers has the same name' });
      else if (server === 'disabled') disabled.push(name);
      else if (server !== undefined) servers.set(name, withAbsoluteCwd(server, folder));
    }
  }
  return { servers, disabled };
}

interface ReadContext {
  readonly env: Environment;
  /** The sources of secrets. */
  readonly sources: readonly string[];
  readonly problems: ConfigProblem[];
}

function readServer(
  name: string,
  entry: unknown,
  path: readonly string[],
  { env, sources, problems }: ReadContext,
): ServerConfig | 'disabled' | undefined {
  if (name === '') problems.push({ path, text: 'a server needs a name' });
  if (!isObject(entry)) {
    problems.push({ path, text: 'expected an object with "command" or "url"' });
    return undefined;
  }
  if (entry.disabled === true || entry.enabled === false) return 'disabled';
  const mistaken = typoProblems(entry, SERVER_KEYS, path);
  problems.push(...mistaken);
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
  // The mistaken key is the problem; a second one about the same key would not help.
  if (kind === undefined && mistaken.some(({ meant }) => meant === 'command' || meant === 'url')) return undefined;
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
  const parsed = serverSchema(env, kind, sources).safeParse(kind === 'stdio' ? rest : entry, PARSING);
  if (parsed.success) return parsed.data;
  problems.push(...schemaProblems(parsed.error, path));
  return undefined;
}

function withAbsoluteCwd(server: ServerConfig, folder: string): ServerConfig {
  return 'command' in server && server.cwd !== undefined ? { ...server, cwd: resolve(folder, server.cwd) } : server;
}
