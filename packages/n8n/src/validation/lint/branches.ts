import { labelOf, portsOfType } from '../../ports/port.ts';
import { outputsOf } from '../../ports/resolve.ts';
import type { Finding } from '../finding.ts';
import type { Graph } from '../graph.ts';
import type { CheckedNode } from '../publish.ts';
import type { LintRule } from './report.ts';

/** An output for items that nobody needs any more. */
const REST = /discard|error/i;

/** Reports nodes such as If and Switch whose targets are all in the first output: models often write both branches there. */
export const branchRule: LintRule = ({ checked, graph }) => checked.flatMap((each) => branchFinding(each, graph) ?? []);

function branchFinding({ node, description, parameters }: CheckedNode, { edges }: Graph): Finding | undefined {
  if (node.disabled) return undefined;
  const { name, typeVersion, raw } = node;
  const ports = outputsOf({ description, parameters, typeVersion, onError: raw.onError }) ?? [];
  const outputs = portsOfType(ports, 'main');
  const own = edges.filter(({ source, type }) => source === name && type === 'main');
  const targets = new Set(own.map(({ target }) => target));
  // Fewer or more targets than outputs are no forgotten branches.
  if (targets.size < 2 || targets.size !== outputs.length || own.some(({ output }) => output > 0)) return undefined;
  const empty = outputs.flatMap(({ name: words }, index) => (index > 0 && !REST.test(words) ? [index] : []));
  if (empty.length === 0) return undefined;
  const shown = (index: number) => `${index} (${labelOf(ports, 'main', index)})`;
  return {
    code: 'BRANCHES_IN_ONE_OUTPUT',
    node: name,
    path: `connections[${JSON.stringify(name)}].main`,
    message: `"${name}" has ${targets.size} targets in output ${shown(0)}, and nothing in output ${empty.map(shown).join(', ')}: the items of output 0 go to all of them, and other items to none.`,
    fix: `Move the targets of another branch to their own list: {"main": [[…], [{"node": "Target", "type": "main", "index": 0}]]}. Leave it if other items need nothing.`,
  };
}
