import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type McpServerFactory,
  originValidationResponse,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import type { Logger } from '../log.ts';
import { mcpEndpoint } from './mcp/endpoint.ts';

export interface HttpOptions {
  readonly mcp: McpServerFactory;
  readonly logger: Pick<Logger, 'info'>;
  /** Names under which clients may reach us, beside those of this machine: against DNS rebinding. */
  readonly hostnames?: readonly string[];
}

/** A web application and its end. */
export interface HttpApplication {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Tells MCP clients that listen of changes. */
  readonly notify: ServerNotifier;
  /** Ends what is in flight. */
  close(): Promise<void>;
}

/** What we serve over HTTP: MCP at `/mcp`, and `/health`. Every route checks Host and Origin. */
export function httpApplication({ mcp, logger, hostnames = [] }: HttpOptions): HttpApplication {
  const allowed = [...localhostAllowedHostnames(), ...hostnames];
  const endpoint = mcpEndpoint(mcp, logger);
  const app = new Hono();
  app.use('*', async ({ req }, next) => {
    const refused = hostHeaderValidationResponse(req.raw, allowed) ?? originValidationResponse(req.raw, allowed);
    return refused ?? next();
  });
  app.get('/health', (context) => context.json({ status: 'ok' }));
  app.all('/mcp', ({ req }) => endpoint.fetch(req.raw));
  app.notFound((context) => context.json({ error: `There is no ${context.req.path} here. MCP is at /mcp.` }, 404));
  return { fetch: app.fetch, notify: endpoint.notify, close: endpoint.close };
}
