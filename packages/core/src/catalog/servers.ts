import {
  type Connector,
  type OmittedTool,
  type ToolDefinition,
  type ToolLanguage,
  toolId,
} from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import { messageOf, ToolwrightError } from '../errors.ts';
import { type ProbeOptions, watchFailures } from '../telemetry/health/probes.ts';
import { serversAsked } from '../telemetry/health/server-report.ts';
import { groupNames, hashedName } from './names/hash.ts';
import { suggest } from './names/suggest.ts';
import type { ServerTexts } from './poisoning/server-texts.ts';
import type { UnreadyServer } from './search/answer/notes.ts';
import { countCalls, type ServerState, watchServer } from './server-state.ts';
import type { PythonLocations } from './signatures/python/locations.ts';

const MAX_NAMED_SERVERS = 20;

/** The servers of a catalog, in the order of their configuration; added ones are last. */
export interface Servers {
  readonly all: readonly ServerState[];
  /** Watches one more connector, whose name must be free. */
  add(connector: Connector): ServerState;
  /** Puts a connector in the place of a server with the same name. Does not close that server. */
  replace(server: ServerState, connector: Connector): ServerState;
  /** Forgets a server. Does not close it. */
  remove(server: ServerState): void;
  /** Calls `listener` after a server was added, replaced or removed. Returns a function that removes the listener. */
  onChanged(listener: () => void): () => void;
  /** The server with exactly this configured name. */
  named(name: string): ServerState | undefined;
  /** The server with this configured name or slug, or in Python this module name. */
  known(name: string, language?: ToolLanguage): ServerState | undefined;
  /**
   * The server with this configured name or slug, or in Python this module name. Raises `UNKNOWN_SERVER` with the most
   * similar names.
   */
  find(name: string, language?: ToolLanguage): ServerState;
  /** The servers whose name is a prefix of this tool id, the longest name first. */
  owners(id: string): ServerState[];
  /** Lists the tools of these servers in parallel where that is necessary: see {@link ServerState.refresh}. */
  refresh(
    wanted: readonly ServerState[],
    options: { readonly retry: boolean; readonly waitMs?: number },
  ): Promise<void>;
}

export interface ServersOptions {
  readonly connectors: readonly Connector[];
  readonly locations: PythonLocations;
  readonly onListed: (
    connector: Connector,
    definitions: readonly ToolDefinition[],
    omitted: readonly OmittedTool[],
  ) => Promise<void>;
  readonly onFailed: (connector: Connector, problem: string) => void;
  /** Runs when a server announces that its tools have changed. */
  readonly onStale: () => void;
  /** Runs after each `refresh`. */
  readonly onRefreshed: () => Promise<void>;
  /** Checks the texts of servers. Default: they are not checked. */
  readonly texts?: ServerTexts | undefined;
}

/** Watches all connectors of a catalog. No server is asked for its tools before `refresh`. */
export function watchServers({
  connectors,
  locations,
  onListed,
  onFailed,
  onStale,
  onRefreshed,
  texts,
}: ServersOptions): Servers {
  let all: readonly ServerState[] = [];
  let byName: ReadonlyMap<string, ServerState> = new Map();
  let slugs: ReadonlyMap<string, string> = new Map();
  const listeners = new Set<() => void>();
  const replace = (servers: readonly ServerState[]) => {
    all = servers;
    byName = new Map(all.map((server) => [server.name, server]));
    slugs = serverSlugs([...byName.keys()]);
    locations.rename(slugs);
    for (const listener of [...listeners]) listener();
  };
  const watch = (connector: Connector): ServerState => {
    const server = watchServer(
      countCalls(connector, () => server.answered(), texts),
      () => slugs.get(connector.name) ?? connector.name,
      (definitions, omitted) => onListed(connector, definitions, omitted),
      (problem) => onFailed(connector, problem),
      onStale,
    );
    return server;
  };
  replace(connectors.map(watch));
  const known: Servers['known'] = (name, language) =>
    (language === 'python' ? byName.get(locations.server(name) ?? '') : undefined) ??
    byName.get(name) ??
    all.find(({ slug }) => slug === name);
  return {
    get all() {
      return all;
    },
    add(connector) {
      const server = watch(connector);
      replace([...all, server]);
      return server;
    },
    replace(old, connector) {
      const server = watch(connector);
      replace(all.map((each) => (each === old ? server : each)));
      return server;
    },
    remove: (removed) => replace(all.filter((server) => server !== removed)),
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    named: (name) => byName.get(name),
    known,
    find(name, language = 'typescript') {
      const isPython = language === 'python';
      const found = known(name, language);
      if (found) return found;
      const shown = all.map((server) => (isPython ? locations.module(server.name) : server.name));
      const accepted = isPython ? shown : all.flatMap((server) => [server.name, server.slug]);
      throw unknownServer(name, shown, accepted);
    },
    owners: (id) =>
      all.filter(({ name }) => id.startsWith(toolId(name, ''))).sort((a, b) => b.name.length - a.name.length),
    async refresh(wanted, options) {
      await Promise.all(wanted.map((server) => server.refresh(options)));
      await onRefreshed();
    },
  };
}

