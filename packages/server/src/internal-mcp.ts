// The parts of `internal` that serve MCP on stdin and stdout. They load without the parts for HTTP.
export { indexCache } from './mcp/instructions/cache.ts';
export { openRecentTools } from './mcp/instructions/recent-tools.ts';
export { mcpServers } from './mcp.ts';
export { serveOnStdio } from './stdio.ts';
