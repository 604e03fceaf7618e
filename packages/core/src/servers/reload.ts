import { isDeepStrictEqual } from 'node:util';
import type { Connector, InvalidServer, ServerConfig } from '@toolwright/connectors';
import type { ReloadReport } from '../api.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ToolwrightConfig } from '../config/config.ts';
import { isObject } from '../config/problems.ts';
import { ToolwrightError } from '../errors.ts';
import { checkServers } from '../privacy/privacy.ts';
import { type Settings, writtenServers } from '../settings.ts';
import { checkPolicyServers } from '../tool-calls/policy/servers.ts';

/** An MCP server that runs now. */
export interface RunningServer {
  readonly config: ServerConfig | InvalidServer;
  /** Whether the configuration file has it; else it was added at run time. */
  readonly isInFile: boolean;
}

/** The parts that a reload changes. */
export interface ReloadParts {
  readonly catalog: Catalog;
  readonly settings: Settings;
  /** The running MCP servers by name. The reload keeps it up to date. */
  readonly running: Map<string, RunningServer>;
  readonly connectorOf: (name: string, config: ServerConfig | InvalidServer) => Connector;
  /** Milliseconds that running calls of a removed or exchanged server have to end. */
  readonly drainMs: number;
}

/** Settings that a reload applies, and facts that are no settings. */
const APPLIED: ReadonlySet<string> = new Set(['servers', 'invalidServers', 'disabledServers', 'file', 'folder']);

/** Creates `reload` of a Toolwright. Reloads follow one another. */
export function createReload(parts: ReloadParts): () => Promise<ReloadReport> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const reloaded = last.then(() => reload(parts));
    last = reloaded.catch(() => undefined);
    return reloaded;
  };
}

async function reload({ catalog, settings, running, connectorOf, drainMs }: ReloadParts): Promise<ReloadReport> {
  if (settings.readConfig === undefined) {
    throw new ToolwrightError(
      'CONFIG_INVALID',
      'reload: there is no configuration file. Use addServer and removeServer.',
    );
  }
  const config = await settings.readConfig();
  const wanted = new Map([...writtenServers(config)].filter(([name]) => !settings.ownServers.has(name)));
  const known = catalog.servers().map(({ name }) => name);
  const taken = known.find((name) => wanted.has(name) && !running.has(name));
  if (taken !== undefined) {
    const message = `${config.file}: mcpServers.${taken}: the server "${taken}" exists already, and is not from this file. Rename one of them.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const removed = [...running].filter(([name, { isInFile }]) => isInFile && !wanted.has(name)).map(([name]) => name);
  checkNames(config, [...known.filter((name) => !removed.includes(name)), ...wanted.keys(), ...config.disabledServers]);
  const different = [...wanted].filter(([name, server]) => !isDeepStrictEqual(running.get(name)?.config, server));
  const report = {
    added: different.map(([name]) => name).filter((name) => !known.includes(name)),
    removed,
    changed: different.map(([name]) => name).filter((name) => known.includes(name)),
    needsRestart: changedSettings(settings.config, config),
  };
  for (const name of removed) running.delete(name);
  for (const [name, server] of wanted) running.set(name, { config: server, isInFile: true });
  await Promise.all([
    ...removed.map((name) => catalog.remove(name, drainMs)),
    ...different.map(([name, server]) => catalog.put(connectorOf(name, server), drainMs)),
  ]);
  return report;
}

/** Checks the names of servers in the new settings: they count after a restart, which must not fail then. */
function checkNames({ pii, policy }: ToolwrightConfig, known: readonly string[]): void {
  checkServers(pii, known);
  checkPolicyServers(policy, known);
}

function changedSettings(before: ToolwrightConfig, after: ToolwrightConfig): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !APPLIED.has(key));
  return keys.flatMap((key) => {
    const path = key === 'sections' ? [] : [key];
    return changedPaths(before[key as keyof ToolwrightConfig], after[key as keyof ToolwrightConfig], path);
  });
}

/** Returns the paths of different values: of the members of an object in the second level. */
function changedPaths(before: unknown, after: unknown, path: readonly string[]): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (path.length === 2 || !isObject(before) || !isObject(after)) return [path.join('.')];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => changedPaths(before[key], after[key], [...path, key]));
}
