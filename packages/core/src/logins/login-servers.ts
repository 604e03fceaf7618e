import type { Connector } from '@toolwright/connectors';
import type { ServerLogs } from '@toolwright/connectors/internal';
import { lazyConnector } from '@toolwright/connectors/internal';
import type { Credentials, OAuthContext } from '@toolwright/connectors/oauth';
import { ToolwrightError } from '../errors.ts';
import type { LoginOwner } from './login.ts';

/** The servers that may require logins. */
export interface LoginServers {
  /** Creates the connector of a server, in place of one with the same name. */
  connect(context: Omit<OAuthContext, 'credentials'>, logs: ServerLogs): Connector;
  all(): readonly OAuthContext[];
  /** Returns a server by its name. Raises `UNKNOWN_SERVER`. */
  find(server: string): OAuthContext;
  /** Makes the connector of a server forget the account of a user. */
  changed(owner: LoginOwner): void;
}

/** Creates the servers of a Toolwright that may require logins. */
export function createLoginServers(credentials: Credentials): LoginServers {
  const contexts = new Map<string, OAuthContext>();
  const listeners = new Set<(owner: LoginOwner) => void>();
  return {
    connect(given, logs) {
      const context = { ...given, credentials };
      contexts.set(context.server, context);
      const onLogin = (listener: (userId: string) => void) => {
        const forget = ({ server, userId }: LoginOwner) => {
          if (server === context.server) listener(userId);
        };
        listeners.add(forget);
        return () => listeners.delete(forget);
      };
      const facts = { name: context.server, description: context.config.description };
      return lazyConnector(facts, async () => {
        const { oauthConnector } = await import('@toolwright/connectors/logins');
        return oauthConnector(context, { ...logs, onLogin });
      });
    },
    all: () => [...contexts.values()],
    find(server) {
      const context = contexts.get(server);
      if (context) return context;
      const known = [...contexts.keys()].join(', ') || 'none';
      const message = `The server "${server.slice(0, 100)}" has no logins. Servers with logins: ${known}.`;
      throw new ToolwrightError('UNKNOWN_SERVER', message);
    },
    changed(owner) {
      for (const forget of [...listeners]) forget(owner);
    },
  };
}
