import type { Connector } from '../connectors/connector.ts';
import type { Servers } from './servers.ts';

/** The announcements that tools of a catalog may have changed. */
export interface ToolChanges {
  /** Adds a listener. Returns a function that removes it. */
  on(listener: () => void): () => void;
  /** Reports tools that were listed. */
  changed(): void;
  /** Removes the listeners at the servers. */
  end(): void;
}

/** Follows the servers of a catalog: those that come and go, and their own announcements. */
export function followTools(servers: Pick<Servers, 'all' | 'onChanged'>): ToolChanges {
  const listeners = new Set<() => void>();
  const followed = new Map<Connector, () => void>();
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  const follow = (connectors: ReadonlySet<Connector>) => {
    for (const [connector, end] of followed) {
      if (connectors.has(connector)) continue;
      followed.delete(connector);
      end();
    }
    for (const connector of connectors)
      if (!followed.has(connector)) followed.set(connector, connector.onToolsChanged(changed));
  };
  const followAll = () => follow(new Set(servers.all.map(({ connector }) => connector)));
  followAll();
  servers.onChanged(() => {
    followAll();
    changed();
  });
  return {
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed,
    end: () => follow(new Set()),
  };
}
