import { columnsOf, type Link } from './columns.ts';
import type { GraphConnection, GraphNode } from './graph.ts';

/** Size of a drawn node, and the distance from one to the next, in pixels. */
export const NODE_WIDTH = 176;
export const NODE_HEIGHT = 64;
const COLUMN = 248;
const ROW = 124;
const MARGIN = 16;

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A connection with the places of its nodes in the list of nodes. */
export interface PlacedLink extends Link {
  readonly type: string;
  readonly output: number;
}

export interface Layout {
  /** The top left corner of each node. */
  readonly places: readonly Place[];
  /** The connections between two different nodes of the graph. */
  readonly links: readonly PlacedLink[];
  readonly width: number;
  readonly height: number;
}

/** Columns and rows of a node with its sub-nodes. */
interface Block {
  readonly width: number;
  readonly height: number;
}

/**
 * Places the nodes of a graph: steps from left to right, and branches below each other. The models, memories and tools of a node are
 * below it. Reads no positions of the graph: they may overlap.
 */
export function layoutOf(nodes: readonly GraphNode[], connections: readonly GraphConnection[]): Layout {
  const links = linksOf(nodes, connections);
  const hosts = hostsOf(nodes.length, links);
  const children: number[][] = nodes.map(() => []);
  for (const [sub, host] of hosts.entries()) if (host !== undefined) children[host]?.push(sub);
  const blocks = blocksOf(children, hosts);
  const steps = nodes.flatMap((_node, index) => (hosts[index] === undefined ? [index] : []));
  const main = links.filter(({ from, to }) => hosts[from] === undefined && hosts[to] === undefined);
  const cells = cellsOf(steps, main, blocks);
  const places: Place[] = nodes.map(() => ({ x: MARGIN, y: MARGIN }));
  const queue: (readonly [node: number, column: number, row: number])[] = [...cells];
  let [columns, rows] = [0, 0];
  for (let at = 0; at < queue.length; at++) {
    const [node, column, row] = queue[at] as (typeof queue)[number];
    places[node] = { x: MARGIN + column * COLUMN, y: MARGIN + row * ROW };
    [columns, rows] = [Math.max(columns, column), Math.max(rows, row)];
    let next = column;
    for (const child of children[node] ?? []) {
      queue.push([child, next, row + 1]);
      next += blocks[child]?.width ?? 1;
    }
  }
  const size = { width: columns * COLUMN + NODE_WIDTH + 2 * MARGIN, height: rows * ROW + NODE_HEIGHT + 2 * MARGIN };
  return { places, links, ...size };
}

/** Of nodes with the same name, the first one has the connections. */
function linksOf(nodes: readonly GraphNode[], connections: readonly GraphConnection[]): PlacedLink[] {
  const indexOf = new Map<string, number>();
  for (const [index, { name }] of nodes.entries()) if (!indexOf.has(name)) indexOf.set(name, index);
  return connections.flatMap(({ from, to, type, output }) => {
    const [source, target] = [indexOf.get(from), indexOf.get(to)];
    if (source === undefined || target === undefined || source === target) return [];
    return [{ from: source, to: target, type, output }];
  });
}

/** Returns the node below which each sub-node is: one that serves another node and is no step. */
function hostsOf(count: number, links: readonly PlacedLink[]): (number | undefined)[] {
  const hosts = new Array<number | undefined>(count).fill(undefined);
  const isStep = new Set(links.filter(({ type }) => type === 'main').flatMap(({ from, to }) => [from, to]));
  for (const { from, to, type } of links) {
    if (type === 'main' || isStep.has(from) || hosts[from] !== undefined) continue;
    let above: number | undefined = to;
    while (above !== undefined && above !== from) above = hosts[above];
    if (above === undefined) hosts[from] = to;
  }
  return hosts;
}

function blocksOf(children: readonly (readonly number[])[], hosts: readonly (number | undefined)[]): Block[] {
  const blocks: Block[] = children.map(() => ({ width: 1, height: 1 }));
  const order = hosts.flatMap((host, index) => (host === undefined ? [index] : []));
  for (let at = 0; at < order.length; at++) order.push(...(children[order[at] as number] ?? []));
  for (const node of order.toReversed()) {
    const below = (children[node] ?? []).map((child) => blocks[child] as Block);
    const width = below.reduce((sum, block) => sum + block.width, 0);
    const height = 1 + below.reduce((most, block) => Math.max(most, block.height), 0);
    blocks[node] = { width: Math.max(1, width), height };
  }
  return blocks;
}

/** Returns the column and the row of each step. A step is in the row of the steps before it, or below the one above it. */
function cellsOf(
  steps: readonly number[],
  links: readonly PlacedLink[],
  blocks: readonly Block[],
): (readonly [node: number, column: number, row: number])[] {
  const columns = columnsOf(steps, links);
  const before = new Map<number, PlacedLink[]>(steps.map((step) => [step, []]));
  for (const link of links) before.get(link.to)?.push(link);
  const rowOf = new Map<number, number>();
  const cells: (readonly [number, number, number])[] = [];
  let left = 0;
  for (const column of columns) {
    const wanted = column.map((step) => {
      const rows = (before.get(step) ?? []).flatMap(({ from, output }) => {
        const row = rowOf.get(from);
        return row === undefined ? [] : [row + output / 1_000];
      });
      return { step, row: rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length };
    });
    wanted.sort((a, b) => a.row - b.row);
    let free = 0;
    for (const { step, row } of wanted) {
      const top = Math.max(free, Math.round(row));
      free = top + (blocks[step]?.height ?? 1);
      rowOf.set(step, top);
      cells.push([step, left, top]);
    }
    left += column.reduce((most, step) => Math.max(most, blocks[step]?.width ?? 1), 1);
  }
  return cells;
}
