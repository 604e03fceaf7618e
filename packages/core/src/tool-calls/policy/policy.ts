import type { Tool } from '@toolwright/connectors';
import type { ResolvedTool } from '../../catalog/resolved-tool.ts';
import { type ShownOrigin, shownOrigins } from '../../config/policy/origins/words.ts';
import { ToolwrightError } from '../../errors.ts';
import type { RestoredArguments, ToolCall, ToolCallContext } from '../call.ts';
import { UnredactedError } from '../redaction/unredacted-error.ts';
import type { Decision } from './create-policy.ts';

/**
 * Applies the policy to a call with restored arguments. Waits for a person if the policy asks. Raises `POLICY_DENIED`,
 * `APPROVAL_DENIED` and `APPROVAL_EXPIRED`. Messages have no arguments.
 */
export async function applyPolicy(
  call: ToolCall,
  { args }: Pick<RestoredArguments, 'args'>,
  { tool }: ResolvedTool,
  { policy, origins: sources, ask, signal }: ToolCallContext,
): Promise<Decision & { readonly origins?: readonly ShownOrigin[] }> {
  const known = sources?.of(tool, call.args, args);
  const decision = policy.decide(tool, args, known);
  const { action, rule } = decision;
  const details = { tool: tool.id, rule };
  if (action === 'allow') return { ...decision, origins: known && shownOrigins(known) };
  if (action === 'deny') throw policyDenied(tool, rule);
  const origins = known && shownOrigins(known, { isDeep: true });
  const scope = policy.scopeOf(tool, args, known);
  const answer = await ask({ kind: 'approval', call, tool, args, rule, origins, scope });
  signal.throwIfAborted();
  if (answer.action === 'approve') return { ...decision, origins };
  if (answer.action === 'expired') {
    const message = `Nobody approved this call of ${tool.id} in time: ${rule}. Nothing was sent. Run the program again when somebody can decide.`;
    throw new ToolwrightError('APPROVAL_EXPIRED', message, { details });
  }
  const reason = answer.note === undefined ? '' : ` The reason: ${answer.note}`;
  const message = `A person denied this call of ${tool.id}: ${rule}. Nothing was sent.${reason}`;
  // A person may quote an argument in the reason.
  throw new UnredactedError(new ToolwrightError('APPROVAL_DENIED', message, { details }));
}

/** Returns the error of a call that a rule denies. */
export function policyDenied({ id }: Tool, rule: string): ToolwrightError {
  const message = `The policy denies this call of ${id}: ${rule}. Nothing was sent. Use another tool or other arguments, or ask the operator to change the policy.`;
  return new ToolwrightError('POLICY_DENIED', message, { details: { tool: id, rule } });
}
