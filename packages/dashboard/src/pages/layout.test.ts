import { expect, test } from 'vitest';
import { arrowOf, neighbour } from './arrows.ts';
import type { GraphConnection, GraphNode } from './graph.ts';
import { layoutOf, NODE_HEIGHT, NODE_WIDTH } from './layout.ts';

const nodes = (...names: readonly string[]): GraphNode[] =>
  names.map((name) => ({ name, type: 'example.noOp', disabled: false }));
const link = (from: string, to: string, type = 'main', output = 0): GraphConnection => ({
  from,
  to,
  type,
  output,
  input: 0,
});
/** Returns the column and the row of each node. */
const cells = (given: readonly GraphNode[], connections: readonly GraphConnection[]) => {
  const { places } = layoutOf(given, connections);
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)].map((all) =>
    [...new Set(all)].sort((a, b) => a - b),
  ) as [number[], number[]];
  return Object.fromEntries(
    given.map(({ name }, index) => [name, [xs.indexOf(places[index]?.x ?? 0), ys.indexOf(places[index]?.y ?? 0)]]),
  );
};
const overlaps = (given: readonly GraphNode[], connections: readonly GraphConnection[]) => {
  const { places } = layoutOf(given, connections);
  return places.filter((a, index) =>
    places.some((b, other) => index < other && Math.abs(a.x - b.x) < NODE_WIDTH && Math.abs(a.y - b.y) < NODE_HEIGHT),
  ).length;
};

test('steps are from left to right, and the branches of outputs below each other', () => {
  const graph = [
    link('In', 'If'),
    link('If', 'No', 'main', 1),
    link('If', 'Yes'),
    link('Yes', 'End'),
    link('No', 'End'),
  ];
  expect(cells(nodes('In', 'If', 'No', 'Yes', 'End'), graph)).toEqual({
    In: [0, 0],
    If: [1, 0],
    Yes: [2, 0],
    No: [2, 1],
    End: [3, expect.any(Number)],
  });
});

test('models and tools are below the node that they serve, without an overlap', () => {
  const graph = [
    ...[link('In', 'Agent'), link('Agent', 'Out'), link('Model', 'Agent', 'ai_languageModel')],
    ...[link('Tool', 'Agent', 'ai_tool'), link('Inner', 'Tool', 'ai_languageModel')],
  ];
  const given = nodes('In', 'Agent', 'Model', 'Tool', 'Inner', 'Out', 'Alone');
  expect(cells(given, graph)).toEqual({
    In: [0, 0],
    Agent: [1, 0],
    Model: [1, 1],
    Tool: [2, 1],
    Inner: [2, 2],
    Out: [3, 0],
    Alone: [0, 1],
  });
  expect(overlaps(given, graph)).toBe(0);
});

test.each([
  ['a cycle', [link('A', 'B'), link('B', 'C'), link('C', 'A')]],
  ['a node that leads to itself', [link('A', 'A'), link('A', 'B', 'ai_tool'), link('B', 'B', 'ai_tool')]],
  [
    'sub-nodes that serve each other',
    [link('A', 'B', 'ai_tool'), link('B', 'A', 'ai_tool'), link('C', 'B', 'ai_tool')],
  ],
  ['unknown nodes and names of objects', [link('A', 'nothing'), link('__proto__', 'B'), link('constructor', 'C')]],
])('%s ends, without an overlap', (_name, graph) => {
  expect(overlaps(nodes('A', 'B', 'C'), graph)).toBe(0);
});

test('a thousand nodes with many connections are placed in a moment', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
  const graph = Array.from({ length: 4_000 }, (_, index) =>
    link(`n${(index * 7) % 1_000}`, `n${(index * 13 + 1) % 1_000}`, index % 3 === 0 ? 'ai_tool' : 'main'),
  );
  expect(overlaps(nodes(...names), graph)).toBe(0);
});

test('arrow keys go to the nearest node in their direction', () => {
  const { places } = layoutOf(nodes('In', 'If', 'Yes', 'No'), [
    ...[link('In', 'If'), link('If', 'Yes'), link('If', 'No', 'main', 1)],
  ]);
  const walk = (...keys: readonly string[]) => keys.reduce((at, key) => neighbour(places, at, key) ?? at, 0);
  expect(walk('ArrowRight')).toBe(1);
  expect(walk('ArrowRight', 'ArrowRight', 'ArrowDown')).toBe(3);
  expect(walk('ArrowLeft', 'ArrowUp')).toBe(0);
  expect(walk('ArrowDown', 'ArrowLeft', 'ArrowLeft')).toBe(0);
});

test('connections of services are marked with their type, and further outputs with their number', () => {
  const { places, links } = layoutOf(nodes('A', 'B', 'M'), [
    ...[link('A', 'B', 'main', 2), link('B', 'A'), link('M', 'B', 'ai_memory')],
  ]);
  expect(links.map((each) => arrowOf(each, places).label?.text)).toEqual(['output 2', undefined, 'ai_memory']);
  for (const each of links) expect(arrowOf(each, places).path).toMatch(/^M[\d. -]+C[\d. -]+$/);
});
