import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import type { JsonObject } from '../../json.ts';
import { addLinks } from '../links/connections.ts';
import type { Link } from '../links/link.ts';
import { layoutOf, type Position } from './layout.ts';
import { withPositions } from './place.ts';

/** Width and height of a node in the editor, in pixels. */
const NODE = 96;
const AGENT_WIDTH = 256;

/** Returns numbers that look random and are the same in each run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Graph {
  readonly nodes: JsonObject[];
  readonly links: Link[];
}

/** Returns a workflow with branches, merges, cycles, AI nodes, notes and separate parts. */
function randomGraph(seed: number): Graph {
  const next = numbersFrom(seed);
  const nodes: JsonObject[] = Array.from({ length: 1 + next(30) }, (_, index) => ({
    name: `N${index}`,
    type: next(12) === 0 ? 'n8n-nodes-base.stickyNote' : 'n8n-nodes-base.noOp',
    parameters: next(2) === 0 ? { width: 100 + next(900), height: 100 + next(900) } : {},
  }));
  const steps = nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote').map(({ name }) => String(name));
  const links: Link[] = [];
  for (const from of steps) {
    for (let count = next(4); count > 0; count--) {
      const to = steps[next(steps.length)] ?? from;
      links.push({ from, to, type: 'main', output: next(3), input: next(2) });
    }
  }
  for (let sub = 0; sub < next(20); sub++) {
    const to = [...steps, ...nodes.flatMap(({ name }) => (/^S/.test(String(name)) ? [String(name)] : []))][
      next(steps.length)
    ];
    nodes.push({ name: `S${sub}`, type: '@n8n/n8n-nodes-langchain.toolCode', parameters: {} });
    if (to !== undefined) links.push({ from: `S${sub}`, to, type: 'ai_tool', output: 0, input: 0 });
  }
  return { nodes, links };
}

function boxes({ nodes, links }: Graph, positions: readonly Position[]): [number, number, number, number][] {
  const hosts = new Set(links.flatMap(({ to, type }) => (type === 'main' ? [] : [to])));
  return nodes.map(({ name, type, parameters }, index) => {
    const [x, y] = positions[index] ?? [Number.NaN, Number.NaN];
    const { width = 240, height = 160 } =
      type === 'n8n-nodes-base.stickyNote' ? (parameters as Record<string, number>) : {};
    if (type === 'n8n-nodes-base.stickyNote') return [x, y, x + width, y + height];
    return [x, y, x + (hosts.has(String(name)) ? AGENT_WIDTH : NODE), y + NODE];
  });
}

function overlaps(all: readonly [number, number, number, number][]): number {
  let count = 0;
  for (const [index, a] of all.entries()) {
    for (const b of all.slice(index + 1)) if (a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]) count++;
  }
  return count;
}

const SEEDS = Array.from({ length: 400 }, (_, seed) => seed + 1);

