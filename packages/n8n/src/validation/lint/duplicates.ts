import type { Finding, FindingCode } from '../finding.ts';
import type { WorkflowNode } from '../workflow.ts';
import type { LintRule } from './report.ts';

/** Reports names and ids that two nodes share. */
export const duplicateRule: LintRule = ({ workflow: { nodes } }) => [
  ...shared(nodes, ({ name }) => name, 'DUPLICATE_NAME', 'name', 'connections and expressions reach only one of them'),
  ...shared(nodes, ({ id }) => id, 'DUPLICATE_ID', 'id', 'n8n confuses the two nodes'),
];

function shared(
  nodes: readonly WorkflowNode[],
  key: (node: WorkflowNode) => unknown,
  code: FindingCode,
  path: string,
  consequence: string,
): Finding[] {
  const seen = new Set<string>();
  return nodes.flatMap((node): Finding[] => {
    const value = key(node);
    if (typeof value !== 'string' || value === '') return [];
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    const message = `Two nodes have the ${path} "${value}": ${consequence}.`;
    return [{ code, node: node.name, path, message, fix: `Give each node its own ${path}.` }];
  });
}
