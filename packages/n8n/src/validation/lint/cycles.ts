import type { Finding } from '../finding.ts';
import type { Edge } from '../graph.ts';
import type { CheckedNode } from '../publish.ts';
import { outputCount } from './connections.ts';
import type { Linted } from './report.ts';

/** Nodes that may drop items or wait for a person, so a cycle through them may end. */
const MAY_END = new Set(
  ['filter', 'removeDuplicates', 'compareDatasets', 'form'].map((name) => `n8n-nodes-base.${name}`),
);
/** Nodes whose result is the same in each round, unless their parameters read something else. */
const UNCHANGING = new Set(
  ['if', 'switch', 'noOp', 'merge', 'limit', 'sort', 'set', 'stickyNote'].map((name) => `n8n-nodes-base.${name}`),
);
/** A value that differs in each round. */
const DIFFERS = /\$runIndex|\$now|\$today|\$execution|Date|random|DateTime|\$workflow|getWorkflowStaticData/i;
/** Returns batches until none is left. */
const BATCHES = 'n8n-nodes-base.splitInBatches';

/**
 * Reports cycles. A cycle without an exit is an error, because it hangs n8n. A cycle with a conditional exit is a warning if no
 * node in it changes the condition. It is one too if all items leave it and come back. Other loops are valid.
 */
export function cycleFindings({ graph, byName, workflow }: Linted): {
  errors: Finding[];
  warnings: Finding[];
} {
  const running = new Set(workflow.nodes.filter(({ disabled }) => !disabled).map(({ name }) => name));
  const edges = graph.edges.filter(
    ({ type, source, target }) => type === 'main' && running.has(source) && running.has(target),
  );
  // Items stay in these cycles forever, even when copies leave by a side branch.
  const sure = components(edges.filter(({ source }) => isPassedOn(byName.get(source))));
  const errors = sure.map(exitless);
  const warnings: Finding[] = [];
  const outgoing = bySource(edges);
  for (const cycle of endlessCycles(edges, byName)) {
    const inside = new Set(cycle);
    if (cycle.some((name) => hasExit(outgoing.get(name), inside, byName.get(name)))) {
      const isUnlikely = cycle.some((name) => isSplit(outgoing.get(name), inside));
      if (isUnlikely || cycle.every((name) => isUnchanging(byName.get(name)))) warnings.push(conditional(cycle));
    } else if (!sure.some((found) => found.every((name) => inside.has(name)))) errors.push(exitless(cycle));
  }
  return { errors, warnings };
}

/** Returns whether one output leads both back into a cycle and out of it: then all items go on, and come back. */
function isSplit(own: readonly Edge[] = [], inside: ReadonlySet<string>): boolean {
  const back = new Set(own.filter(({ target }) => inside.has(target)).map(({ output }) => output));
  return own.some(({ target, output }) => !inside.has(target) && back.has(output));
}

/** Returns whether a node returns the same for the items of each round. */
function isUnchanging(checked: CheckedNode | undefined): boolean {
  if (checked === undefined || !UNCHANGING.has(checked.description.name)) return false;
  const text = JSON.stringify(checked.node.parameters);
  return !DIFFERS.test(text) && (!checked.description.name.endsWith('.set') || !text.includes('{{'));
}

/** Returns whether a node passes all its items to a single output. */
function isPassedOn(checked: CheckedNode | undefined): boolean {
  return checked !== undefined && !MAY_END.has(checked.description.name) && outputCount(checked, 'main') === 1;
}

/** Returns the cycles without a loop over batches. */
function endlessCycles(edges: readonly Edge[], byName: Linted['byName']): string[][] {
  const outgoing = bySource(edges);
  return components(edges).flatMap((cycle) => {
    const inside = new Set(cycle);
    const ending = cycle.filter((name) => {
      const checked = byName.get(name);
      return checked?.description.name === BATCHES && hasExit(outgoing.get(name), inside, checked);
    });
    if (ending.length === 0) return [cycle];
    for (const name of ending) inside.delete(name);
    return endlessCycles(
      edges.filter(({ source, target }) => inside.has(source) && inside.has(target)),
      byName,
    );
  });
}

/** Returns the edges by the names of their sources. */
function bySource(edges: readonly Edge[]): ReadonlyMap<string, readonly Edge[]> {
  const found = new Map<string, Edge[]>();
  for (const edge of edges) {
    const known = found.get(edge.source);
    if (known) known.push(edge);
    else found.set(edge.source, [edge]);
  }
  return found;
}

/** Returns whether a node may end a cycle, or has an output that leads out of it. `own` are the edges from the node. */
function hasExit(own: readonly Edge[] = [], inside: ReadonlySet<string>, checked?: CheckedNode): boolean {
  if (checked === undefined || MAY_END.has(checked.description.name)) return true;
  const used = new Set(own.filter(({ target }) => inside.has(target)).map(({ output }) => output));
  const count = outputCount(checked, 'main');
  // Parameters may decide the number of outputs; then only the connected ones are known.
  const outputs = count ?? 1 + Math.max(0, ...own.map(({ output }) => output));
  return used.size < outputs || (count === undefined && used.size < 2);
}

function exitless(cycle: readonly string[]): Finding {
  const message = `Items that enter the cycle of ${namesOf(cycle)} never leave it: n8n hangs until it is restarted.`;
  const fix = 'Remove one of its connections, or end it with an if, filter or splitInBatches node.';
  return { code: 'EXITLESS_CYCLE', node: cycle[0] ?? '', path: 'connections', message, fix };
}

function conditional(cycle: readonly string[]): Finding {
  const message = `Items repeat the cycle of ${namesOf(cycle)} until a condition ends it; n8n does not limit the rounds.`;
  const fix =
    'Make sure that it ends: change the items in it, count the rounds, or loop over items with splitInBatches.';
  return { code: 'CONDITIONAL_CYCLE', node: cycle[0] ?? '', path: 'connections', message, fix };
}

function namesOf(cycle: readonly string[]): string {
  return cycle.map((name) => `"${name}"`).join(', ');
}

/** Returns the strongly connected components with a cycle (Tarjan's algorithm, without recursion). */
function components(edges: readonly Edge[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { source, target } of edges) {
    const known = targets.get(source);
    if (known) known.push(target);
    else targets.set(source, [target]);
  }
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found: string[][] = [];
  for (const start of targets.keys()) {
    if (order.has(start)) continue;
    const work: { name: string; next: number }[] = [{ name: start, next: 0 }];
    for (let top = work.at(-1); top; top = work.at(-1)) {
      const { name } = top;
      if (top.next === 0 && !order.has(name)) {
        order.set(name, order.size);
        low.set(name, order.get(name) ?? 0);
        open.push(name);
        isOpen.add(name);
      }
      const target = targets.get(name)?.[top.next++];
      if (target !== undefined) {
        if (!order.has(target)) work.push({ name: target, next: 0 });
        else if (isOpen.has(target)) low.set(name, Math.min(low.get(name) ?? 0, order.get(target) ?? 0));
        continue;
      }
      work.pop();
      const parent = work.at(-1);
      if (parent) low.set(parent.name, Math.min(low.get(parent.name) ?? 0, low.get(name) ?? 0));
      if (low.get(name) !== order.get(name)) continue;
      const component = open.splice(open.lastIndexOf(name));
      for (const member of component) isOpen.delete(member);
      if (component.length > 1 || targets.get(name)?.includes(name)) found.push(component);
    }
  }
  return found;
}
