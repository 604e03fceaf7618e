import type { Tool } from '@toolwright/connectors';
import { exportNames, primaryNames } from '../../names/exports.ts';
import { PYTHON_NAMES } from './names.ts';
import type { PythonLocation } from './signature.ts';

/** Maps tools to their Python locations, and back. */
export interface PythonLocations {
  /** Replaces the servers: `slugs` maps their names to slugs. */
  rename(slugs: ReadonlyMap<string, string>): void;
  /** Sets all tools of a server. */
  set(server: string, tools: readonly Tool[]): void;
  of(tool: Tool): PythonLocation;
  /** Returns the module of a server. */
  module(server: string): string;
  /** Returns the server of a module, by any name of the module. */
  server(module: string): string | undefined;
  /** Returns the tool of a server by any name of its function, when the server's tools are known. */
  tool(server: string, name: string): Tool | undefined;
}

/** Creates the locations of servers. `slugs` maps server names to slugs. */
export function createPythonLocations(slugs: ReadonlyMap<string, string>): PythonLocations {
  let { slugOf, servers, modules, moduleNames } = namesOf(slugs);
  const known = new Map<string, readonly Tool[]>();
  const exports = new Map<string, Map<string, string>>();
  const primary = new Map<string, Map<string, string>>();
  /** Names are computed at the first use: most servers need none. */
  const once = (made: Map<string, Map<string, string>>, server: string, make: () => Map<string, string>) => {
    const names = made.get(server) ?? make();
    made.set(server, names);
    return names;
  };
  const exportsOf = (server: string) =>
    once(exports, server, () => {
      const names = (known.get(server) ?? []).map(({ definition }) => definition.name);
      return exportNames(names, PYTHON_NAMES);
    });
  const module = (server: string) => moduleNames.get(slugOf.get(server) ?? server) ?? server;

  return {
    rename(renamed) {
      ({ slugOf, servers, modules, moduleNames } = namesOf(renamed));
    },
    set(server, tools) {
      known.set(server, tools);
      exports.delete(server);
      primary.delete(server);
    },
    of({ server, definition: { name } }) {
      const names = once(primary, server, () => primaryNames(exportsOf(server)));
      return { module: module(server), name: names.get(name) ?? PYTHON_NAMES.alias(name) };
    },
    module,
    server: (name) => servers.get(modules.get(name) ?? ''),
    tool(server, name) {
      const own = exportsOf(server).get(name);
      return known.get(server)?.find(({ definition }) => definition.name === own);
    },
  };
}

/** Returns the modules of servers, and the servers by slug. */
function namesOf(slugOf: ReadonlyMap<string, string>) {
  const servers = new Map([...slugOf].map(([server, slug]) => [slug, server]));
  const modules = exportNames([...servers.keys()], PYTHON_NAMES);
  return { slugOf, servers, modules, moduleNames: primaryNames(modules) };
}
