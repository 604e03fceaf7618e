import type { Finding } from '../finding.ts';
import type { Edge } from '../graph.ts';
import { outputCount } from './connections.ts';
import type { Linted } from './report.ts';

/** Nodes that may pass on fewer items than they get, even none: what goes round by them comes to an end. */
const MAY_END = new Set(
  ['filter', 'removeDuplicates', 'splitInBatches', 'compareDatasets', 'stopAndError', 'form'].map(
    (name) => `n8n-nodes-base.${name}`,
  ),
);

/**
 * Cycles that items never leave, which hang n8n. A cycle has an exit where a node may end it, or where an output of a node
 * with several of them leads out of it or nowhere.
 */
export function exitlessCycles({ graph, byName, workflow }: Linted): Finding[] {
  const running = new Set(workflow.nodes.filter(({ disabled }) => !disabled).map(({ name }) => name));
  const edges = graph.edges.filter(
    ({ type, source, target }) => type === 'main' && running.has(source) && running.has(target),
  );
  return components(edges).flatMap((component): Finding[] => {
    const inside = new Set(component);
    const hasExit = component.some((name) => {
      const checked = byName.get(name);
      if (checked === undefined || MAY_END.has(checked.description.name)) return true;
      const used = new Set(
        edges.filter((edge) => edge.source === name && inside.has(edge.target)).map(({ output }) => output),
      );
      const count = outputCount(checked, 'main');
      // How many outputs there are may depend on parameters: then those that are connected are what we know.
      const outputs =
        count ?? 1 + Math.max(0, ...edges.filter(({ source }) => source === name).map(({ output }) => output));
      return used.size < outputs || (count === undefined && used.size < 2);
    });
    if (hasExit) return [];
    const way = component.map((name) => `"${name}"`).join(', ');
    const message = `Items that enter the cycle of ${way} never leave it: n8n hangs until it is restarted.`;
    const fix = 'Take one of its connections out, or let an if, filter or splitInBatches node end it.';
    return [{ code: 'EXITLESS_CYCLE', node: component[0] ?? '', path: 'connections', message, fix }];
  });
}

/** The strongly connected components that hold a cycle (Tarjan's algorithm, without recursion). */
function components(edges: readonly Edge[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { source, target } of edges) targets.set(source, [...(targets.get(source) ?? []), target]);
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
      const component = open.splice(open.indexOf(name));
      for (const member of component) isOpen.delete(member);
      if (component.length > 1 || targets.get(name)?.includes(name)) found.push(component);
    }
  }
  return found;
}
