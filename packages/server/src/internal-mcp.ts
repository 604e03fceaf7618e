// The parts of `internal` that serve MCP on stdin and stdout. They load without the parts for HTTP.

export { clientState } from './mcp/clients/client-state.ts';
export { fileIndexCache } from './mcp/instructions/cache.ts';
export { serveOnStdio } from './mcp/stdio.ts';
export { mcpServers } from './mcp.ts';
