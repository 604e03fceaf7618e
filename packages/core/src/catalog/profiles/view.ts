import { type Tool, toolId } from '@toolwright/connectors';
import { fingerprintOf } from '../fingerprint.ts';
import type { KnownTools } from '../known-tools.ts';
import { type Servers, unknownServer } from '../servers.ts';
import type { PythonLocations } from '../signatures/python/locations.ts';
import type { CatalogParts } from '../user-catalog.ts';
import type { Profile } from './profile.ts';

/**
 * Returns the parts of a catalog that a profile has. Every list, search, description, module and call of a program reads these parts, so
 * nothing else of the catalog can be found.
 */
export function partsInProfile(parts: CatalogParts, profile: Profile): CatalogParts {
  const tools = toolsInProfile(parts.tools, profile);
  const servers = serversInProfile(parts.servers, parts.locations, (name, isListed) =>
    isShown(name, isListed, { profile, tools }),
  );
  const inside = (id: string) => {
    const [owner] = parts.servers.owners(id);
    return owner !== undefined && profile.has({ id, server: owner.name });
  };
  return {
    ...parts,
    profile,
    noteOf: (id) => profile.note({ id, server: parts.servers.owners(id)[0]?.name ?? '' }),
    servers,
    tools,
    locations: locationsInProfile(parts.locations, servers, profile),
    quarantineOf: (id) => (inside(id) ? parts.quarantineOf(id) : undefined),
  };
}

/** A server that has listed its tools is shown for those of the profile. */
function isShown(
  server: string,
  isListed: boolean,
  { profile, tools }: { readonly profile: Profile; readonly tools: KnownTools },
): boolean {
  if (profile.hasServer(server)) return true;
  return profile.mayHave(server) && (!isListed || tools.of(server).length > 0);
}

function toolsInProfile(all: KnownTools, profile: Profile): KnownTools {
  /** Skills of the search that runs. They belong to the user, and to no server. */
  let skills: ReadonlySet<Tool> = new Set();
  let print: { readonly of: string; readonly own: string } | undefined;
  const own = () => all.all().filter(profile.has);
  return {
    set: all.set,
    remove: all.remove,
    byId(id) {
      const tool = all.byId(id);
      return tool && profile.has(tool) ? tool : undefined;
    },
    ids: () => own().map(({ id }) => id),
    all: own,
    of: (server) => all.of(server).filter(profile.has),
    get count() {
      return own().length;
    },
    fingerprint() {
      const of = all.fingerprint();
      if (print?.of !== of) print = { of, own: fingerprintOf(own()) };
      return print.own;
    },
    index: {
      ...all.index,
      search: (query, options) =>
        all.index.search(query, { ...options, accepts: (tool) => skills.has(tool) || profile.has(tool) }),
      withTools(extra, search) {
        skills = new Set(extra);
        try {
          return all.index.withTools(extra, search);
        } finally {
          skills = new Set();
        }
      },
    },
  };
}

function serversInProfile(
  servers: Servers,
  locations: PythonLocations,
  shows: (name: string, isListed: boolean) => boolean,
): Servers {
  const visible = <Found extends { readonly name: string; listed(): boolean }>(found: Found | undefined) =>
    found && shows(found.name, found.listed()) ? found : undefined;
  const all = () => servers.all.filter((server) => visible(server) !== undefined);
  const known: Servers['known'] = (name, language) => visible(servers.known(name, language));
  return {
    ...servers,
    get all() {
      return all();
    },
    named: (name) => visible(servers.named(name)),
    known,
    find(name, language) {
      const found = known(name, language);
      if (found) return found;
      const shown = all().map((server) => (language === 'python' ? locations.module(server.name) : server.name));
      throw unknownServer(name, shown, language === 'python' ? shown : all().flatMap((each) => [each.name, each.slug]));
    },
    owners: (id) =>
      all()
        .filter(({ name }) => id.startsWith(toolId(name, '')))
        .sort(byLength),
  };
}

function byLength(a: { readonly name: string }, b: { readonly name: string }): number {
  return b.name.length - a.name.length;
}

function locationsInProfile(locations: PythonLocations, servers: Servers, profile: Profile): PythonLocations {
  return {
    ...locations,
    server(module) {
      const server = locations.server(module);
      return server !== undefined && servers.named(server) ? server : undefined;
    },
    tool(server, name) {
      const tool = locations.tool(server, name);
      return tool && profile.has(tool) ? tool : undefined;
    },
  };
}
