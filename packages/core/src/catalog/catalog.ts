import { type Connector, toolId } from '@toolwright/connectors';
import { ToolwrightError } from '../errors.ts';
import { createChanges } from './changes.ts';
import type { Observations } from './inferred-types/observations.ts';
import { createKnownTools } from './known-tools.ts';
import { shortHash } from './names/hash.ts';
import { quarantineText, type ToolPin } from './pins/pin.ts';
import type { PinSettings } from './pins/pins.ts';
import { openPins } from './pins/pins.ts';
import { checkServerTexts } from './poisoning/server-texts.ts';
import { type Callers, compileCallers } from './profiles/callers.ts';
import type { Profile, Profiles } from './profiles/profile.ts';
import { partsInProfile } from './profiles/view.ts';
import { keepHealthy, watchServers } from './servers.ts';
import { createPythonLocations } from './signatures/python/locations.ts';
import type { Usage } from './usage/usage.ts';
import { type CatalogParts, createUserCatalog, type ToolCatalog, type UserCatalog } from './user-catalog.ts';

/**
 * All tools of all servers: finds, describes and resolves them by their catalog-wide ids. Shows declared result types only; the
 * catalog of a user also shows the types that were inferred from the results of this user.
 */
export interface Catalog extends ToolCatalog, AsyncDisposable {
  /** Returns the catalog as one program of a user sees it. */
  forUser(userId: string): UserCatalog;
  /**
   * Returns the catalog with the tools of a profile that programs call; of the default profile without a name. `*` has all tools. Raises
   * `CONFIG_INVALID` for an unknown profile, and for one that names nothing.
   */
  forProfile(name?: string): Catalog;
  /** Returns the catalog with the tools of a profile that clients call directly. Raises the errors of {@link forProfile}. */
  forDirect(name?: string): Catalog;
  /** Calls `listener` when the tools may have changed. Returns a function that removes it. */
  onToolsChanged(listener: () => void): () => void;
  /**
   * Adds a server and lists its tools. Raises `CONFIG_INVALID` if the name is taken, and the error of the listing if that
   * fails: the connector is closed then. A server that requires a login is kept.
   */
  add(connector: Connector): Promise<void>;
  /**
   * Adds a server, or puts it in place of one with the same name: its running calls have `waitMs` to end, and raise `CLOSED`
   * then. A server that cannot list its tools is kept, and asked again later. Raises `CLOSED`.
   */
  put(connector: Connector, waitMs: number): Promise<void>;
  /**
   * Puts a server in place of one with the same name, as `put` does, but only if it lists its tools or requires a login. Raises
   * `UNKNOWN_SERVER`, and the error of the listing: the connector is closed then, and the old one stays.
   */
  replace(connector: Connector, waitMs: number): Promise<void>;
  /**
   * Removes a server. Its tools are unknown at once; running calls have `waitMs` to end, and raise `CLOSED` then. Raises
   * `UNKNOWN_SERVER`.
   */
  remove(name: string, waitMs: number): Promise<void>;
  /** Returns the names of the headers of clients that a server needs. */
  clientHeaders(): readonly string[];
  /** The pins of the tools; undefined without pinning. */
  readonly pins: CatalogPins | undefined;
}

/** The pins of the tools that a catalog knows. */
interface CatalogPins {
  /** Returns all tools, also those in quarantine, after a look at the stored approvals. */
  list(): Promise<readonly ToolPin[]>;
  /** Accepts tools as their servers list them now, and returns their pins. Raises `UNKNOWN_TOOL`. */
  approve(ids: readonly string[]): Promise<readonly ToolPin[]>;
}

/** The connectors of a catalog, and how long it waits for them. */
interface CatalogOptions {
  /** The catalog closes them when it is closed. Their names must differ. */
  readonly connectors: readonly Connector[];
  /** Milliseconds that a search waits for a server's first listing, counted from its start; 2,000 by default. */
  readonly searchWaitMs?: number;
  /** Stores the types of results by user; without it, signatures show declared result types only. */
  readonly observations?: Observations | undefined;
  /** Orders the hits of a user's searches by the user's calls; without it, by words only. The caller disposes it. */
  readonly usage?: Usage | undefined;
  /** Keeps new, changed and suspicious tools in quarantine; without it, every tool is accepted. */
  readonly pinning?: PinSettings | undefined;
  /** Default: there are no profiles. */
  readonly profiles?: Profiles | undefined;
  /** The callers of tools. Default: programs call all. */
  readonly callers?: Callers | undefined;
  /** Receives a warning when a server cannot list its tools, and for each tool that is left out. */
  readonly log?: { warn(details: object, message: string): void };
}