describe('the layout', () => {
  it('never has two nodes that overlap, and only finite positions', () => {
    for (const seed of SEEDS) {
      const graph = randomGraph(seed);
      const positions = layoutOf(graph.nodes, graph.links);
      expect(positions.flat().every(Number.isFinite), `seed ${seed}`).toBe(true);
      expect(overlaps(boxes(graph, positions)), `seed ${seed}`).toBe(0);
    }
  });

  it('puts each sub-node below a node that it serves', () => {
    for (const seed of SEEDS) {
      const { nodes, links } = randomGraph(seed);
      const positions = layoutOf(nodes, links);
      const y = (name: string) => positions[nodes.findIndex((node) => node.name === name)]?.[1] ?? 0;
      const sub = links.filter(({ type, from, to }) => type !== 'main' && from !== to);
      for (const from of new Set(sub.map((link) => link.from))) {
        const served = sub.filter((link) => link.from === from).map(({ to }) => to);
        expect(
          served.some((to) => y(to) < y(from)),
          `seed ${seed}: ${from}`,
        ).toBe(true);
      }
    }
  });

  it('leads from left to right, with each branch in rows of its own', () => {
    const branch = (from: string, output: number, to: string): Link => ({ from, to, type: 'main', output, input: 0 });
    const nodes = ['In', 'If', 'Yes', 'No', 'Later', 'Model', 'Memory'].map((name) => ({
      name,
      type: 'x',
      parameters: {},
    }));
    const sub = ['Model', 'Memory'].map((from) => ({ from, to: 'Yes', type: 'ai_tool', output: 0, input: 0 }));
    const links = [
      branch('If', 1, 'No'),
      branch('In', 0, 'If'),
      branch('If', 0, 'Yes'),
      branch('Yes', 0, 'Later'),
      ...sub,
    ];
    const [start, fork, yes, no, later, model, memory] = layoutOf(nodes, links) as [Position, ...Position[]];
    expect([start[0] < (fork?.[0] ?? 0), yes?.[0] === no?.[0], (later?.[0] ?? 0) > (yes?.[0] ?? 0)]).toEqual([
      true,
      true,
      true,
    ]);
    expect((no?.[1] ?? 0) > (yes?.[1] ?? 0)).toBe(true);
    expect([model?.[1], memory?.[1]]).toEqual([(yes?.[1] ?? 0) + 208, (yes?.[1] ?? 0) + 208]);
    expect((no?.[1] ?? 0) > (model?.[1] ?? 0)).toBe(true);
  });

  it('takes linear time for a chain of thousands of nodes', () => {
    const nodes = Array.from({ length: 20_000 }, (_, index) => ({ name: `N${index}`, type: 'x', parameters: {} }));
    const links = nodes
      .slice(1)
      .map(({ name }, index) => ({ from: `N${index}`, to: name, type: 'main', output: 0, input: 0 }));
    const used = processorTime();
    expect(new Set(layoutOf(nodes, links).map(String)).size).toBe(nodes.length);
    expect(used()).toBeLessThan(20_000);
  });
});

describe('new nodes', () => {
  it('keep the positions of all others and overlap none', () => {
    for (const seed of SEEDS.slice(0, 150)) {
      const { nodes, links } = randomGraph(seed);
      const steps = nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
      const next = numbersFrom(seed + 1_000);
      const isNew = new Set(steps.filter(() => next(4) === 0).map(({ name }) => name));
      const isOld = (name: string) => steps.some((step) => step.name === name) && !isNew.has(name);
      // A node gets wider with its first sub-node: only those that have one get more.
      const hosts = new Set(links.flatMap(({ from, to, type }) => (type !== 'main' && isOld(from) ? [to] : [])));
      const kept = links.filter(({ to, type }) => type === 'main' || hosts.has(to));
      const positions = layoutOf(
        steps.filter(({ name }) => !isNew.has(name)),
        kept,
      );
      const old = steps
        .filter(({ name }) => !isNew.has(name))
        .map((node, index) => ({ ...node, position: positions[index] }));
      const fresh = steps.filter(({ name }) => isNew.has(name));
      const placed = withPositions({ nodes: [...old, ...fresh], connections: addLinks({}, kept) });
      expect(placed.nodes.slice(0, old.length)).toEqual(old);
      const at = placed.nodes.map(({ position }) => position as Position);
      expect(overlaps(boxes({ nodes: [...placed.nodes], links: kept }, at)), `seed ${seed}`).toBe(0);
    }
  });

  it('are next to the node that leads to them', () => {
    const nodes = [
      { name: 'A', type: 'x', position: [400, 300] },
      { name: 'B', type: 'x' },
      { name: 'C', type: 'x' },
    ];
    const links = ['B', 'C'].map((to) => ({ from: 'A', to, type: 'main', output: 0, input: 0 }));
    const placed = withPositions({ nodes, connections: addLinks({}, links) });
    expect(placed.nodes.map(({ position }) => position)).toEqual([
      [400, 300],
      [624, 300],
      [624, 508],
    ]);
  });
});
