import type { FillSecrets } from '../servers/server-config.ts';

/** The receivers of lines about a server. */
export interface ServerLogs {
  /** Receives lines about unusual messages of the server that are not errors. Configured secrets are redacted. */
  readonly log?: (line: string) => void;
  /** Receives the log of the server, line by line. Configured secrets are redacted. Default: the server is asked for none. */
  readonly onServerLog?: (line: string) => void;
}

/** More options of the connector of an MCP server. */
export interface McpConnectorOptions extends ServerLogs {
  /** Fills the secrets of the configuration, before each connection. Default: there are none. */
  readonly fill?: FillSecrets;
}
