import type { ToolCall, ToolCallContext } from './call.ts';
import { dispatchCall } from './dispatch.ts';
import { openEntries } from './journal.ts';
import { limitArguments, limitResult } from './limit.ts';
import { observeResult } from './observe.ts';
import { applyPolicy } from './policy.ts';
import { redactError, redactResult } from './redact.ts';
import { resolveTool } from './resolve.ts';
import { restoreArguments } from './restore.ts';
import { validateCall } from './validate.ts';
import { warnAboutResult } from './warn.ts';

/**
 * Runs one tool call: limit ▸ resolve ▸ restore ▸ validate ▸ policy ▸ journal ▸ dispatch ▸ redact ▸ observe ▸ journal. Returns the
 * result as JSON text.
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
    const { limit } = await applyPolicy(call, restored, target, context);
    await entries.begin(limit?.key);
    const data = await dispatchCall(restored, target, context);
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
