import { shortName } from '../../../catalogs/names.ts';
import type { Finding } from '../../finding.ts';
import type { LintRule } from '../report.ts';
import { receivers, WEBHOOK } from '../webhook-data.ts';

/** Reports memories that take the id of the session from a chat, in a workflow that a webhook starts. */
export const memoryRule: LintRule = (linted) => {
  const { workflow, graph, byName } = linted;
  const webhooks = new Set(workflow.nodes.flatMap(({ name, type }) => (type === WEBHOOK ? [name] : [])));
  const hasChat = workflow.nodes.some(({ type }) => shortName(type) === 'chatTrigger');
  if (webhooks.size === 0 || hasChat) return [];
  const receives = receivers(linted, webhooks);
  return graph.edges.flatMap(({ source, target, type }): Finding[] => {
    const memory = type === 'ai_memory' ? byName.get(source) : undefined;
    const isDisabled = memory === undefined || memory.node.disabled || byName.get(target)?.node.disabled;
    if (isDisabled || memory.parameters.sessionIdType !== 'fromInput' || !receives.has(target)) return [];
    const path = 'parameters.sessionIdType';
    const message = `"${source}" reads the id of the session from a chat, but a webhook starts "${target}"; the agent fails.`;
    const fix =
      'Set sessionIdType to "customKey" and sessionKey to an expression such as "={{ $json.body.sessionId }}".';
    return [{ code: 'SESSION_MISSING', node: source, path, message, fix }];
  });
};
