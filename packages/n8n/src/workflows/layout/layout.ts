import { STICKY_NOTE } from '../../catalogs/names.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { Link } from '../links/link.ts';

/** The place of a node in the editor, in pixels of its top left corner. */
export type Position = readonly [x: number, y: number];

/** Distances between nodes: a node has 96 pixels, an agent 256 in width, and n8n's grid 16. */
export const COLUMN_WIDTH = 224;
export const ROW_HEIGHT = 208;
/** Default size of a sticky note, and its margin. */
const NOTE_WIDTH = 240;
const NOTE_HEIGHT = 160;
const NOTE_MARGIN = 32;

/** Columns and rows of a node with the sub-nodes below it. */
interface Block {
  readonly width: number;
  readonly height: number;
}

/** One step of a layout: `index` is the place of the node in the workflow. */
interface Forest {
  /** All nodes, each after its parent. */
  readonly order: readonly number[];
  readonly children: readonly (readonly number[])[];
  /** Number of the column: one more than that of every node that leads to it. */
  readonly column: readonly number[];
}

/** An edge between two places. */
type Edge = readonly [from: number, to: number];

/**
 * Returns positions of all nodes. Steps go from left to right. Each branch has rows of its own, in the order of the outputs.
 * Sub-nodes of an AI node are below it. No two nodes overlap.
 */
export function layoutOf(nodes: readonly JsonObject[], links: readonly Link[]): Position[] {
  const placeOf = new Map<string, number>();
  for (const [place, { name }] of nodes.entries()) if (!placeOf.has(String(name))) placeOf.set(String(name), place);
  const serving = subNodes(
    nodes.length,
    edgesOf(
      links.filter(({ type }) => type !== 'main'),
      placeOf,
    ),
  );
  const sizes = blocks(nodes, serving.children);
  const steps = nodes.flatMap((_node, place) => (serving.isSub[place] ? [] : [place]));
  const isStep = ([from, to]: readonly [number, number]) => !serving.isSub[from] && !serving.isSub[to];
  const main = edgesOf(
    links.filter(({ type }) => type === 'main'),
    placeOf,
  ).filter(isStep);
  const forest = forestOf(nodes.length, steps, main);
  const x = columnsOf(steps, forest.column, sizes);
  const y = rowsOf(forest, sizes);
  const positions: Position[] = nodes.map(() => [0, 0]);
  for (const step of steps) placeBlock(step, [x[step] ?? 0, y[step] ?? 0], serving.children, sizes, positions);
  return positions;
}

/** Returns the size of each node with its sub-nodes. */
function blocks(nodes: readonly JsonObject[], children: readonly (readonly number[])[]): Block[] {
  const sizes: Block[] = nodes.map(ownSize);
  const order: number[] = [];
  const hosts = new Set(children.flat());
  const queue = nodes.flatMap((_node, place) => (hosts.has(place) ? [] : [place]));
  for (let at = 0; at < queue.length; at++) {
    const place = queue[at] as number;
    order.push(place);
    queue.push(...(children[place] ?? []));
  }
  for (const place of order.toReversed()) {
    const below = (children[place] ?? []).map((child) => sizes[child] as Block);
    if (below.length === 0) continue;
    const width = below.reduce((sum, block) => sum + block.width, 0);
    // A node with sub-nodes is wider than one column.
    const height = 1 + below.reduce((most, block) => Math.max(most, block.height), 0);
    sizes[place] = { width: Math.max(2, width), height };
  }
  return sizes;
}

function ownSize({ type, parameters }: JsonObject): Block {
  if (type !== STICKY_NOTE) return { width: 1, height: 1 };
  const { width, height } = isObject(parameters) ? parameters : {};
  const units = (size: unknown, fallback: number, unit: number): number =>
    Math.ceil(((typeof size === 'number' && size > 0 ? size : fallback) + NOTE_MARGIN) / unit);
  return { width: units(width, NOTE_WIDTH, COLUMN_WIDTH), height: units(height, NOTE_HEIGHT, ROW_HEIGHT) };
}

/** Returns the left edge of each step. A column is as wide as its widest block. */
function columnsOf(steps: readonly number[], column: readonly number[], sizes: readonly Block[]): number[] {
  const widths: number[] = [];
  for (const step of steps) {
    const at = column[step] ?? 0;
    widths[at] = Math.max(widths[at] ?? 1, sizes[step]?.width ?? 1);
  }
  let left = 0;
  const lefts = Array.from(widths, (width) => {
    const start = left;
    left += (width ?? 1) * COLUMN_WIDTH;
    return start;
  });
  return column.map((at) => lefts[at] ?? 0);
}

