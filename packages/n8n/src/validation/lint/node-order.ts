import { STICKY_NOTE } from '../../catalogs/names.ts';
import type { Finding } from '../finding.ts';
import { referencedNodes } from './expressions/expressions.ts';
import type { Linted, LintRule } from './report.ts';
import { visitTexts } from './texts.ts';

/** A text that asks first whether the other node ran. */
const ASKS_FIRST = /isExecuted|\btry\b|\$if|\?|\|\||&&/;
/** Nodes that a hostile workflow may refer to. */
const MAX_REFERENCES = 200;
/** Each reference costs a walk over the connections. */
const MAX_EDGES = 5_000;

/** Reports references to nodes that cannot have run: those that only run later, or that another trigger starts. */
export const nodeOrderRule: LintRule = (linted) => {
  if (linted.graph.edges.length > MAX_EDGES) return [];
  const names = new Set(linted.workflow.nodes.map(({ name }) => name));
  const { before, after } = directions(linted);
  const findings: Finding[] = [];
  let left = MAX_REFERENCES;
  for (const node of linted.workflow.nodes) {
    if (node.disabled || node.type === STICKY_NOTE) continue;
    visitTexts(node.parameters, 'parameters', (text, path, key) => {
      if ((!text.startsWith('=') && key !== 'jsCode') || ASKS_FIRST.test(text)) return;
      for (const name of new Set(referencedNodes(text))) {
        if (name === node.name || !names.has(name) || left-- <= 0) continue;
        if (canHaveRun(name, node.name, { before, after })) continue;
        const message = `${path} reads "${name}", which has not run when "${node.name}" runs; the node fails.`;
        const fix = `Refer to a node before "${node.name}", or connect "${name}" before it.`;
        findings.push({ code: 'EXPRESSION_NODE_NOT_BEFORE', node: node.name, path, message, fix });
      }
    });
  }
  return findings;
};

interface Directions {
  readonly before: ReadonlyMap<string, readonly string[]>;
  readonly after: ReadonlyMap<string, readonly string[]>;
}

/** Returns the neighbours of each node in both directions. A sub-node runs with the node that it serves. */
function directions({ graph }: Linted): Directions {
  const before = new Map<string, string[]>();
  const after = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, from: string, to: string) => {
    const list = map.get(from) ?? [];
    map.set(from, list);
    list.push(to);
  };
  for (const { source, target, type } of graph.edges) {
    add(after, source, target);
    add(before, target, source);
    if (type === 'main') continue;
    add(after, target, source);
    add(before, source, target);
  }
  return { before, after };
}

/** Returns whether a node can have run before another one in the same execution. */
function canHaveRun(name: string, reader: string, { before, after }: Directions): boolean {
  const earlier = reached([reader], before);
  if (earlier.has(name)) return true;
  const starts = [...earlier].filter((each) => (before.get(each) ?? []).length === 0);
  // A cycle without a start decides nothing.
  if (starts.length === 0) return true;
  return reached(starts, after, reader).has(name);
}

/** Returns the nodes that a walk reaches without passing through one of them. */
function reached(
  from: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
  without?: string,
): Set<string> {
  const found = new Set(from.filter((name) => name !== without));
  const queue = [...found];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const next of edges.get(name) ?? []) {
      if (next === without || found.has(next)) continue;
      found.add(next);
      queue.push(next);
    }
  }
  return found;
}
