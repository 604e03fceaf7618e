import type { Connector } from '../connectors/connector.ts';
import type { Servers } from './servers.ts';

/** The announcements that tools of a catalog may have changed. */
export interface ToolChanges {
  /** Adds a listener. Returns a function that removes it. */
  on(listener: () => void): () => void;
  /** Reports tools that were listed. */
  changed(): void;
}

/** Follows the servers of a catalog: those that come and go, and their own announcements. */
export function followTools(servers: Pick<Servers, 'all' | 'onChanged'>): ToolChanges {
  const listeners = new Set<() => void>();
  const known = new Set<Connector>();
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  const follow = () => {
    for (const { connector } of servers.all) {
      if (known.has(connector)) continue;
      known.add(connector);
      // The connector ends with its listeners.
      connector.onToolsChanged(changed);
    }
    const current = new Set(servers.all.map(({ connector }) => connector));
    for (const connector of known) if (!current.has(connector)) known.delete(connector);
  };
  follow();
  servers.onChanged(() => {
    follow();
    changed();
  });
  return {
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed,
  };
}
