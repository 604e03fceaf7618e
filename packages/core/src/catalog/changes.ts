import type { Connector } from '@toolwright/connectors';
import { ToolwrightError } from '../errors.ts';
import type { ServerState } from './server-state.ts';
import { type Servers, unavailableServer } from './servers.ts';

/** Adds servers to a catalog and removes them while programs run. */
export interface CatalogChanges {
  add(connector: Connector): Promise<void>;
  remove(name: string, waitMs: number): Promise<void>;
  put(connector: Connector, waitMs: number): Promise<void>;
  replace(connector: Connector, waitMs: number): Promise<void>;
  /** Refuses further servers. */
  end(): void;
}

/** Creates the changes of a catalog's servers. `forget` forgets the tools of one. */
export function createChanges({
  servers,
  forget,
}: {
  readonly servers: Servers;
  readonly forget: (name: string) => void;
}): CatalogChanges {
  const removals = new Map<string, Promise<void>>();
  let isClosed = false;

  function take(server: ServerState, waitMs: number): Promise<void> {
    const { name } = server;
    servers.remove(server);
    forget(name);
    const removal = server.remove(waitMs).finally(() => {
      // A listing that ended during the removal may have added tools.
      forget(name);
      removals.delete(name);
    });
    removals.set(name, removal);
    return removal;
  }

  async function put(connector: Connector, waitMs: number): Promise<void> {
    const { name } = connector;
    await removals.get(name)?.catch(() => undefined);
    // Listed before the exchange, so that programs always find the tools of the old or of the new connector.
    if (servers.named(name)) await connector.tools().catch(() => undefined);
    if (isClosed) {
      await connector[Symbol.asyncDispose]();
      throw new ToolwrightError('CLOSED', 'This Toolwright is closed. Create a new one.');
    }
    const old = servers.named(name);
    const server = old ? servers.replace(old, connector) : servers.add(connector);
    await servers.refresh([server], { retry: true });
    if (!server.listed()) forget(name);
    await old?.remove(waitMs);
  }

  return {
    put,
    async replace(connector, waitMs) {
      try {
        servers.find(connector.name);
        await connector.tools();
      } catch (error) {
        // Without the server, nobody could log in to it.
        if (!(error instanceof ToolwrightError && error.code === 'AUTHORIZATION_REQUIRED')) {
          await connector[Symbol.asyncDispose]();
          throw error;
        }
      }
      await put(connector, waitMs);
    },
    async add(connector) {
      const { name } = connector;
      await removals.get(name)?.catch(() => undefined);
      if (isClosed) throw new ToolwrightError('CLOSED', 'This Toolwright is closed. Create a new one.');
      if (servers.named(name)) {
        const message = `A server "${name}" exists already. Remove it first, or choose another name.`;
        throw new ToolwrightError('CONFIG_INVALID', message);
      }
      const server = servers.add(connector);
      await servers.refresh([server], { retry: true });
      if (server.listed()) return;
      const error = unavailableServer(server);
      // Without the server, nobody could log in to it.
      if (error.code === 'AUTHORIZATION_REQUIRED') return;
      if (servers.named(name) === server) await take(server, 0).catch(() => undefined);
      throw error;
    },
    async remove(name, waitMs) {
      const server = servers.named(name) ?? servers.find(name);
      await take(server, waitMs);
    },
    end() {
      isClosed = true;
    },
  };
}
