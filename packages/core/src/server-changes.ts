import type { Toolwright } from './api.ts';
import type { Catalog } from './catalog/catalog.ts';
import { type ConfigProblem, isObject, pathText } from './config/problems.ts';
import { KIND_KEYS } from './config/server-schema.ts';
import { readServers } from './config/servers.ts';
import type { Connector } from './connectors/connector.ts';
import { type InlineConnectorOptions, inlineConnector } from './connectors/inline.ts';
import { openServer } from './connectors/open-server.ts';
import type { ServerConfig } from './connectors/server-config.ts';
import { ToolwrightError } from './errors.ts';
import { checkInlineNames, checkOptionNames } from './option-names.ts';
import { checkWaitMs, type Settings } from './settings.ts';

/** Milliseconds that running calls of a removed server have to end. */
const DRAIN_MS = 10_000;

/** Creates the methods of a Toolwright that add and remove servers while programs run. */
export function createServerChanges(
  catalog: Catalog,
  { config: { folder }, logger }: Pick<Settings, 'config' | 'logger'>,
): Pick<Toolwright, 'addServer' | 'removeServer'> {
  const connectorOf = (name: string, config: object): Connector => {
    if (isInline(config)) {
      checkInlineNames(name, config);
      return inlineConnector(name, config);
    }
    return openServer(name, readServer(name, config, folder), { log: (line) => logger.info({ server: name }, line) });
  };
  return {
    async addServer(name, config) {
      await catalog.add(connectorOf(checkName(name), config));
      const added = catalog.servers().find((server) => server.name === name);
      if (added) return added;
      throw new ToolwrightError('CLOSED', `The server "${name}" was removed while it was added.`);
    },
    async removeServer(name, options = {}) {
      checkOptionNames('removeServer', options);
      await catalog.remove(name, checkWaitMs(options.waitMs ?? DRAIN_MS));
    },
  };
}

function checkName(name: unknown): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new ToolwrightError('CONFIG_INVALID', 'addServer: a server needs a name, which is a text.');
}

/** Inline tools are an object of objects under `tools`; the `tools` of an MCP server are lists of names. */
function isInline(config: object): config is InlineConnectorOptions {
  const { tools }: { tools?: unknown } = Object(config);
  return !KIND_KEYS.some((key) => key in config) && isObject(tools) && Object.values(tools).every(isObject);
}

/** Reads a server like an entry of `mcpServers`. Raises `CONFIG_INVALID` with all problems. */
function readServer(name: string, config: unknown, folder: string): ServerConfig {
  const problems: ConfigProblem[] = [];
  const { servers, disabled } = readServers({ servers: { [name]: config } }, process.env, folder, problems);
  const lines = problems.map(({ path, text }) => `${pathText(path.slice(1))}: ${text}`);
  if (disabled.includes(name))
    lines.push(`${pathText([name])}: the server is disabled; remove "disabled" or "enabled"`);
  const server = servers.get(name);
  if (lines.length === 0 && server) return server;
  throw new ToolwrightError('CONFIG_INVALID', `addServer: ${lines.join('; ')}.`);
}
