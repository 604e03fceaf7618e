import type { Connector, ServerConfig } from '@toolwright/connectors';
import { type InlineConnectorOptions, inlineConnector } from '@toolwright/connectors';
import type { ServerEntry, Toolwright } from '../api.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ServerSummary } from '../catalog/user-catalog.ts';
import { type ConfigProblem, isObject, linesOf, pathText } from '../config/problems.ts';
import { KIND_KEYS } from '../config/server-schema.ts';
import { readServers } from '../config/servers.ts';
import { ToolwrightError } from '../errors.ts';
import type { LoginsParts } from '../logins/logins.ts';
import { checkInlineNames, checkOptionNames } from '../option-names.ts';
import { checkWaitMs, type Settings, writtenServers } from '../settings.ts';
import { serverOpener } from './open-connectors.ts';
import { createReload, type RunningServer } from './reload.ts';

/** Milliseconds that running calls of a removed server have to end. */
const DRAIN_MS = 10_000;

/** Creates the methods of a Toolwright that add, remove and exchange servers while programs run. */
export function createServerChanges(
  catalog: Catalog,
  settings: Settings,
  logins: LoginsParts,
): Pick<Toolwright, 'addServer' | 'replaceServer' | 'removeServer' | 'reload'> {
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
