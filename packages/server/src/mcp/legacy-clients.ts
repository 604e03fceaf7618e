import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** Milliseconds without a request after which a client is forgotten; it is told so, and begins anew. */
export const IDLE_MS: number = 60 * 60 * 1000;
/** Clients that are remembered; the one that was heard of least recently is forgotten. */
export const MAX_CLIENTS = 1_000;

export interface FetchOptions {
  readonly authInfo?: AuthInfo;
}

interface LegacyClient {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly user: unknown;
  seenMs: number;
}

/**
 * Clients of the revisions before 2026-07-28, each with a server of its own for as long as its `Mcp-Session-Id` lasts:
 * what a client cancels or answers comes in other requests than the call that it belongs to.
 */
export function legacyClients(
  factory: McpServerFactory,
  options: { readonly maxBodyBytes: number; readonly onerror: (error: Error) => void },
): { fetch(request: Request, options: FetchOptions): Promise<Response>; close(): Promise<void> } {
  const clients = new Map<string, LegacyClient>();

  async function admit(request: Request, { authInfo }: FetchOptions): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: options.maxBodyBytes,
      onsessioninitialized: (id) => {
        forgetIdle();
        clients.set(id, { transport, user: userOf(authInfo), seenMs: performance.now() });
      },
      onsessionclosed: (id) => void clients.delete(id),
    });
    const server = await factory({ era: 'legacy', requestInfo: request, ...(authInfo ? { authInfo } : {}) });
    await server.connect(transport);
    const response = await transport.handleRequest(request, authInfo ? { authInfo } : {});
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  function forgetIdle(): void {
    const sinceMs = performance.now() - IDLE_MS;
    for (const [id, { transport, seenMs }] of clients) {
      if (seenMs > sinceMs && clients.size < MAX_CLIENTS) continue;
      clients.delete(id);
      transport.close().catch(options.onerror);
    }
  }

  return {
    async fetch(request, { authInfo }) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return admit(request, { ...(authInfo ? { authInfo } : {}) });
      const client = clients.get(id);
      if (!client || client.user !== userOf(authInfo)) return sessionNotFound();
      client.seenMs = performance.now();
      // The order of the map is that of the last requests.
      clients.delete(id);
      clients.set(id, client);
      return client.transport.handleRequest(request, authInfo ? { authInfo } : {});
    },
    async close() {
      await Promise.allSettled([...clients.values()].map(({ transport }) => transport.close()));
      clients.clear();
    },
  };
}

function userOf(authInfo: AuthInfo | undefined): unknown {
  return authInfo?.extra?.user;
}

function sessionNotFound(): Response {
  const error = { code: -32001, message: 'Session not found. Send initialize to begin a new one.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
