import { setImmediate as nextTurn } from 'node:timers/promises';
import { ToolwrightError } from '../errors.ts';
import type { SentCall, ToolCall, ToolCallContext } from './call.ts';
import { inForm } from './dispatch.ts';
import { type CallEntries, openEntries } from './journal.ts';
import { isLong, limitArguments, limitResult } from './limit.ts';
import { requireNamed } from './names.ts';
import { nextPageOf, observeResult, warnAboutResult } from './observe.ts';
import { dispatchAuthorized, settleLogin } from './policy/authorize.ts';
import { applyPolicy } from './policy/policy.ts';
import { rehearseCall } from './policy/rehearse.ts';
import { redactError, redactResult } from './redaction/redact.ts';
import { restoreArguments } from './redaction/restore.ts';
import { resolveAuthorized } from './resolve.ts';
import { isResourceCall } from './resources/tools.ts';
import { exactArguments, validateCall } from './validate.ts';

/** Errors without words of a server. */
const OF_HOST: ReadonlySet<string> = new Set([
  ...['INVALID_ARGUMENTS', 'TOOL_NOT_NAMED', 'UNKNOWN_TOOL', 'UNKNOWN_SERVER', 'UNKNOWN_PLACEHOLDER', 'PII_DENIED'],
  ...['POLICY_DENIED', 'APPROVAL_DENIED', 'APPROVAL_EXPIRED'],
]);

/**
 * Runs one tool call: limit ▸ resolve ▸ names ▸ restore ▸ validate ▸ policy ▸ journal ▸ dispatch ▸ redact ▸ observe ▸ journal. Returns the
 * result as JSON text. A call that was sent before the execution was continued has passed the policy: its outcome is settled instead.
 *
 * Validation and policy see values. The journal, the result and errors are redacted. A call that exceeds a limit is not journalled.
 * Nothing is written after the execution has ended.
 */
export async function runToolCall(call: ToolCall, context: ToolCallContext): Promise<string> {
  const limited = limitArguments(call, context);
  const entries = openEntries(limited, context);
  let called: SentCall['target'] | undefined;
  try {
    const target = await resolveAuthorized(call, context);
    called = target;
    await requireNamed(call, target, context);
    const needsTurns = isLong(limited.argumentText);
    if (needsTurns) await nextTurn();
    const restored = exactArguments(limited, await restoreArguments(call, target, context.redactor), target);
    if (needsTurns) await nextTurn();
    // A sent call was valid for the definition of then.
    if (!call.earlier?.isSent) validateCall(restored, target);
    if (needsTurns) await nextTurn();
    const sent = { call, restored, target };
    const { data, isInvented } = await answerOf(sent, entries, context);
    return await context.inTurn(async () => {
      const result = await limitResult(data, call, context);
      // The schema of a tool is about its data, and not about a whole result.
      const isData = !isInvented && !context.isRaw && !isResourceCall(call.tool);
      if (isLong(result.text)) await nextTurn();
      if (isData) warnAboutResult(result, target, context);
      const nextPage = nextPageOf(data);
      if (nextPage !== undefined) context.record.setNextPage(nextPage);
      const redacted = await redactResult(result, target, context);
      if (isData) observeResult(redacted, target, context);
      if (!isInvented) await context.origins?.received(call.number, target.tool, redacted.journalValue);
      if (isLong(result.text)) await nextTurn();
      entries.end(redacted);
      return redacted.guestText;
    });
  } catch (thrown) {
    context.signal.throwIfAborted();
    const redacted = await redactError(thrown, context.redactor);
    await entries.fail(redacted);
    const { error } = redacted;
    if (!(error instanceof ToolwrightError && OF_HOST.has(error.code))) await context.origins?.sawOther(called?.tool);
    throw redacted.error;
  }
}

/** Returns the data of the tool. In a dry run, they may be invented. */
async function answerOf(
  sent: SentCall,
  entries: CallEntries,
  context: ToolCallContext,
): Promise<{ readonly data: unknown; readonly isInvented: boolean }> {
  if (context.dryRun) return rehearseCall(sent, entries, { ...context, dryRun: context.dryRun });
  const data = sent.call.earlier?.isSent ? settleOutcome(sent, entries, context) : sendCall(sent, entries, context);
  return { data: await data, isInvented: false };
}

/** Sends a call that the policy allows, after its journal entry. */
async function sendCall(sent: SentCall, entries: CallEntries, context: ToolCallContext): Promise<unknown> {
  const { call, restored, target } = sent;
  await context.approved?.check(sent);
  if (context.requireUncomputed && !context.policy.isReadOnly(target.tool)) await context.requireUncomputed(sent);
  const { limit, origins } = await applyPolicy(call, restored, target, context);
  await entries.begin({ limit: limit?.key, origins });
  return dispatchAuthorized(sent, entries, context);
}

/**
 * Settles a call that was sent before the execution was continued and has no answer. One that its server ended for lack of an answer or
 * a login is sent again, and so is one that can be repeated. Any other may have taken effect: a person decides. Returns the data of the
 * tool, or of the person. Raises `OUTCOME_UNKNOWN`.
 */
async function settleOutcome(sent: SentCall, entries: CallEntries, context: ToolCallContext): Promise<unknown> {
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
