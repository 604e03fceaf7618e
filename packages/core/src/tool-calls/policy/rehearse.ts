import { inventResult } from '../../catalog/validation/invented-result.ts';
import { shownOrigins } from '../../config/policy/origins/words.ts';
import type { DryRunCalls, SentCall, ToolCallContext } from '../call.ts';
import type { CallEntries } from '../journal.ts';
import { dispatchCall, inForm } from '../send.ts';
import { policyDenied } from './policy.ts';

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
