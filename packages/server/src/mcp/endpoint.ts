import { createMcpHandler, isLegacyRequest, type ServerNotifier } from '@modelcontextprotocol/server';
import type { Logger, Store } from '@toolwright/core';
import { type Follower, type McpServers, subscribedUris } from './context/follow.ts';
import { type FetchOptions, legacyClients } from './legacy-clients.ts';
import { storedSessions } from './legacy-sessions.ts';

/** The largest request body, in bytes: the largest writable file as base64, with its JSON. */
export const MAX_BODY_BYTES: number = 8 * 1024 * 1024;

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
export function mcpEndpoint(factory: McpServers, logger: Pick<Logger, 'info'>, store?: Store): McpEndpoint {
  const onerror = (error: Error) => logger.info({ problem: error.message }, 'a request was refused');
  const modern = createMcpHandler(factory, { legacy: 'reject', maxRequestBodySize: MAX_BODY_BYTES, onerror });
  const sessions = store?.name === 'postgres' ? storedSessions(store) : undefined;
  const legacy = legacyClients(factory, { maxBodyBytes: MAX_BODY_BYTES, onerror, sessions });
  const followers = new Map<unknown, Follower>();
  let lists: Promise<() => void> | undefined;
  /** Follows the servers as long as a client of 2026-07-28 listens. */
  const follow = async (request: Request, { authInfo }: FetchOptions) => {
    const uris = subscribedUris(await request.json().catch(() => undefined));
    if (uris === undefined || request.signal.aborted) return;
    lists ??= factory.followLists(modern.notify);
    const user = authInfo?.extra?.user;
    const follower = followers.get(user) ?? factory.follow(authInfo, modern.notify);
    followers.set(user, follower);
    request.signal.addEventListener('abort', follower.add(uris), { once: true });
  };
  return {
    notify: modern.notify,
    async fetch(request, options = {}) {
      const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES });
      const isListening = !isLegacy && request.headers.get('mcp-method') === 'subscriptions/listen';
      if (isListening) await follow(new Request(request.clone(), { signal: request.signal }), options);
      return isLegacy ? legacy.fetch(request, options) : modern.fetch(request, options);
    },
    async close() {
      (await lists?.catch(() => undefined))?.();
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}