/** No client calls a tool directly. */
const NO_CLIENTS = compileCallers({ direct: [], callers: {} });
/** Tools of one listing that are left out and logged. */
const MAX_LOGGED = 100;

/** The announcements that tools of a catalog may have changed: servers came, went or announced it, or their tools were listed. */
interface ToolChanges {
  /** Adds a listener. Returns a function that removes it. */
  on(listener: () => void): () => void;
  /** Calls the listeners. */
  changed(): void;
}

/** Creates the catalog of these connectors. Connects to no server before the first request. Raises `CONFIG_INVALID`. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { connectors, searchWaitMs = 2_000, observations, pinning, profiles, callers = NO_CLIENTS, log } = options;
  if (new Set(connectors.map(({ name }) => name)).size < connectors.length) {
    throw new ToolwrightError('CONFIG_INVALID', 'Two servers have the same name. Give each server its own name.');
  }
  const locations = createPythonLocations(new Map());
  const tools = createKnownTools({ locations, idOf: uniqueId });
  const toolChanges = createToolChanges();
  const servers = watchServers({
    connectors,
    locations,
    async onListed(connector, definitions, omitted) {
      for (const { name, problem } of omitted.slice(0, MAX_LOGGED)) {
        log?.warn({ server: connector.name, tool: name, problem }, 'left out an unusable tool');
      }
      const callable = definitions.map((definition) => ({ definition, isQuarantined: false }));
      await tools.set(connector, pins ? await pins.listed(connector, definitions) : callable);
      toolChanges.changed();
    },
    onStale: () => toolChanges.changed(),
    onRefreshed: recheck,
    texts: pinning && checkServerTexts({ mode: pinning.mode, log }),
    onFailed: ({ name }, problem) => log?.warn({ server: name, problem }, 'could not list the tools of a server'),
  });
  servers.onChanged(toolChanges.changed);
  const health = keepHealthy(servers);
  const orderOf = (name: string) => servers.all.findIndex((server) => server.name === name);
  const pins = pinning && openPins({ ...pinning, idOf: uniqueId, orderOf, log });
  async function recheck(now?: boolean): Promise<void> {
    for (const [name, callable] of (await pins?.recheck(now)) ?? []) {
      const server = servers.named(name);
      if (server) await tools.set(server.connector, callable);
    }
  }
  /** Of two servers `a` and `a__b`, the longer name owns ids with its prefix. So no id depends on the listing order. */
  function uniqueId(server: string, name: string): string {
    const id = toolId(server, name);
    const [owner] = servers.owners(id);
    return owner?.name === server ? id : `${id}_${shortHash(JSON.stringify([server, name]), 8)}`;
  }

  const forget = (name: string) => {
    tools.remove(name);
    pins?.removed(name);
  };
  const { end, ...changes } = createChanges({ servers, forget });
  const quarantineOf = (id: string) => {
    const pin = pins?.hidden(id);
    return pin && quarantineText(pin);
  };
  const parts = { servers, tools, locations, searchWaitMs, quarantineOf };
  const view = (profile: Profile | undefined) =>
    profile ? { ...catalog, ...viewsOf(partsInProfile(parts, profile), options) } : catalog;
  const catalog: Catalog = {
    ...viewsOf(parts, options),
    forProfile: (name) => view(callers.programs(profiles?.find(name))),
    forDirect: (name) => view(callers.direct(profiles?.find(name))),
    onToolsChanged: toolChanges.on,
    clientHeaders: () => [...new Set(servers.all.flatMap(({ connector }) => connector.clientHeaders ?? []))],
    ...changes,
    pins: pins && {
      async list() {
        await recheck(true);
        return pins.all();
      },
      async approve(ids) {
        await pins.approve(ids);
        await recheck(true);
        return pins.all().filter(({ id }) => ids.includes(id));
      },
    },
    async [Symbol.asyncDispose]() {
      end();
      health[Symbol.dispose]();
      await Promise.allSettled(servers.all.map((server) => server.close()));
      await observations?.[Symbol.asyncDispose]();
    },
  };
  return catalog;
}

/** Returns the views of a catalog: of nobody, and of each user. */
function viewsOf(parts: CatalogParts, { observations, usage }: CatalogOptions) {
  return {
    ...createUserCatalog(parts),
    forUser: (userId: string) =>
      createUserCatalog(
        parts,
        {
          ready: () => observations?.ready(userId),
          schemaOf: (tool) => observations?.schemaOf(userId, tool),
          record: (tool, result) => observations?.record(userId, tool, result),
        },
        usage?.forUser(userId),
      ),
  };
}

/** Creates the announcements of a catalog. */
function createToolChanges(): ToolChanges {
  const listeners = new Set<() => void>();
  return {
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed() {
      for (const listener of [...listeners]) listener();
    },
  };
}
