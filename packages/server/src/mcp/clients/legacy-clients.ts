import type { AuthInfo, McpServerFactory } from '@modelcontextprotocol/server';
import { ownerOf } from '../client.ts';
import { clientOpener, jsonOf } from './legacy-opener.ts';
import {
  type ClientLimits,
  clientPlaces,
  type LegacyClient,
  MAX_CLIENTS,
  MAX_CLIENTS_PER_USER,
} from './legacy-places.ts';
import type { LegacySessions } from './legacy-sessions.ts';

/** Milliseconds between two extensions of a shared session. */
const SHARE_MS = 60_000;

export interface FetchOptions {
  readonly authInfo?: AuthInfo;
}

export interface LegacyClientsOptions {
  readonly maxBodyBytes: number;
  readonly onerror: (error: Error) => void;
  readonly limits?: ClientLimits;
  /** The sessions that the processes of a cluster share. Default: each process has its own. */
  readonly sessions?: LegacySessions | undefined;
}

/**
 * Serves clients of the revisions before 2026-07-28. Each client has its own server while its `Mcp-Session-Id` is valid,
 * because cancellations and answers of a client arrive in other requests than the call. With `sessions`, a request whose session another
 * process began gets a server here: only answers to questions and cancellations need the process of their call.
 */
export function legacyClients(
  factory: McpServerFactory,
  options: LegacyClientsOptions,
): { fetch(request: Request, options: FetchOptions): Promise<Response>; close(): Promise<void> } {
  const { limits = { perUser: MAX_CLIENTS_PER_USER, inAll: MAX_CLIENTS }, sessions } = options;
  const places = clientPlaces(options.onerror, limits);
  const { clients } = places;
  const opener = clientOpener(factory, { ...options, places });
  const restoring = new Map<string, Promise<LegacyClient | undefined>>();

  async function admit(request: Request, { authInfo }: FetchOptions): Promise<Response> {
    const opened = await opener.begin(request, authInfo);
    if (opened instanceof Response) return opened;
    try {
      const response = await handle(opened.client, request, authInfo);
      await opened.begun();
      return response;
    } finally {
      await opened.settle();
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
      if (!isOpen) places.end(id, known);
    }
    if (known) return clients.get(id);
    if (sessions === undefined) return undefined;
    const opening = opener.restore(id, request, authInfo).finally(() => restoring.delete(id));
    restoring.set(id, opening);
    return opening;
  }

  return {
    async fetch(request, { authInfo }) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return admit(request, { authInfo });
      const client = await find(id, request, authInfo);
      if (!client || client.user !== ownerOf(authInfo)) return sessionNotFound();
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

function sessionNotFound(): Response {
  const error = { code: -32001, message: 'Session not found. Send initialize to begin a new one.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
