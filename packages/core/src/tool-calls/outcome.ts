import { ToolwrightError } from '../errors.ts';
import type { SentCall, ToolCallContext } from './call.ts';
import { inForm } from './dispatch.ts';
import type { CallEntries } from './journal.ts';
import { dispatchAuthorized, settleLogin } from './policy/authorize.ts';

/**
 * Settles a call that was sent before the execution was continued and has no answer. One that its server ended for lack of an answer or
 * a login is sent again, and so is one that can be repeated. Any other may have taken effect: a person decides. Returns the data of the
 * tool, or of the person. Raises `OUTCOME_UNKNOWN`.
 */
export async function settleOutcome(sent: SentCall, entries: CallEntries, context: ToolCallContext): Promise<unknown> {
  const { call, restored, target } = sent;
  const { tool } = target;
  const { pause, state } = call.earlier ?? {};
  const sendAgain = async () => {
    await settleLogin(sent, context);
    // With a state, the answers come first: the request to send depends on them.
    if (!pause || state === undefined) await entries.resend();
    return dispatchAuthorized(sent, entries, context);
  };
  if (pause || context.policy.isSafeToResend(tool)) return sendAgain();
  const { action, value, note } = await context.ask({ kind: 'outcome', call, tool, args: restored.args });
  if (action === 'resend') return sendAgain();
  if (action === 'result') return inForm(value, context.isRaw);
  const reason = action === 'expired' ? 'Nobody said in time whether it happened.' : (note ?? 'A person ended it.');
  throw new ToolwrightError(
    'OUTCOME_UNKNOWN',
    `The call of ${tool.id} was sent before a crash, and its answer is unknown. ${reason} Check at the server whether it took effect before you call it again.`,
  );
}
