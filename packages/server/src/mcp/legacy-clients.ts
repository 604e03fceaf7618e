import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** Milliseconds without a request after which the session of a client ends. The next request of the client returns 404. */
export const IDLE_MS: number = 60 * 60 * 1000;
/** The most clients with a session. Over the limit, the session of the least recently active client ends. */
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
 * Serves clients of the revisions before 2026-07-28. Each client has its own server while its `Mcp-Session-Id` is valid,
 * because cancellations and answers of a client arrive in other requests than the call.
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
        endIdleSessions();
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

  function endIdleSessions(): void {
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
      // Keeps the map in the order of the last requests.
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
