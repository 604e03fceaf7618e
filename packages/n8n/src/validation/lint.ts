import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { Finding } from './finding.ts';
import type { Graph } from './graph.ts';
import { aiRule } from './lint/ai.ts';
import { connectionRule } from './lint/connections.ts';
import { cycleFindings } from './lint/cycles.ts';
import { duplicateRule } from './lint/duplicates.ts';
import { expressionRule } from './lint/expressions.ts';
import { nodeRule } from './lint/nodes.ts';
import type { LintRule } from './lint/report.ts';
import { unreachableNodeRule } from './lint/unreachable-nodes.ts';
import { valueRule } from './lint/values.ts';
import type { CheckedNode } from './publish.ts';
import type { Workflow } from './workflow.ts';

const RULES: readonly LintRule[] = [
  expressionRule,
  connectionRule,
  duplicateRule,
  valueRule,
  aiRule,
  nodeRule,
  unreachableNodeRule,
];

/** Reports problems that n8n accepts: errors hang n8n; warnings fail at execution or have no effect. */
export function lintFindings(
  workflow: Workflow,
  graph: Graph,
  checked: readonly CheckedNode[],
  catalog: NodeCatalog,
): { errors: Finding[]; warnings: Finding[] } {
  const byName = new Map(checked.map((each) => [each.node.name, each]));
  const linted = { workflow, graph, checked, byName, catalog };
  const { errors, warnings } = cycleFindings(linted);
  return { errors, warnings: [...warnings, ...RULES.flatMap((rule) => rule(linted))] };
}
