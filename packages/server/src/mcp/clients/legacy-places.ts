import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { RETRY_AFTER_SECONDS } from '../../refusal.ts';
import { IDLE_MS } from './legacy-sessions.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';

/** The most clients of one user with a session. Over the limit, the user's own client that was idle longest loses its session. */
export const MAX_CLIENTS_PER_USER = 100;
/** The most clients with a session. */
export const MAX_CLIENTS = 1_000;

/** A client of a revision before 2026-07-28. */
export interface LegacyClient {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly user: unknown;
  readonly inFlight: RequestsInFlight;
  seenMs: number;
  /** When the shared session was extended. */
  sharedMs: number;
}

/** The largest number of clients, per user and in all. */
export interface ClientLimits {
  readonly perUser: number;
  readonly inAll: number;
}

/** The clients of this process, by the ids of their sessions, in the order of the last requests. */
export interface ClientPlaces {
  readonly clients: Map<string, LegacyClient>;
  /** Ends the session of a client in this process. */
  end(id: string, client: LegacyClient): void;
  /** Frees a place for a client of a user. Returns the refusal if the user has no idle client that could end. */
  freePlace(user: unknown): Response | undefined;
}

/** Creates the places of a process. */
export function clientPlaces(onerror: (error: Error) => void, limits: ClientLimits): ClientPlaces {
  const clients = new Map<string, LegacyClient>();

  function end(id: string, { transport }: LegacyClient): void {
    clients.delete(id);
    transport.close().catch(onerror);
  }

  function endExpired(): void {
    const sinceMs = performance.now() - IDLE_MS;
    for (const [id, client] of clients) {
      if (client.seenMs > sinceMs) return;
      if (client.inFlight.size === 0) end(id, client);
    }
  }

  return {
    clients,
    end,
    freePlace(user) {
      endExpired();
      const own = [...clients].filter(([, client]) => client.user === user);
      if (own.length < limits.perUser && clients.size < limits.inAll) return undefined;
      const idle = own.find(([, { inFlight, transport }]) => inFlight.size === 0 && transport.sessionId !== undefined);
      if (!idle) return tooManyClients(own.length >= limits.perUser, limits);
      end(...idle);
      return undefined;
    },
  };
}

function tooManyClients(isOwn: boolean, limits: ClientLimits): Response {
  const limit = isOwn ? limits.perUser : limits.inAll;
  const message = `${isOwn ? 'This user has' : 'All users together have'} ${limit} MCP sessions, which is the limit. End one with DELETE, or wait until one is idle.`;
  const error = { code: -32000, message, data: { code: 'QUOTA_EXCEEDED', quota: 'mcpSessions', limit } };
  const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 429, headers });
}
