import type { Connector } from '../connectors/connector.ts';
import { ToolwrightError } from '../errors.ts';
import { createChanges } from './changes.ts';
import type { Observations } from './inferred-types/store.ts';
import { createKnownTools } from './known-tools.ts';
import { shortHash } from './names/hash.ts';
import { watchServers } from './servers.ts';
import { createPythonLocations } from './signatures/python/locations.ts';
import { toolId } from './tool.ts';
import type { Usage } from './usage/usage.ts';
import { createUserCatalog, type ToolCatalog, type UserCatalog } from './user-catalog.ts';

/**
 * All tools of all servers: finds, describes and resolves them by their catalog-wide ids. Shows declared result types only; the
 * catalog of a user also shows the types that were inferred from the results of this user.
 */
export interface Catalog extends ToolCatalog, AsyncDisposable {
  /** Returns the catalog as one program of a user sees it. */
  forUser(userId: string): UserCatalog;
  /**
   * Adds a server and lists its tools. Raises `CONFIG_INVALID` if the name is taken, and the error of the listing if that
   * fails: the connector is closed then.
   */
  add(connector: Connector): Promise<void>;
  /**
   * Adds a server, or puts it in place of one with the same name: its running calls have `waitMs` to end, and raise `CLOSED`
   * then. A server that cannot list its tools is kept, and asked again later. Raises `CLOSED`.
   */
  put(connector: Connector, waitMs: number): Promise<void>;
  /**
   * Removes a server. Its tools are unknown at once; running calls have `waitMs` to end, and raise `CLOSED` then. Raises
   * `UNKNOWN_SERVER`.
   */
  remove(name: string, waitMs: number): Promise<void>;
}

/** The connectors of a catalog, and how long it waits for them. */
export interface CatalogOptions {
  /** The catalog closes them when it is closed. Their names must differ. */
  readonly connectors: readonly Connector[];
  /** Milliseconds that a search waits for a server's first listing, counted from its start; 2,000 by default. */
  readonly searchWaitMs?: number;
  /** Stores the types of results by user; without it, signatures show declared result types only. */
  readonly observations?: Observations | undefined;
  /** Orders the hits of a user's searches by the user's calls; without it, by words only. The caller disposes it. */
  readonly usage?: Usage | undefined;
  /** Receives a warning when a server cannot list its tools, and for each tool that is left out. */
  readonly log?: { warn(details: object, message: string): void };
}

/** Tools of one listing that are left out and logged. */
const MAX_LOGGED = 100;

/** Creates the catalog of these connectors. Connects to no server before the first request. Raises `CONFIG_INVALID`. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { connectors, searchWaitMs = 2_000, observations, usage, log } = options;
  if (new Set(connectors.map(({ name }) => name)).size < connectors.length) {
    throw new ToolwrightError('CONFIG_INVALID', 'Two servers have the same name. Give each server its own name.');
  }
  const locations = createPythonLocations(new Map());
  const tools = createKnownTools({ locations, idOf: uniqueId });
  const servers = watchServers({
    connectors,
    locations,
    async onListed(connector, definitions, omitted) {
      for (const { name, problem } of omitted.slice(0, MAX_LOGGED)) {
        log?.warn({ server: connector.name, tool: name, problem }, 'left out an unusable tool');
      }
      await tools.set(connector, definitions);
    },
    onFailed: ({ name }, problem) => log?.warn({ server: name, problem }, 'could not list the tools of a server'),
  });
  /** Of two servers `a` and `a__b`, the longer name owns ids with its prefix. So no id depends on the listing order. */
  function uniqueId(server: string, name: string): string {
    const id = toolId(server, name);
    const [owner] = servers.owners(id);
    return owner?.name === server ? id : `${id}_${shortHash(JSON.stringify([server, name]), 8)}`;
  }

  const changes = createChanges({ servers, tools });
  const parts = { servers, tools, locations, searchWaitMs };
  return {
    ...createUserCatalog(parts),
    forUser: (userId) =>
      createUserCatalog(
        parts,
        {
          schemaOf: (tool) => observations?.schemaOf(userId, tool),
          record: (tool, result) => observations?.record(userId, tool, result),
        },
        usage?.forUser(userId),
      ),
    add: changes.add,
    put: changes.put,
    remove: changes.remove,
    async [Symbol.asyncDispose]() {
      changes.end();
      await Promise.allSettled(servers.all.map((server) => server.close()));
      observations?.[Symbol.dispose]();
    },
  };
}
