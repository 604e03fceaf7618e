import type { Link } from '../links/link.ts';

/** One step of a layout: `index` is the place of the node in the workflow. */
export interface Forest {
  /** All nodes, each after its parent. */
  readonly order: readonly number[];
  readonly children: readonly (readonly number[])[];
  /** Number of the column: one more than that of every node that leads to it. */
  readonly column: readonly number[];
}

/** An edge between two places. */
type Edge = readonly [from: number, to: number];

/** Returns the nodes of a list that each sub-node serves first, as children of these nodes. */
export function subNodes(count: number, edges: readonly Edge[]): { children: number[][]; isSub: boolean[] } {
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
export function forestOf(count: number, places: readonly number[], edges: readonly Edge[]): Forest {
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
export function edgesOf(links: readonly Link[], placeOf: ReadonlyMap<string, number>): Edge[] {
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
