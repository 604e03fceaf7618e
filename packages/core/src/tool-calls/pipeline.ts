import type { ToolCall, ToolCallContext } from './call.ts';
import { dispatchCall } from './dispatch.ts';
import { type CallEntries, openEntries } from './journal.ts';
import { limitArguments, limitResult } from './limit.ts';
import { observeResult } from './observe.ts';
import { type SentCall, settleOutcome } from './outcome.ts';
import { applyPolicy } from './policy.ts';
import { redactError, redactResult } from './redact.ts';
import { resolveTool } from './resolve.ts';
import { restoreArguments } from './restore.ts';
import { validateCall } from './validate.ts';
import { warnAboutResult } from './warn.ts';

/**
 * Runs one tool call: limit ▸ resolve ▸ restore ▸ validate ▸ policy ▸ journal ▸ dispatch ▸ redact ▸ observe ▸ journal. Returns the
 * result as JSON text. A call that was sent before a crash has passed the policy: its outcome is settled instead.
 *
 * Validation and policy see values. The journal, the result and errors are redacted. A call that exceeds a limit is not journalled.
 * Nothing is written after the execution has ended.
 */
export async function runToolCall(call: ToolCall, context: ToolCallContext): Promise<string> {
  const limited = limitArguments(call, context);
  const entries = openEntries(limited, context);
  try {
    const target = await resolveTool(call, context);
    const restored = await restoreArguments(call, target, context);
    validateCall(restored, target);
    const sent = { call, restored, target };
    const data = call.earlier?.isSent ? await settleOutcome(sent, context) : await sendCall(sent, entries, context);
    return await context.inTurn(async () => {
      const result = limitResult(data, call, context);
      warnAboutResult(result, target, context);
      const redacted = await redactResult(result, target, context);
      observeResult(redacted, target, context);
      entries.end(redacted);
      return redacted.guestText;
    });
  } catch (thrown) {
    context.signal.throwIfAborted();
    const redacted = await redactError(thrown, context);
    await entries.fail(redacted);
    throw redacted.error;
  }
}

/** Sends a call that the policy allows, after its journal entry. */
async function sendCall(
  { call, restored, target }: SentCall,
  entries: Pick<CallEntries, 'begin'>,
  context: ToolCallContext,
): Promise<unknown> {
  const { limit } = await applyPolicy(call, restored, target, context);
  await entries.begin(limit?.key);
  return dispatchCall(restored, target, context);
}
