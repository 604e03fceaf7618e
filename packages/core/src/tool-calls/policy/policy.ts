import type { Tool } from '@toolwright/connectors';
import type { ResolvedTool } from '../../catalog/resolved-tool.ts';
import { inventResult } from '../../catalog/validation/invented-result.ts';
import type { CallOrigins } from '../../config/policy/origins/origins.ts';
import { type ShownOrigin, shownOrigins } from '../../config/policy/origins/words.ts';
import { ToolwrightError } from '../../errors.ts';
import type { CallQuestion, DryRunCalls, RestoredArguments, SentCall, ToolCall, ToolCallContext } from '../call.ts';
import type { CallEntries } from '../journal.ts';
import { UnredactedError } from '../redaction/unredacted-error.ts';
import { dispatchCall, inForm } from '../send.ts';
import type { Decision } from './create-policy.ts';

/**
 * Applies the policy to a call with restored arguments. Waits for a person if the policy asks. Raises `POLICY_DENIED`,
 * `APPROVAL_DENIED` and `APPROVAL_EXPIRED`. Messages have no arguments.
 */
export function applyPolicy(
  call: ToolCall,
  { args }: RestoredArguments,
  { tool }: ResolvedTool,
  context: ToolCallContext,
): AllowedCall | Promise<AllowedCall> {
  const { policy, origins } = context;
  const known = origins?.of(tool, call.args, args);
  const decision = policy.decide(tool, args, known);
  if (decision.action === 'allow') return { limit: decision.limit?.key, origins: known && shownOrigins(known) };
  if (decision.action === 'deny') throw policyDenied(tool, decision.rule);
  return askForApproval(decision, { kind: 'approval', call, tool, args }, known, context);
}

/** The key of the limit that an allowed call uses, and the origins of its arguments. */
interface AllowedCall {
  readonly limit: string | undefined;
  readonly origins: readonly ShownOrigin[] | undefined;
}

async function askForApproval(
  { rule, limit }: Decision,
  question: CallQuestion,
  known: CallOrigins | undefined,
  { policy, ask, signal }: ToolCallContext,
): Promise<AllowedCall> {
  const { tool, args } = question;
  const details = { tool: tool.id, rule };
  const origins = known && shownOrigins(known, { isDeep: true });
  const answer = await ask({ ...question, rule, origins, scope: policy.scopeOf(tool, args, known) });
  signal.throwIfAborted();
  if (answer.action === 'approve') return { limit: limit?.key, origins };
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

/**
 * Answers a call of a dry run. A call of a read-only tool that the policy allows is sent. Any other gets an invented result. Raises
 * `POLICY_DENIED`.
 */
export async function rehearseCall(
  sent: SentCall,
  entries: CallEntries,
  context: ToolCallContext & { readonly dryRun: DryRunCalls },
): Promise<{ readonly data: unknown; readonly isInvented: boolean }> {
  const { catalog, policy, dryRun, origins } = context;
  const { tool } = sent.target;
  const isReadOnly = policy.isReadOnly(tool);
  const decide = isReadOnly ? policy.decide : policy.rehearse;
  const known = origins?.of(tool, sent.call.args, sent.restored.args);
  const decision = decide(tool, sent.restored.args, known);
  const isSent = isReadOnly && decision.action === 'allow';
  const plan = await dryRun.add(sent, decision, !isSent && decision.action !== 'deny');
  await entries.begin({ limit: decision.limit?.key, plan, origins: known && shownOrigins(known) });
  if (decision.action === 'deny') throw policyDenied(tool, decision.rule);
  if (isSent) return { data: await dispatchCall(sent, context), isInvented: false };
  return { data: inForm(inventResult(catalog.withObserved(tool)), context.isRaw), isInvented: true };
}
