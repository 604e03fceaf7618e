import type { Connector } from './connector.ts';
import { graphqlConnector } from './graphql/graphql.ts';
import { mcpConnector } from './mcp/mcp-connector.ts';
import type { McpConnectorOptions } from './mcp/mcp-options.ts';
import { openApiConnector } from './openapi/openapi.ts';
import type { ServerConfig } from './servers/server-config.ts';

/** Creates the connector for one entry of `mcpServers`: an MCP server, or an API with a description. Connects nothing yet. */
export function openServer(name: string, config: ServerConfig, options: McpConnectorOptions = {}): Connector {
  if ('openapi' in config) return openApiConnector(name, config, options);
  if ('graphql' in config) return graphqlConnector(name, config, options);
  return mcpConnector(name, config, options);
}
