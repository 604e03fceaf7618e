import type { Connector, ContextSource } from '@toolwright/connectors';
import type { Profile } from './profiles/profile.ts';
import type { ServerState } from './server-state.ts';
import type { Servers } from './servers.ts';

/** A server, with its resources and prompts if it may have any. */
export interface ServerContext {
  readonly name: string;
  readonly source: ContextSource | undefined;
  /** See `Connector.serverKey`. */
  readonly serverKey?: string | undefined;
}

/** The resources and prompts of the servers of a catalog. */
export interface ServerContexts {
  all(): readonly ServerContext[];
  /** Returns one server by its name. Raises `UNKNOWN_SERVER` with similar names. */
  find(name: string): ServerContext;
  /**
   * Calls `listener` when a list of a server may have changed, and when a server with lists was added, replaced or removed. Returns a
   * function that removes the listener.
   */
  onChanged(listener: ListListener): () => void;
}

type ListListener = (list: 'resources' | 'prompts') => void;

/** Returns the resources and prompts of the servers. Those of a server belong to a profile that has the whole server. */
export function contextsOf(servers: Servers, profile?: Profile): ServerContexts {
  const contextOf = ({ name, connector }: ServerState): ServerContext => ({
    name,
    source: profile?.hasServer(name) === false ? undefined : connector.context,
    serverKey: connector.serverKey,
  });
  return {
    all: () => servers.all.map(contextOf),
    find: (name) => contextOf(servers.find(name)),
    onChanged: (listener) => follow(servers, listener),
  };
}

function follow(servers: Servers, listener: ListListener): () => void {
  const ends = new Map<Connector, () => void>();
  /** Listens to the servers of now. Returns whether they differ from those before. */
  const update = (): boolean => {
    const current = new Set(servers.all.map(({ connector }) => connector).filter(({ context }) => context));
    const gone = [...ends.keys()].filter((connector) => !current.has(connector));
    for (const connector of gone) {
      ends.get(connector)?.();
      ends.delete(connector);
    }
    const added = [...current].filter((connector) => !ends.has(connector));
    for (const connector of added) ends.set(connector, connector.context?.onChanged(listener) ?? (() => undefined));
    return gone.length + added.length > 0;
  };
  update();
  const end = servers.onChanged(() => {
    if (!update()) return;
    listener('resources');
    listener('prompts');
  });
  return () => {
    end();
    for (const each of ends.values()) each();
  };
}