/** Returns the top edge of each step: every subtree has rows of its own, and a step is in the middle of its branches. */
function rowsOf({ order, children }: ReturnType<typeof forestOf>, sizes: readonly Block[]): number[] {
  const heights = new Array<number>(children.length).fill(1);
  for (const place of order.toReversed()) {
    const below = (children[place] ?? []).reduce((sum, child) => sum + (heights[child] ?? 1), 0);
    heights[place] = Math.max(sizes[place]?.height ?? 1, below);
  }
  const tops = new Array<number | undefined>(children.length).fill(undefined);
  let free = 0;
  for (const place of order) {
    let top = tops[place];
    if (top === undefined) {
      top = free;
      free += heights[place] ?? 1;
    }
    tops[place] = top;
    for (const child of children[place] ?? []) {
      tops[child] = top;
      top += heights[child] ?? 1;
    }
  }
  const rows = new Array<number>(children.length).fill(0);
  for (const place of order.toReversed()) {
    const top = tops[place] ?? 0;
    const own = children[place] ?? [];
    const middle = own.length === 0 ? top : ((rows[own[0] ?? 0] ?? 0) + (rows[own.at(-1) ?? 0] ?? 0)) / 2;
    rows[place] = Math.min(middle, top + (heights[place] ?? 1) - (sizes[place]?.height ?? 1));
  }
  return rows.map((row) => Math.round((row * ROW_HEIGHT) / GRID) * GRID);
}

const GRID = 16;

/** Places a step and, below it, its sub-nodes side by side. */
function placeBlock(
  step: number,
  position: Position,
  children: readonly (readonly number[])[],
  sizes: readonly Block[],
  positions: Position[],
): void {
  const queue: (readonly [number, Position])[] = [[step, position]];
  for (let at = 0; at < queue.length; at++) {
    const [place, [left, top]] = queue[at] as readonly [number, Position];
    positions[place] = [left, top];
    let x = left;
    for (const child of children[place] ?? []) {
      queue.push([child, [x, top + ROW_HEIGHT]]);
      x += (sizes[child]?.width ?? 1) * COLUMN_WIDTH;
    }
  }
}

/** Returns the nodes of a list that each sub-node serves first, as children of these nodes. */
function subNodes(count: number, edges: readonly Edge[]): { children: number[][]; isSub: boolean[] } {
  const suppliers = lists(count);
  const serves = new Array<boolean>(count).fill(false);
  for (const [from, to] of edges) {
    if (from === to) continue;
    suppliers[to]?.push(from);
    serves[from] = true;
  }
  const children = lists(count);
  const isSub = new Array<boolean>(count).fill(false);
  const queue = serves.flatMap((served, index) => (served ? [] : [index]));
  for (let at = 0; at < queue.length; at++) {
    const host = queue[at] as number;
    for (const supplier of suppliers[host] ?? []) {
      if (isSub[supplier]) continue;
      isSub[supplier] = true;
      children[host]?.push(supplier);
      queue.push(supplier);
    }
  }
  return { children, isSub };
}

/** Returns a forest over nodes: each one is a child of the first node that leads to it. Edges that close a cycle are left out. */
function forestOf(count: number, places: readonly number[], edges: readonly Edge[]): Forest {
  const next = lists(count);
  const incoming = new Array<number>(count).fill(0);
  for (const [from, to] of edges) {
    next[from]?.push(to);
    incoming[to] = (incoming[to] ?? 0) + 1;
  }
  const starts = [...places.filter((place) => incoming[place] === 0), ...places];
  const { order, children, finished, kept } = walk(count, starts, next);
  const column = new Array<number>(count).fill(0);
  // Every node is finished after all nodes that it leads to.
  for (const place of finished.toReversed()) {
    for (const to of kept[place] ?? []) column[to] = Math.max(column[to] ?? 0, (column[place] ?? 0) + 1);
  }
  return { order, children, column };
}

/** Walks depth first, without recursion: a workflow may be a chain of thousands of nodes. */
function walk(count: number, starts: readonly number[], next: readonly (readonly number[])[]) {
  const state = new Array<'new' | 'open' | 'done'>(count).fill('new');
  const children = lists(count);
  const kept = lists(count);
  const order: number[] = [];
  const finished: number[] = [];
  for (const start of starts) {
    if (state[start] !== 'new') continue;
    const work = [{ place: start, at: 0 }];
    state[start] = 'open';
    order.push(start);
    for (let top = work.at(-1); top; top = work.at(-1)) {
      const to = next[top.place]?.[top.at++];
      if (to === undefined) {
        state[top.place] = 'done';
        finished.push(top.place);
        work.pop();
        continue;
      }
      if (state[to] === 'open') continue;
      kept[top.place]?.push(to);
      if (state[to] === 'done') continue;
      state[to] = 'open';
      order.push(to);
      children[top.place]?.push(to);
      work.push({ place: to, at: 0 });
    }
  }
  return { order, children, finished, kept };
}

/** Returns the edges of links between nodes, those of earlier outputs first. */
function edgesOf(links: readonly Link[], placeOf: ReadonlyMap<string, number>): Edge[] {
  return links
    .toSorted((a, b) => a.output - b.output)
    .flatMap(({ from, to }): Edge[] => {
      const [source, target] = [placeOf.get(from), placeOf.get(to)];
      return source === undefined || target === undefined ? [] : [[source, target]];
    });
}

function lists(count: number): number[][] {
  return Array.from({ length: count }, () => []);
}