/** Probes failed servers until they work again, and reports the states of all servers to the metrics. Disposing ends both. */
export function keepHealthy(servers: Servers, options?: ProbeOptions): Disposable {
  const probes = watchFailures(() => servers.all.map(({ probed }) => probed), options);
  const unsubscribe = serversAsked.subscribe((report) => {
    for (const { name, status } of servers.all) report({ server: name, state: status().state });
  });
  return {
    [Symbol.dispose]() {
      probes[Symbol.dispose]();
      unsubscribe();
    },
  };
}

/** Returns the servers whose tools are missing or may be out of date. */
export function unreadyServers(servers: readonly ServerState[]): UnreadyServer[] {
  return servers
    .filter((server) => !server.listed() || server.failure() !== undefined)
    .map((server) => {
      const failure = server.failure();
      return { name: server.name, problem: failure === undefined ? undefined : messageOf(failure) };
    });
}

/** Returns the error of a server whose tools could not be listed. */
export function unavailableServer(server: ServerState): ToolwrightError {
  const failure = server.failure();
  if (failure instanceof ToolwrightError) return failure;
  const message = `Server "${server.name}" could not list its tools: ${messageOf(failure)}`;
  return new ToolwrightError('UPSTREAM_UNAVAILABLE', message, { cause: failure });
}

/** Returns the error of an unknown server. `shown` are the names to list, and `accepted` those to suggest. */
export function unknownServer(name: string, shown: readonly string[], accepted: readonly string[]): ToolwrightError {
  const suggestions = suggest(name, new Set(accepted), 3);
  const more = shown.length > MAX_NAMED_SERVERS ? ', …' : '';
  const known =
    shown.length === 0
      ? 'No server is configured.'
      : `The servers are: ${shown.slice(0, MAX_NAMED_SERVERS).join(', ')}${more}.`;
  const hint = suggestions.length > 0 ? `Did you mean ${suggestions.join(', ')}?` : known;
  return new ToolwrightError('UNKNOWN_SERVER', `Unknown server "${shorten(name, 30)}". ${hint}`, {
    details: { suggestions },
  });
}

const FILE_NAME = /^[A-Za-z\d](?:[\w-]{0,62}[A-Za-z\d])?$/;
const MAX_SLUG_CHARS = 48;

/**
 * Maps server names to slugs for `./servers/<slug>/index.js`. A plain file name is its own slug. Any other name is cleaned,
 * and gets a short hash where the cleaned form is empty or taken. The result does not depend on the order of `names`.
 */
export function serverSlugs(names: readonly string[]): Map<string, string> {
  const servers = [...new Set(names)].sort();
  const slugs = new Map<string, string>(servers.filter((name) => FILE_NAME.test(name)).map((name) => [name, name]));
  const taken = new Set(slugs.values());
  const rest = groupNames(
    servers.filter((name) => !slugs.has(name)),
    cleanName,
  );
  for (const [base, group] of rest) {
    for (const name of group) {
      const isFree = base !== '' && group.length === 1 && !taken.has(base);
      const slug = isFree ? base : hashedName(base === '' ? 'server' : base, '-', name, taken);
      slugs.set(name, slug);
      taken.add(slug);
    }
  }
  return slugs;
}

function cleanName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w-]+/g, '-')
    .slice(0, MAX_SLUG_CHARS)
    .replace(/^[_-]+|[_-]+$/g, '');
}
