import { STICKY_NOTE } from '../../catalogs/names.ts';
import type { JsonObject } from '../../json.ts';
import { linksOf } from '../links/connections.ts';
import type { Link } from '../links/link.ts';
import { COLUMN_WIDTH, layoutOf, type Position, ROW_HEIGHT } from './layout.ts';

/** A workflow as far as its layout matters. */
interface Placed {
  readonly nodes: readonly JsonObject[];
  readonly connections: JsonObject;
}

/** New nodes that are placed one by one next to their neighbours. More of them are laid out together. */
const MAX_SINGLE = 20;
/** Places that are tried next to a neighbour. */
const MAX_TRIED = 20;

/**
 * Returns the workflow with positions for nodes that have none. Positions that exist are kept: new nodes are placed next to
 * the nodes they are connected with, or below all others.
 */
export function withPositions<Workflow extends Placed>(workflow: Workflow): Workflow {
  const { nodes, connections } = workflow;
  const isMissing = (node: JsonObject): boolean => !isPosition(node.position);
  const missing = nodes.filter(isMissing);
  if (missing.length === 0) return workflow;
  const links = linksOf(connections);
  if (missing.length === nodes.length || missing.length > MAX_SINGLE) {
    const positions = layoutOf(nodes, links);
    const shift = missing.length === nodes.length ? 0 : bottomOf(nodes.filter((node) => !isMissing(node)));
    const placed = nodes.map((node, place) => {
      const [x, y] = positions[place] ?? [0, 0];
      return isMissing(node) ? { ...node, position: [x, y + shift] } : node;
    });
    return { ...workflow, nodes: placed };
  }
  const placed = [...nodes];
  for (const [place, node] of nodes.entries()) {
    if (isMissing(node)) placed[place] = { ...node, position: positionFor(node, placed, links) };
  }
  return { ...workflow, nodes: placed };
}

/** Returns whether a value is a position: two finite numbers. */
export function isPosition(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((each) => Number.isFinite(each));
}

function positionFor(node: JsonObject, nodes: readonly JsonObject[], links: readonly Link[]): Position {
  const placed = nodes.filter(({ position }) => isPosition(position));
  const hosts = new Set(links.flatMap(({ to, type }) => (type === 'main' ? [] : [to])));
  const at = (name: string): Position | undefined => {
    const found = placed.find((each) => each.name === name)?.position;
    return isPosition(found) ? found : undefined;
  };
  for (const [own, offset, step] of neighbours(node, links, hosts)) {
    const [x, y] = at(own) ?? [];
    if (x === undefined || y === undefined) continue;
    for (let tried = 0; tried < MAX_TRIED; tried++) {
      const wanted: Position = [x + offset[0] + tried * step[0], y + offset[1] + tried * step[1]];
      if (isFree(wanted, hosts.has(String(node.name)), placed, hosts)) return wanted;
    }
  }
  const left = placed.reduce((least, { position }) => Math.min(least, isPosition(position) ? position[0] : least), 0);
  return [left, bottomOf(placed)];
}

type Offset = readonly [x: number, y: number];

/** Returns the names of connected nodes, the place next to each, and the direction in which to look for free space. */
function neighbours(
  { name }: JsonObject,
  links: readonly Link[],
  hosts: ReadonlySet<string>,
): (readonly [string, Offset, Offset])[] {
  const down: Offset = [0, ROW_HEIGHT];
  const right: Offset = [COLUMN_WIDTH, 0];
  return links.flatMap(({ from, to, type }): (readonly [string, Offset, Offset])[] => {
    if (type !== 'main') return from === name ? [[to, down, right]] : [];
    if (to === name) return [[from, [widthOf(hosts.has(from)), 0], down]];
    return from === name ? [[to, [-widthOf(hosts.has(String(name))), 0], down]] : [];
  });
}

/** Returns whether no node is close. Sticky notes are behind the nodes. */
function isFree([x, y]: Position, isHost: boolean, placed: readonly JsonObject[], hosts: ReadonlySet<string>): boolean {
  return placed.every(({ name, position, type }) => {
    if (type === STICKY_NOTE || !isPosition(position)) return true;
    const isBeside = x >= position[0] + widthOf(hosts.has(String(name))) || position[0] >= x + widthOf(isHost);
    return isBeside || Math.abs(position[1] - y) >= ROW_HEIGHT;
  });
}

/** Returns the width that a node needs. A node with sub-nodes is wider than one column. */
function widthOf(isHost: boolean): number {
  return isHost ? 2 * COLUMN_WIDTH : COLUMN_WIDTH;
}

function bottomOf(nodes: readonly JsonObject[]): number {
  const lowest = nodes.reduce(
    (most, { position }) => Math.max(most, isPosition(position) ? position[1] : most),
    Number.NEGATIVE_INFINITY,
  );
  return Number.isFinite(lowest) ? lowest + 2 * ROW_HEIGHT : 0;
}
