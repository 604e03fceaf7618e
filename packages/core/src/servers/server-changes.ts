import { isDeepStrictEqual } from 'node:util';
import {
  type Connector,
  type InlineConnectorOptions,
  type InvalidServer,
  inlineConnector,
  type ServerConfig,
} from '@toolwright/connectors';
import { isObject } from '@toolwright/connectors/internal';
import type { ReloadReport, ServerChanges, ServerEntry } from '../api.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ServerSummary } from '../catalog/user-catalog.ts';
import type { ToolwrightConfig } from '../config/config.ts';
import { type ConfigProblem, linesOf, pathText } from '../config/problems.ts';
import { KIND_KEYS } from '../config/server-schema.ts';
import { readServers } from '../config/servers.ts';
import { ToolwrightError } from '../errors.ts';
import type { LoginsParts } from '../logins/logins.ts';
import { checkInlineNames, checkOptionNames } from '../option-names.ts';
import { checkServers } from '../privacy/privacy.ts';
import { checkWaitMs, type Settings, writtenServers } from '../settings.ts';
import { checkPolicyServers } from '../tool-calls/policy/servers.ts';
import { serverOpener } from './open-connectors.ts';

/** Milliseconds that running calls of a removed server have to end. */
const DRAIN_MS = 10_000;

/** An MCP server that runs now. */
export interface RunningServer {
  readonly config: ServerConfig | InvalidServer;
  /** Whether the configuration file has it; else it was added at run time. */
  readonly isInFile: boolean;
}

/** The parts that a reload changes. */
interface ReloadParts {
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

/** Creates the methods of a Toolwright that add, remove and exchange servers while programs run. */
export function createServerChanges(catalog: Catalog, settings: Settings, logins: LoginsParts): ServerChanges {
  const { config } = settings;
  const connectorOf = serverOpener(settings, logins);
  const running = new Map<string, RunningServer>(
    [...writtenServers(config)]
      .filter(([name]) => !settings.ownServers.has(name))
      .map(([name, server]) => [name, { config: server, isInFile: settings.readConfig !== undefined }]),
  );
  /** A server is also found by its slug. */
  function configuredName(name: string): string {
    const known = catalog.servers();
    const found = known.find((each) => each.name === name) ?? known.find((each) => each.slug === name);
    return found?.name ?? name;
  }

  async function open(
    method: string,
    name: string,
    entry: ServerEntry,
    put: (connector: Connector) => Promise<void>,
  ): Promise<ServerSummary> {
    checkName(method, name);
    if (isInline(entry)) {
      checkInlineNames(name, entry);
      await put(inlineConnector(name, entry));
      running.delete(name);
    } else {
      const server = readServer(method, name, entry, config);
      await put(connectorOf(name, server));
      running.set(name, { config: server, isInFile: running.get(name)?.isInFile ?? false });
    }
    const opened = catalog.servers().find((each) => each.name === name);
    if (opened) return opened;
    throw new ToolwrightError('CLOSED', `The server "${name}" was removed while it was opened.`);
  }

  return {
    addServer: (name, entry) => open('addServer', name, entry, catalog.add),
    replaceServer: (name, entry) =>
      open('replaceServer', configuredName(name), entry, (connector) => catalog.replace(connector, DRAIN_MS)),
    async removeServer(name, options = {}) {
      checkOptionNames('removeServer', options);
      running.delete(configuredName(name));
      await catalog.remove(name, checkWaitMs(options.waitMs ?? DRAIN_MS));
    },
    reload: createReload({ catalog, settings, running, connectorOf, drainMs: DRAIN_MS }),
  };
}

function checkName(method: string, name: unknown): void {
  if (typeof name === 'string' && name !== '') return;
  throw new ToolwrightError('CONFIG_INVALID', `${method}: a server needs a name, which is a text.`);
}

/** Inline tools are an object of objects under `tools`; the `tools` of an MCP server are lists of names. */
function isInline(config: object): config is InlineConnectorOptions {
  const { tools }: { tools?: unknown } = Object(config);
  return !KIND_KEYS.some((key) => key in config) && isObject(tools) && Object.values(tools).every(isObject);
}

/** Reads a server like an entry of `mcpServers`. Raises `CONFIG_INVALID` with all problems. */
function readServer(
  method: string,
  name: string,
  entry: unknown,
  { folder, secrets }: Settings['config'],
): ServerConfig {
  const problems: ConfigProblem[] = [];
  const { servers, invalid, disabled } = readServers(
    { servers: { [name]: entry }, secrets },
    { env: process.env, folder, problems, repeated: [] },
  );
  const found = [...linesOf(problems), ...[...invalid.values()].flatMap((each) => each.problems)];
  const lines = found.map((line) => line.replace(/^servers\.?/, ''));
  if (disabled.includes(name))
    lines.push(`${pathText([name])}: the server is disabled; remove "disabled" or "enabled"`);
  const server = servers.get(name);
  if (lines.length === 0 && server) return server;
  throw new ToolwrightError('CONFIG_INVALID', `${method}: ${lines.join('; ')}.`);
}

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
