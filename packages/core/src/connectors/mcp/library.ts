// The parts of the connector that need the library of MCP. The connector loads them with its first connection: it takes 0.1 s.
export { callFailure, losesConnection } from './call-failure.ts';
export { watchHealth } from './health.ts';
export { openConnection } from './open-connection.ts';
export { listTools } from './tool-list.ts';
