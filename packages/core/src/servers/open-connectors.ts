import type { Connector, FillSecrets, InvalidServer, ServerConfig } from '@toolwright/connectors';
import { inlineConnector } from '@toolwright/connectors';
import { forwardingConnector, invalidServer, openServer, serverKeyOf } from '@toolwright/connectors/internal';
import { mayUseOAuth } from '@toolwright/connectors/oauth';
import { createSecretReader } from '../config/secrets/reader.ts';
import { ToolwrightError } from '../errors.ts';
import type { LoginsParts } from '../logins/logins.ts';
import { checkInlineNames } from '../option-names.ts';
import type { ToolwrightOptions } from '../options.ts';
import type { Settings } from '../settings.ts';
import type { Logger } from '../telemetry/log.ts';

/**
 * Creates the connectors of a Toolwright: MCP servers, inline tools, plugins, and connectors of the caller. Connects nothing
 * yet. Raises `CONFIG_INVALID` for two servers of one name, and for plugins that cannot be loaded.
 */
export function openConnectors(
  { tools = {}, connectors: given = [] }: ToolwrightOptions,
  settings: Settings,
  { fromPlugins, logins }: { readonly fromPlugins: readonly Connector[]; readonly logins: LoginsParts },
): Connector[] {
  const open = serverOpener(settings, logins);
  const connectors = [
    ...[...settings.servers].map(([name, server]) => open(name, server)),
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

/** Returns a function that creates the connectors of configured servers, with the secrets and the log of a Toolwright. */
export function serverOpener(
  { config: { folder, secrets }, logger }: Settings,
  logins: LoginsParts,
): (name: string, server: ServerConfig | InvalidServer) => Connector {
  const fill = createSecretReader({ folder, commands: secrets });
  return (name, server) => {
    if ('problems' in server) return invalidServer(name, server);
    const log = (line: string) => logger.info({ server: name }, line);
    const logs = {
      log,
      onServerLog: logsDebug(logger) ? (line: string) => logger.debug({ server: name }, line) : undefined,
    };
    const open = (own: FillSecrets) => openServer(name, startedIn(folder, server), { fill: own, ...logs });
    const forwarded = 'url' in server ? server.forwardHeaders : undefined;
    const connector = forwarded
      ? forwardingConnector(name, { forwarded, fill, open })
      : 'url' in server && mayUseOAuth(server)
        ? logins.connect({ server: name, config: server, fill }, logs)
        : open(fill);
    // The key has the folder of the entry only: a moved configuration has the same servers.
    return Object.assign(connector, { serverKey: serverKeyOf(server) });
  };
}

/** Starts a program in the folder of the configuration file, and not where Toolwright was started: clients do that anywhere. */
function startedIn(folder: string, server: ServerConfig): ServerConfig {
  return 'command' in server ? { ...server, cwd: server.cwd ?? folder } : server;
}

/** Servers are asked for their logs only where somebody reads them. */
function logsDebug(logger: Logger): boolean {
  return logger.isLevelEnabled?.('debug') === true;
}
