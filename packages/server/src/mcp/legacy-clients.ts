import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import {
  type ClientLimits,
  clientPlaces,
  type LegacyClient,
  MAX_CLIENTS,
  MAX_CLIENTS_PER_USER,
} from './legacy-places.ts';
import type { LegacySessions } from './legacy-sessions.ts';
import { requestsInFlight } from './requests-in-flight.ts';

/** Milliseconds between two extensions of a shared session. */
const SHARE_MS = 60_000;

export interface FetchOptions {
  readonly authInfo?: AuthInfo;
}

/**
 * Serves clients of the revisions before 2026-07-28. Each client has its own server while its `Mcp-Session-Id` is valid,
 * because cancellations and answers of a client arrive in other requests than the call. With `sessions`, a request whose session another
 * process began gets a server here: only answers to questions and cancellations need the process of their call.
 */
export function legacyClients(
  factory: McpServerFactory,
  options: {
    readonly maxBodyBytes: number;
    readonly onerror: (error: Error) => void;
    readonly limits?: ClientLimits;
    readonly sessions?: LegacySessions | undefined;
  },
): { fetch(request: Request, options: FetchOptions): Promise<Response>; close(): Promise<void> } {
  const { limits = { perUser: MAX_CLIENTS_PER_USER, inAll: MAX_CLIENTS }, sessions } = options;
  const { clients, end, makeRoom } = clientPlaces(options.onerror, limits);
  const restoring = new Map<string, Promise<LegacyClient | undefined>>();

  function open(id: string, user: unknown): LegacyClient {
    const onClosed = async () => {
      clients.delete(id);
      await sessions?.end(id);
    };
    const client = newClient(id, user, { maxBodyBytes: options.maxBodyBytes, onClosed });
    // The place is taken before the client exists, so that simultaneous requests cannot exceed the limits.
    clients.set(id, client);
    return client;
  }

  const connect = async ({ transport }: LegacyClient, requestInfo: Request, authInfo: AuthInfo | undefined) =>
    (await factory({ era: 'legacy', requestInfo, ...(authInfo ? { authInfo } : {}) })).connect(transport);

  async function admit(request: Request, { authInfo }: FetchOptions): Promise<Response> {
    const user = userOf(authInfo);
    const refusal = makeRoom(user);
    if (refusal) return refusal;
    const id = randomUUID();
    const client = open(id, user);
    const initialize = sessions ? await jsonOf(request.clone()) : undefined;
    try {
      await connect(client, request, authInfo);
      const response = await handle(client, request, authInfo);
      if (client.transport.sessionId !== undefined && isObject(initialize)) {
        // Without the stored session, other processes answer 404, and the client begins a new one.
        await sessions?.save(id, { ...(typeof user === 'string' ? { user } : {}), initialize }).catch(options.onerror);
      }
      return response;
    } finally {
      if (client.transport.sessionId === undefined) {
        clients.delete(id);
        await client.transport.close();
      }
    }
  }

  /** Opens a session that another process began. Returns undefined for an unknown one, and for that of another user. */
  async function restore(
    id: string,
    request: Request,
    authInfo: AuthInfo | undefined,
  ): Promise<LegacyClient | undefined> {
    const user = userOf(authInfo);
    const found = await sessions?.find(id);
    if (!found || found.user !== user || makeRoom(user)) return undefined;
    const client = open(id, user);
    try {
      await connect(client, request, authInfo);
      await replay(client, found.initialize, request);
      return client;
    } catch (error) {
      clients.delete(id);
      await client.transport.close();
      throw error;
    }
  }

  /** Returns the client of a session, unless it has ended, here or in another process. */
  async function find(id: string, request: Request, authInfo: AuthInfo | undefined): Promise<LegacyClient | undefined> {
    const begun = restoring.get(id);
    if (begun) return begun;
    const known = clients.get(id);
    if (known && sessions && performance.now() - known.sharedMs >= SHARE_MS) {
      known.sharedMs = performance.now();
      const isOpen = await sessions.touch(id).catch(() => true);
      if (!isOpen) end(id, known);
    }
    if (known) return clients.get(id);
    if (sessions === undefined) return undefined;
    const opening = restore(id, request, authInfo).finally(() => restoring.delete(id));
    restoring.set(id, opening);
    return opening;
  }

  return {
    async fetch(request, { authInfo }) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return admit(request, { ...(authInfo ? { authInfo } : {}) });
      const client = await find(id, request, authInfo);
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

function newClient(
  id: string,
  user: unknown,
  { maxBodyBytes, onClosed }: { readonly maxBodyBytes: number; readonly onClosed: () => Promise<void> },
): LegacyClient {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    maxRequestBodySize: maxBodyBytes,
    onsessionclosed: onClosed,
  });
  const inFlight = requestsInFlight();
  const send = transport.send.bind(transport);
  transport.send = (message, sent) => send(message, sent).finally(() => inFlight.settle(message));
  return { transport, user, inFlight, seenMs: performance.now(), sharedMs: performance.now() };
}

/** Sends the recorded begin of a session to a new transport, whose answers nobody needs. */
async function replay({ transport }: LegacyClient, initialize: object, { url }: Request): Promise<void> {
  for (const parsedBody of [initialize, { jsonrpc: '2.0', method: 'notifications/initialized' }]) {
    const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
    if (transport.sessionId !== undefined) headers.set('mcp-session-id', transport.sessionId);
    const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(parsedBody) });
    await (await transport.handleRequest(request, { parsedBody })).text();
  }
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function userOf(authInfo: AuthInfo | undefined): unknown {
  return authInfo?.extra?.user;
}

function sessionNotFound(): Response {
  const error = { code: -32001, message: 'Session not found. Send initialize to begin a new one.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
