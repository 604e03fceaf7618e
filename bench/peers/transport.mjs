// The transport to a server as a configuration names it.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const transportOf = (server) =>
  server.url === undefined ? new StdioClientTransport(server) : new StreamableHTTPClientTransport(new URL(server.url));
