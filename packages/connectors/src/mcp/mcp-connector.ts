import type { Connector } from '../connector.ts';
import { lazyConnector } from '../lazy.ts';
import type { McpServerConfig } from '../servers/server-config.ts';
import type { McpConnectorOptions } from './mcp-options.ts';

/**
 * Creates the connector for an MCP server. The server is started or connected when it is first needed, and stays connected. When it
 * dies, running calls fail, and the next call starts it again, with growing pauses. No call is ever sent twice.
 */
export function mcpConnector(name: string, config: McpServerConfig, options: McpConnectorOptions = {}): Connector {
  const { description } = config;
  return lazyConnector({ name, description }, async () =>
    (await import('../mcp.ts')).mcpConnector(name, config, options),
  );
}
