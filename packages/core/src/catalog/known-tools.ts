import type { Connector, Tool } from '@toolwright/connectors';
import { fingerprintOf } from './fingerprint.ts';
import type { CallableTool } from './pins/pins.ts';
import { createToolIndex, type ToolIndex } from './search/tool-index.ts';
import type { PythonLocations } from './signatures/python/locations.ts';

/** The tools that are known now: by id, by server, by words, and by their place in Python. */
export interface KnownTools {
  /** Replaces all tools of a server. Resolves when searches find them. */
  set(connector: Connector, callable: readonly CallableTool[]): Promise<void>;
  /** Forgets all tools of a server. */
  remove(server: string): void;
  byId(id: string): Tool | undefined;
  ids(): Iterable<string>;
  /** All tools, ordered by id. */
  all(): Tool[];
  of(server: string): readonly Tool[];
  readonly count: number;
  /** A hash of all definitions. It does not depend on the order in which servers answered. */
  fingerprint(): string;
  readonly index: ToolIndex;
}

export interface KnownToolsOptions {
  readonly locations: PythonLocations;
  /** Makes the catalog-wide id of a server's tool. */
  readonly idOf: (server: string, name: string) => string;
}

/** Creates an empty set of tools. */
export function createKnownTools({ locations, idOf }: KnownToolsOptions): KnownTools {
  const index = createToolIndex();
  const byServer = new Map<string, readonly Tool[]>();
  const byId = new Map<string, Tool>();
  let fingerprint: string | undefined;
  const all = () => [...byId.values()].sort(byIdOrder);

  return {
    index,
    byId: (id) => byId.get(id),
    ids: () => byId.keys(),
    all,
    of: (server) => byServer.get(server) ?? [],
    get count() {
      return byId.size;
    },
    async set({ name: server, description, serverKey }, callable) {
      for (const { id } of byServer.get(server) ?? []) byId.delete(id);
      const tools = callable.map(({ definition, isQuarantined }): Tool => {
        const tool = { id: idOf(server, definition.name), server, definition, serverKey };
        return isQuarantined ? { ...tool, isQuarantined } : tool;
      });
      for (const tool of tools) byId.set(tool.id, tool);
      byServer.set(server, tools);
      locations.set(server, tools);
      fingerprint = undefined;
      await index.load(server, { description, tools });
    },
    remove(server) {
      for (const { id } of byServer.get(server) ?? []) byId.delete(id);
      byServer.delete(server);
      locations.set(server, []);
      fingerprint = undefined;
      index.remove(server);
    },
    fingerprint() {
      fingerprint ??= fingerprintOf(all());
      return fingerprint;
    },
  };
}

function byIdOrder(a: Tool, b: Tool): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
