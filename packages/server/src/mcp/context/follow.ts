import type { McpRequestContext, McpServer, McpServerFactory } from '@modelcontextprotocol/server';
import type { Toolwright } from '@toolwright/core';
import type { McpClient } from '../client.ts';
import { clientSubscriptions } from './subscriptions.ts';

/** Notifies clients that a resource has changed. */
interface UpdateNotifier {
  resourceUpdated(uri: string): void;
}

/** Notifies clients that a list has changed. */
interface ListNotifier {
  resourcesChanged(): void;
  promptsChanged(): void;
  toolsChanged(): void;
}

/** Follows the servers behind an MCP server. */
interface Following {
  /** Follows updates of resources for a user. */
  follow(authInfo: McpRequestContext['authInfo'], notify: UpdateNotifier): Follower;
  /** Notifies of changed lists of servers. Returns a function that ends this. */
  followLists(notify: ListNotifier): Promise<() => void>;
}

/** The factory of MCP servers, which can also follow the servers behind them for subscribed clients (2026-07-28). */
export interface McpServers extends McpServerFactory, Following {
  (context: McpRequestContext): Promise<McpServer>;
}

/** The updates that one user's clients follow. */
export interface Follower {
  /** Adds the URIs of one subscription. Returns a function that removes them. */
  add(uris: readonly string[]): () => void;
}

/** Creates the part of {@link McpServers} that follows servers. */
export function createFollowing(
  open: () => Promise<Toolwright>,
  of: (authInfo: McpRequestContext['authInfo']) => McpClient,
): Following {
  return {
    follow(authInfo, notify) {
      const { open: own, principal } = of(authInfo);
      const subscriptions = clientSubscriptions({ open: own, user: principal.user }, notify.resourceUpdated);
      const counts = new Map<string, number>();
      return {
        add(uris) {
          for (const uri of uris) {
            counts.set(uri, (counts.get(uri) ?? 0) + 1);
            // The SDK has confirmed the subscription. Without updates, the client still receives changes of lists.
            subscriptions.add(uri).catch(() => undefined);
          }
          let isOpen = true;
          return () => {
            if (!isOpen) return;
            isOpen = false;
            for (const uri of uris) {
              const left = (counts.get(uri) ?? 1) - 1;
              if (left > 0) counts.set(uri, left);
              else counts.delete(uri);
              if (left === 0) void subscriptions.remove(uri);
            }
          };
        },
      };
    },
    async followLists(notify) {
      const { context, onToolsChanged } = await open();
      const ends = [
        context.onChanged((list) => (list === 'resources' ? notify.resourcesChanged() : notify.promptsChanged())),
        onToolsChanged(() => notify.toolsChanged()),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** Returns the subscribed URIs of a `subscriptions/listen` request; undefined for another message. */
export function subscribedUris(message: unknown): readonly string[] | undefined {
  const { method, params } = Object(message);
  if (method !== 'subscriptions/listen') return undefined;
  const uris: unknown = Object(Object(params).notifications).resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}
