import type { NodeCatalog } from '../../catalogs/catalog.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { WorkflowBody } from '../body.ts';
import { linksOf, linkText } from '../links/connections.ts';
import { linkKey } from '../links/link.ts';
import { nodesOf } from '../links/ports.ts';

interface Edit {
  readonly before: WorkflowBody;
  readonly after: WorkflowBody;
  readonly operations: readonly unknown[];
  /** Data that users pinned to nodes, by the names of the nodes. */
  readonly pinData: unknown;
}

/**
 * Returns the losses of an edit that no operation names. These are connections between remaining nodes, after one was replaced,
 * and pinned data of nodes that have another name.
 */
export function lossesOf({ before, after, operations, pinData }: Edit, catalog: NodeCatalog): string[] {
  const names = namesAfter(before, after);
  const disconnected = new Set(operations.filter(isObject).flatMap(disconnectedEnds));
  const moved = movedNodes(operations);
  const linksAfter = linksOf(after.connections);
  const kept = new Set(linksAfter.map(linkKey));
  const leadsThrough = (names: ReadonlySet<string>, from: string, to: string): boolean =>
    linksAfter.some(
      (link) =>
        link.from === from && names.has(link.to) && kept.has(linkKey({ ...link, from: link.to, to, output: 0 })),
    );
  const nodes = nodesOf(before.nodes, catalog);
  const links = linksOf(before.connections).flatMap((link) => {
    const [from, to] = [names.get(link.from), names.get(link.to)];
    if (from === undefined || to === undefined || kept.has(linkKey({ ...link, from, to }))) return [];
    if (disconnected.has(endsOf(link.from, link.to)) || disconnected.has(endsOf(from, to))) return [];
    if ([link.from, link.to, from, to].some((name) => moved.has(name)) || leadsThrough(moved, from, to)) return [];
    return [
      `The connection "${linkText(link, nodes)}" is gone. Use replaceNode to keep connections, or connect it again.`,
    ];
  });
  const pinned = Object.keys(isObject(pinData) ? pinData : {}).filter((name) => names.has(name));
  const unpinned = pinned.filter((name) => names.get(name) !== name);
  return [
    ...links,
    ...unpinned.map((name) => `The pinned data of "${name}" has no node any more: pin it again in n8n.`),
  ];
}

/** Returns the names of nodes after an edit, by their names before. A node with another id and the same name replaced it. */
function namesAfter(before: WorkflowBody, after: WorkflowBody): Map<string, string> {
  const byId = new Map(after.nodes.map(({ id, name }) => [id, String(name)]));
  const names = new Set(byId.values());
  return new Map(
    before.nodes.flatMap(({ id, name }): [string, string][] => {
      const own = String(name);
      const now = (id === undefined ? undefined : byId.get(id)) ?? (names.has(own) ? own : undefined);
      return now === undefined ? [] : [[own, now]];
    }),
  );
}

/** Returns the nodes that an edit moved to another place between nodes. */
function movedNodes(operations: readonly unknown[]): ReadonlySet<string> {
  const moves = operations.filter(isObject).filter(({ op, after }) => op === 'moveNode' && after !== undefined);
  return new Set(moves.map(({ name }) => String(name)));
}

function disconnectedEnds({ op, from, to }: JsonObject): string[] {
  return op === 'disconnect' ? [endsOf(String(from), String(to))] : [];
}

function endsOf(from: string, to: string): string {
  return JSON.stringify([from, to]);
}
