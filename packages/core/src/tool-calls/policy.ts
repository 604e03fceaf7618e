import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { ToolwrightError } from '../errors.ts';
import type { RestoredArguments, ToolCall, ToolCallContext } from './call.ts';
import type { Decision } from './policy/create-policy.ts';
import { UnredactedError } from './unredacted-error.ts';

/**
 * Applies the policy to a call with restored arguments. Waits for a person if the policy asks. Raises `POLICY_DENIED`,
 * `APPROVAL_UNAVAILABLE` if nobody can be asked, or the error of a refused approval. Messages have no arguments.
 */
export async function applyPolicy(
  { number, request, args: written }: ToolCall,
  { args }: Pick<RestoredArguments, 'args'>,
  { tool }: Pick<ResolvedTool, 'tool'>,
  { policy, approve, redactor, signal }: Pick<ToolCallContext, 'policy' | 'approve' | 'redactor' | 'signal'>,
): Promise<Decision> {
  const decision = policy.decide(tool, args);
  const { action, rule } = decision;
  const details = { tool: tool.id, rule };
  if (action === 'allow') return decision;
  if (action === 'deny') {
    const message = `The policy denies this call of ${tool.id}: ${rule}. Nothing was sent. Use another tool or other arguments, or ask the operator to change the policy.`;
    throw new ToolwrightError('POLICY_DENIED', message, { details });
  }
  if (approve === undefined) {
    const message = `A person must approve this call of ${tool.id}: ${rule}. Nobody can be asked here, and nothing was sent. Use another tool, or ask the operator to change the policy.`;
    throw new ToolwrightError('APPROVAL_UNAVAILABLE', message, { details });
  }
  const { args: redactedArguments } = await redactor.redactForJournal({ tool: tool.id, args: written });
  const of = { call: number, ...(request === undefined ? {} : { request }), tool, rule };
  await approve({ ...of, arguments: args, redactedArguments }).catch((error: unknown) => {
    // A person may quote an argument in the reason.
    throw error instanceof ToolwrightError ? new UnredactedError(error) : error;
  });
  signal.throwIfAborted();
  return decision;
}
