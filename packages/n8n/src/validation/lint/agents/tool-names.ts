import { isShown } from '../../../ports/display.ts';
import type { Finding } from '../../finding.ts';
import type { CheckedNode } from '../../publish.ts';
import type { LintRule } from '../report.ts';

/** Nodes that offer several tools, with names of their own. */
const TOOLKITS = /mcpClientTool$|HitlTool$/;

/** Reports tools of one agent with the same name: the agent fails. */
export const toolNameRule: LintRule = ({ graph, byName }) => {
  const seen = new Map<string, string>();
  return graph.edges.flatMap(({ source, target, type }): Finding[] => {
    const tool = type === 'ai_tool' ? byName.get(source) : undefined;
    const name = tool === undefined || tool.node.disabled || TOOLKITS.test(tool.node.type) ? undefined : nameOf(tool);
    if (name === undefined) return [];
    const key = JSON.stringify([target, name]);
    const other = seen.get(key);
    seen.set(key, source);
    if (other === undefined || other === source) return [];
    const message = `"${other}" and "${source}" are both the tool "${name}" of "${target}"; the agent fails.`;
    const fix = 'Give each tool of an agent its own name. Spaces and punctuation count as "_".';
    return [{ code: 'TOOL_NAME_SHARED', node: source, path: 'name', message, fix }];
  });
};

/** Returns the name that the agent sees; undefined when only the execution knows it. */
function nameOf({ node, description, parameters }: CheckedNode): string | undefined {
  const shownBy = { typeVersion: node.typeVersion, isTool: description.name.endsWith('Tool') };
  const isOwn = description.properties.some(
    (property) => property.name === 'name' && isShown(property, parameters, parameters, shownBy),
  );
  const name = isOwn ? parameters.name : node.name;
  if (typeof name !== 'string' || name === '' || name.startsWith('=')) return undefined;
  return name.replace(/[^\w-]+/g, '_');
}
