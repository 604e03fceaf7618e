import { createMcpHandler, isLegacyRequest, type ServerNotifier } from '@modelcontextprotocol/server';
import type { Logger, Store } from '@toolwright/core';
import { countValues, LISTS, MAX_VALUES } from '@toolwright/sandbox/internal';
import { MAX_BODY_BYTES, MAX_BODY_NAMES } from '../http/requests/json-body.ts';
import { ownerOf } from './client.ts';
import { type FetchOptions, legacyClients } from './clients/legacy-clients.ts';
import { storedSessions } from './clients/legacy-sessions.ts';
import { type Follower, type McpServers, subscribedUris } from './context/follow.ts';

/** A shorter body has few values. */
const MAX_UNMEASURED_BYTES = 64 * 1024;

/** MCP over Streamable HTTP. */
export interface McpEndpoint {
  /** Answers one request. `authInfo` is the authenticated principal, if any. */
  fetch(request: Request, options?: FetchOptions): Promise<Response>;
  /** Notifies subscribed clients of changes. */
  readonly notify: ServerNotifier;
  /** Cancels running requests. */
  close(): Promise<void>;
}

/**
 * Serves both kinds of protocol revisions: 2026-07-28 without sessions, and earlier ones with a session per client. With the store of a
 * cluster, every process continues these sessions.
 */
export function mcpEndpoint(factory: McpServers, logger: Logger, store?: Store): McpEndpoint {
  const onerror = (error: Error) => logger.info({ problem: error.message }, 'a request was refused');
  const modern = createMcpHandler(factory, { legacy: 'reject', maxRequestBodySize: MAX_BODY_BYTES, onerror });
  const sessions = store?.name === 'postgres' ? storedSessions(store) : undefined;
  const legacy = legacyClients(factory, { maxBodyBytes: MAX_BODY_BYTES, onerror, sessions });
  const followers = new Map<unknown, Follower>();
  let lists: Promise<() => void> | undefined;
  /** Follows the servers as long as a client of 2026-07-28 listens. */
  const follow = async (message: unknown, signal: AbortSignal, { authInfo }: FetchOptions) => {
    const uris = subscribedUris(message);
    if (uris === undefined || signal.aborted) return;
    lists ??= factory.followLists(modern.notify);
    const owner = ownerOf(authInfo);
    const follower = followers.get(owner) ?? factory.follow(authInfo, modern.notify);
    followers.set(owner, follower);
    signal.addEventListener('abort', follower.add(uris), { once: true });
  };
  return {
    notify: modern.notify,
    async fetch(request, options = {}) {
      const refusal = await refuseManyValues(request);
      if (refusal) return refusal;
      const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES });
      const isListening = !isLegacy && request.headers.get('mcp-method') === 'subscriptions/listen';
      if (isListening) {
        const message: unknown = await request
          .clone()
          .json()
          .catch(() => undefined);
        // Node ends no signal of a collected copy of the request.
        await follow(message, request.signal, options);
      }
      return isLegacy ? legacy.fetch(request, options) : modern.fetch(request, options);
    },
    async close() {
      (await lists?.catch(() => undefined))?.();
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}

/** Returns the answer to a request whose body takes long to parse; undefined for any other. */
async function refuseManyValues(request: Request): Promise<Response | undefined> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (request.method !== 'POST' || length <= MAX_UNMEASURED_BYTES) return undefined;
  const text = await request.clone().text();
  const limits = { depth: Number.POSITIVE_INFINITY, values: MAX_VALUES, names: MAX_BODY_NAMES };
  const excess = countValues(text, limits);
  if (typeof excess === 'number') return undefined;
  const what = excess === 'names' ? `${MAX_BODY_NAMES} different names. ${LISTS}` : `${MAX_VALUES} values. Send fewer.`;
  const error = { code: -32600, message: `The message has more than ${what}` };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 413 });
}
