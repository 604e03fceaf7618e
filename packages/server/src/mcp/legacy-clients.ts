import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { RETRY_AFTER_SECONDS } from '../refusal.ts';
import { type RequestsInFlight, requestsInFlight } from './requests-in-flight.ts';

/** Milliseconds without a request after which the session of a client ends. The next request of the client returns 404. */
export const IDLE_MS: number = 60 * 60 * 1000;
/** The most clients of one user with a session. Over the limit, the user's own client that was idle longest loses its session. */
export const MAX_CLIENTS_PER_USER = 100;
/** The most clients with a session. */
export const MAX_CLIENTS = 1_000;

export interface FetchOptions {
  readonly authInfo?: AuthInfo;
}

interface LegacyClient {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly user: unknown;
  readonly inFlight: RequestsInFlight;
  seenMs: number;
}

/** The largest number of clients, per user and in all. */
interface ClientLimits {
  readonly perUser: number;
  readonly inAll: number;
}

/**
 * Serves clients of the revisions before 2026-07-28. Each client has its own server while its `Mcp-Session-Id` is valid,
 * because cancellations and answers of a client arrive in other requests than the call.
 */
export function legacyClients(
  factory: McpServerFactory,
  options: {
    readonly maxBodyBytes: number;
    readonly onerror: (error: Error) => void;
    readonly limits?: ClientLimits;
  },
): { fetch(request: Request, options: FetchOptions): Promise<Response>; close(): Promise<void> } {
  const { limits = { perUser: MAX_CLIENTS_PER_USER, inAll: MAX_CLIENTS } } = options;
  /** In the order of the last requests. */
  const clients = new Map<string, LegacyClient>();

  async function admit(request: Request, { authInfo }: FetchOptions): Promise<Response> {
    const user = userOf(authInfo);
    endExpired();
    if (!makeRoom(user)) return tooManyClients(user, clients, limits);
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: options.maxBodyBytes,
      onsessionclosed: () => void clients.delete(id),
    });
    const inFlight = requestsInFlight();
    const send = transport.send.bind(transport);
    transport.send = (message, sent) => send(message, sent).finally(() => inFlight.settle(message));
    const client = { transport, user, inFlight, seenMs: performance.now() };
    // The place is taken before the client exists, so that simultaneous requests cannot exceed the limits.
    clients.set(id, client);
    try {
      const server = await factory({ era: 'legacy', requestInfo: request, ...(authInfo ? { authInfo } : {}) });
      await server.connect(transport);
      return await handle(client, request, authInfo);
    } finally {
      if (transport.sessionId === undefined) {
        clients.delete(id);
        await transport.close();
      }
    }
  }

  function end(id: string, { transport }: LegacyClient): void {
    clients.delete(id);
    transport.close().catch(options.onerror);
  }

  function endExpired(): void {
    const sinceMs = performance.now() - IDLE_MS;
    for (const [id, client] of clients) {
      if (client.seenMs > sinceMs) return;
      if (client.inFlight.size === 0) end(id, client);
    }
  }

  /** Ends the user's client that was idle longest, if the limits require it. Returns false if the user has no idle one. */
  function makeRoom(user: unknown): boolean {
    const own = [...clients].filter(([, client]) => client.user === user);
    if (own.length < limits.perUser && clients.size < limits.inAll) return true;
    const idle = own.find(([, { inFlight, transport }]) => inFlight.size === 0 && transport.sessionId !== undefined);
    if (idle) end(...idle);
    return idle !== undefined;
  }

  return {
    async fetch(request, { authInfo }) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return admit(request, { ...(authInfo ? { authInfo } : {}) });
      const client = clients.get(id);
      if (!client || client.user !== userOf(authInfo)) return sessionNotFound();
      client.seenMs = performance.now();
      clients.delete(id);
      clients.set(id, client);
      return handle(client, request, authInfo);
    },
    async close() {
      await Promise.allSettled([...clients.values()].map(({ transport }) => transport.close()));
      clients.clear();
    },
  };
}

/** Passes a request to its client. Refuses messages with the id of a request in flight. */
async function handle(
  { transport, inFlight }: LegacyClient,
  request: Request,
  authInfo: AuthInfo | undefined,
): Promise<Response> {
  const auth = authInfo ? { authInfo } : {};
  const parsedBody = request.method === 'POST' ? await jsonOf(request.clone()) : undefined;
  // The transport answers a body that is not JSON.
  if (parsedBody === undefined) return transport.handleRequest(request, auth);
  const refusal = inFlight.receive(parsedBody);
  if (refusal) return Response.json(refusal, { status: 400 });
  const response = await transport.handleRequest(request, { ...auth, parsedBody });
  if (!response.ok) inFlight.forget(parsedBody);
  return response;
}

async function jsonOf(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return undefined;
  }
}

function tooManyClients(user: unknown, clients: ReadonlyMap<string, LegacyClient>, limits: ClientLimits): Response {
  const isOwn = [...clients.values()].filter((client) => client.user === user).length >= limits.perUser;
  const limit = isOwn ? limits.perUser : limits.inAll;
  const message = `${isOwn ? 'This user has' : 'All users together have'} ${limit} MCP sessions, which is the limit. End one with DELETE, or wait until one is idle.`;
  const error = { code: -32000, message, data: { code: 'QUOTA_EXCEEDED', quota: 'mcpSessions', limit } };
  const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 429, headers });
}

function userOf(authInfo: AuthInfo | undefined): unknown {
  return authInfo?.extra?.user;
}

function sessionNotFound(): Response {
  const error = { code: -32001, message: 'Session not found. Send initialize to begin a new one.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
