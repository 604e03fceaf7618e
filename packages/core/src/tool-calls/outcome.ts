import { ToolwrightError } from '../errors.ts';
import type { SentCall, ToolCallContext } from './call.ts';
import { dispatchCall, inForm } from './dispatch.ts';

/**
 * Settles a call that was sent before a crash and has no answer: it may have taken effect. A call that can be repeated is sent again.
 * For any other, a person decides. Returns the data of the tool, or of the person. Raises `OUTCOME_UNKNOWN`.
 */
export async function settleOutcome({ call, restored, target }: SentCall, context: ToolCallContext): Promise<unknown> {
  const { tool } = target;
  if (context.policy.isSafeToResend(tool)) return dispatchCall(restored, target, context);
  const { action, value, note } = await context.ask({ kind: 'outcome', call, tool, args: restored.args });
  if (action === 'resend') return dispatchCall(restored, target, context);
  if (action === 'result') return inForm(value, context.isRaw);
  const reason = action === 'expired' ? 'Nobody said in time whether it happened.' : (note ?? 'A person ended it.');
  throw new ToolwrightError(
    'OUTCOME_UNKNOWN',
    `The call of ${tool.id} was sent before a crash, and its answer is unknown. ${reason} Check at the server whether it took effect before you call it again.`,
  );
}
