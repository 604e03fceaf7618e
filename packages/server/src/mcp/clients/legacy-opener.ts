import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { ownerOf } from '../client.ts';
import type { ClientPlaces, LegacyClient } from './legacy-places.ts';
import type { LegacySessions } from './legacy-sessions.ts';
import { requestsInFlight } from './requests-in-flight.ts';

export interface ClientOpenerOptions {
  readonly maxBodyBytes: number;
  readonly onerror: (error: Error) => void;
  readonly places: ClientPlaces;
  readonly sessions?: LegacySessions | undefined;
}

/** A client whose session has not begun yet. */
export interface OpenedClient {
  readonly client: LegacyClient;
  /** Shares the session, if its request began one. */
  begun(): Promise<void>;
  /** Frees the place of a client whose request began no session. */
  settle(): Promise<void>;
}

/** Opens the servers of clients. */
export interface ClientOpener {
  /** Opens a client for its first request. Returns a refusal if its user has too many. */
  begin(request: Request, authInfo: AuthInfo | undefined): Promise<OpenedClient | Response>;
  /** Opens a session that another process began. Returns undefined for an unknown one, and for that of another user. */
  restore(id: string, request: Request, authInfo: AuthInfo | undefined): Promise<LegacyClient | undefined>;
}

/** Creates the opener of a process. */
export function clientOpener(factory: McpServerFactory, options: ClientOpenerOptions): ClientOpener {
  const { places, sessions, onerror } = options;
  const { clients } = places;

  async function open(id: string, request: Request, authInfo: AuthInfo | undefined): Promise<LegacyClient> {
    const onClosed = async () => {
      clients.delete(id);
      await sessions?.end(id);
    };
    const client = newClient(id, ownerOf(authInfo), { maxBodyBytes: options.maxBodyBytes, onClosed });
    // The place is taken before the client exists, so that simultaneous requests cannot exceed the limits.
    clients.set(id, client);
    try {
      const server = await factory({ era: 'legacy', requestInfo: request, authInfo });
      await server.connect(client.transport);
      return client;
    } catch (error) {
      await remove(id, client);
      throw error;
    }
  }

  async function remove(id: string, { transport }: LegacyClient): Promise<void> {
    clients.delete(id);
    await transport.close();
  }

  return {
    async begin(request, authInfo) {
      const user = ownerOf(authInfo);
      const refusal = places.freePlace(user);
      if (refusal) return refusal;
      const id = randomUUID();
      const body = sessions ? request.clone() : undefined;
      const client = await open(id, request, authInfo);
      return {
        client,
        async begun() {
          const initialize = client.transport.sessionId === undefined ? undefined : body && (await jsonOf(body));
          if (typeof initialize !== 'object' || initialize === null) return;
          const owner = { user };
          // Without the stored session, other processes answer 404, and the client begins a new one.
          await sessions?.save(id, { ...owner, initialize }).catch(onerror);
        },
        async settle() {
          if (client.transport.sessionId === undefined) await remove(id, client);
        },
      };
    },
    async restore(id, request, authInfo) {
      const user = ownerOf(authInfo);
      const found = await sessions?.find(id);
      if (!found || found.user !== user || places.freePlace(user)) return undefined;
      const client = await open(id, request, authInfo);
      try {
        await replay(client, found.initialize, request);
        return client;
      } catch (error) {
        await remove(id, client);
        throw error;
      }
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

/** Returns the JSON of a request; undefined for another body. */
export async function jsonOf(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return undefined;
  }
}
