import type { Connector } from './connectors/connector.ts';
import { inlineConnector } from './connectors/inline.ts';
import { openServer } from './connectors/open-server.ts';
import { ToolwrightError } from './errors.ts';
import { checkInlineNames } from './option-names.ts';
import type { ToolwrightOptions } from './options.ts';
import type { Settings } from './settings.ts';

/**
 * Creates the connectors of a Toolwright: MCP servers, inline tools, plugins, and connectors of the caller. Connects nothing
 * yet. Raises `CONFIG_INVALID` for two servers of one name, and for plugins that cannot be loaded.
 */
export function openConnectors(
  { tools = {}, connectors: given = [] }: ToolwrightOptions,
  { servers, logger }: Settings,
  fromPlugins: readonly Connector[],
): Connector[] {
  const connectors = [
    ...[...servers].map(([name, server]) =>
      openServer(name, server, { log: (line) => logger.info({ server: name }, line) }),
    ),
    ...Object.entries(tools).map(([name, inline]) => {
      checkInlineNames(name, inline);
      return inlineConnector(name, inline);
    }),
    ...fromPlugins,
    ...given,
  ];
  const names = connectors.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate === undefined) return connectors;
  throw new ToolwrightError('CONFIG_INVALID', `Two servers have the name "${duplicate}". Give each its own name.`);
}
