import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import type { Logger } from '@toolwright/core';
import { type FetchOptions, legacyClients } from './legacy-clients.ts';

/** Bytes of the body of a request: a file of the largest size that may be written, as base64, and its envelope. */
export const MAX_BODY_BYTES: number = 8 * 1024 * 1024;

/** MCP over Streamable HTTP. */
export interface McpEndpoint {
  /** Answers one request. `authInfo` is who was authenticated, if anybody was. */
  fetch(request: Request, options?: FetchOptions): Promise<Response>;
  /** Tells clients that listen of changes. */
  readonly notify: ServerNotifier;
  /** Ends what is in flight. */
  close(): Promise<void>;
}

/** Serves both eras at one place: 2026-07-28 request by request, and the revisions before it with a session per client. */
export function mcpEndpoint(factory: McpServerFactory, logger: Pick<Logger, 'info'>): McpEndpoint {
  const onerror = (error: Error) => logger.info({ problem: error.message }, 'a request was refused');
  const modern = createMcpHandler(factory, { legacy: 'reject', maxRequestBodySize: MAX_BODY_BYTES, onerror });
  const legacy = legacyClients(factory, { maxBodyBytes: MAX_BODY_BYTES, onerror });
  return {
    notify: modern.notify,
    async fetch(request, options = {}) {
      const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES });
      return isLegacy ? legacy.fetch(request, options) : modern.fetch(request, options);
    },
    async close() {
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}
