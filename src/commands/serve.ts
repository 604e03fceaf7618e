import { once } from 'node:events';
import { stderrLogger } from '../log.ts';
import { listen } from '../servers/listen.ts';
import type { ProfileName } from '../servers/mcp/definitions.ts';
import { type McpOptions, mcpServers } from '../servers/mcp.ts';
import type { Toolwright } from '../toolwright.ts';
import { EXIT, type Output } from './command.ts';

/** Where we listen when nothing is said: on this machine only. */
export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8377;

export interface ServeArguments {
  readonly profile: ProfileName;
  readonly personalData: NonNullable<McpOptions['personalData']>;
  readonly host?: string;
  readonly port?: number;
  readonly signal: AbortSignal;
}

/** Serves MCP over HTTP until it is interrupted. */
export async function serve(
  toolwright: Toolwright,
  { profile, personalData, host = DEFAULT_HOST, port = DEFAULT_PORT, signal }: ServeArguments,
  { out }: Output,
): Promise<number> {
  const logger = stderrLogger();
  const mcp = mcpServers({ open: async () => toolwright, profile, personalData, logger });
  const server = await listen({ mcp, logger, host, port });
  out(`MCP is at ${server.url}/mcp`);
  if (!signal.aborted) await once(signal, 'abort');
  await server.close();
  return EXIT.completed;
}
