import { STICKY_NOTE } from '../../catalogs/names.ts';
import type { Finding } from '../finding.ts';
import type { LintRule } from './report.ts';

/** Reports nodes that no trigger leads to. Nodes that serve a reachable AI node are reachable. */
export const unreachableNodeRule: LintRule = ({ workflow, graph, byName }) => {
  const next = new Map<string, string[]>();
  for (const { source, target, type } of graph.edges) {
    const [from, to] = type === 'main' ? [source, target] : [target, source];
    const known = next.get(from);
    if (known) known.push(to);
    else next.set(from, [to]);
  }
  const starts = workflow.nodes.filter(({ name }) => isStart(byName.get(name)?.description.group ?? []));
  const reached = new Set(starts.map(({ name }) => name));
  const queue = [...reached];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const target of next.get(name) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      queue.push(target);
    }
  }
  return workflow.nodes.flatMap(({ name, disabled, type }): Finding[] => {
    if (reached.has(name) || disabled || type === STICKY_NOTE || !byName.has(name)) return [];
    const message = `No trigger leads to "${name}", so it never runs.`;
    return [{ code: 'UNREACHABLE_NODE', node: name, path: 'connections', message, fix: 'Connect it, or remove it.' }];
  });
};

function isStart(group: readonly string[]): boolean {
  return group.includes('trigger') || group.includes('schedule');
}
