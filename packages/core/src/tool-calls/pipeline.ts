import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasManyDigits, holdsInteger } from '@toolwright/sandbox/internal';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { ToolwrightError } from '../errors.ts';
import type { EarlierCall, SentCall, ToolCall, ToolCallContext } from './call.ts';
import {
  exactArguments,
  isLong,
  limitArguments,
  limitResult,
  nextPageOf,
  validateCall,
  warnAboutResult,
} from './checks.ts';
import { type CallEntries, openEntries } from './journal.ts';
import { logInAfter, resolveAuthorized, settleLogin } from './login.ts';
import { applyPolicy, rehearseCall } from './policy/policy.ts';
import { redactError, redactResult } from './redaction/redact.ts';
import { RESOURCE_TOOLS } from './resources/tools.ts';
import { inForm, sendWithInputs } from './send.ts';

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
 * Nothing is written after the execution has ended. A stage returns a promise only where it waits for something.
 *
 * Before it, `sandboxes/channel.ts` reads the frame of the guest, `execution/run.ts` records its request, `bridge/host.ts` parses it, and
 * `calls.ts` numbers the call. Behind the dispatch, `connectors/mcp.ts` sends the call, and `messages/reader.ts` reads the answer.
 */
export async function runToolCall(call: ToolCall, context: ToolCallContext): Promise<string> {
  const { earlier, args } = call;
  const { answer } = earlier ?? {};
  if (answer) return inTurn(() => answerOf(answer), context);
  const limited = limitArguments(call, context);
  const entries = openEntries(limited, context);
  let target: ResolvedTool | undefined;
  try {
    const found = resolveTool(call, context);
    target =
      found instanceof Promise
        ? await resolveAuthorized(found, () => resolveTool(call, context), call, context)
        : found;
    const { tool } = target;
    // A call of an execution that is continued passed this before, except that a login comes before this stage.
    const isNamed =
      (earlier !== undefined && earlier.login === undefined) ||
      context.policy.isReadOnly(tool) ||
      context.names.isNamed(tool);
    if (!(isNamed instanceof Promise ? await isNamed : isNamed)) throw unnamed(target, context);
    const needsTurns = isLong(limited.argumentText);
    if (needsTurns) await nextTurn();
    const { id, server, definition } = tool;
    const restoring = context.redactor.restoreArguments(args, { tool: id, server, isLocal: definition.isLocal });
    const restored = exactArguments(limited, restoring instanceof Promise ? await restoring : restoring, target);
    if (needsTurns) await nextTurn();
    // A sent call was valid for the definition of then.
    if (!earlier?.isSent) validateCall(restored, target);
    if (needsTurns) await nextTurn();
    const sent: SentCall = { call, restored, target };
    if (context.dryRun) {
      const { data, isInvented } = await rehearseCall(sent, entries, { ...context, dryRun: context.dryRun });
      return await inTurn(() => resultOf(data, isInvented, sent, entries, context), context);
    }
    const data = await (earlier?.isSent ? settleOutcome : sendCall)(sent, entries, context);
    return await inTurn(() => resultOf(data, false, sent, entries, context), context);
  } catch (thrown) {
    context.signal.throwIfAborted();
    const redacted = await redactError(thrown, context.redactor);
    await entries.fail(redacted);
    const { error } = redacted;
    if (!(error instanceof ToolwrightError && OF_HOST.has(error.code))) await context.origins?.sawOther(target?.tool);
    throw error;
  }
}

/** Finds the called tool, or the server of a resource, and its connector. Raises `UNKNOWN_TOOL` with suggestions, or an error of a server that is down. */
export function resolveTool(
  { tool, args }: ToolCall,
  { catalog, resources, language }: ToolCallContext,
): ResolvedTool | Promise<ResolvedTool> {
  return resources && isResourceCall(tool) ? resources().resolve(tool, args) : catalog.resolve(tool, language);
}

/** Returns whether a program calls a request about resources. No tool of a server has such an id. */
function isResourceCall(tool: string): boolean {
  return Object.hasOwn(RESOURCE_TOOLS, tool);
}

/** Sends a call that the policy allows, after its journal entry: policy ▸ journal ▸ dispatch. */
async function sendCall(sent: SentCall, entries: CallEntries, context: ToolCallContext): Promise<unknown> {
  const { call, restored, target } = sent;
  if (context.approved) await context.approved.check(sent);
  const checking = context.policy.isReadOnly(target.tool) ? undefined : context.requireUncomputed?.(sent);
  if (checking) await checking;
  const allowed = applyPolicy(call, restored, target, context);
  const begun = entries.begin(allowed instanceof Promise ? await allowed : allowed);
  if (begun) await begun;
  return dispatch(sent, entries, context);
}

/**
 * Sends a call, and asks people the questions of its server. When the server requires a login of the user, asks for it and sends the call again after it: the server has executed
 * nothing. Raises the errors of the connector, of a login that is not possible, and `AUTHORIZATION_REQUIRED` when nobody logs in.
 */
function dispatch(sent: SentCall, entries: CallEntries, context: ToolCallContext): Promise<unknown> {
  const data = sendWithInputs(sent, entries, context);
  const { startLogin } = context;
  if (!startLogin) return data;
  return data.catch(async (error) => {
    await logInAfter(error, startLogin, { sent, entries, context });
    return dispatch(sent, entries, context);
  });
}

/** Returns the result for the program: limit ▸ redact ▸ observe ▸ journal. */
async function resultOf(
  data: unknown,
  isInvented: boolean,
  { call, target }: SentCall,
  entries: CallEntries,
  context: ToolCallContext,
): Promise<string> {
  const result = limitResult(data, call, context);
  const needsTurns = isLong(result.text);
  // The schema of a tool is about its data, and not about a whole result.
  const isData = !isInvented && !context.isRaw && !isResourceCall(call.tool);
  if (needsTurns) await nextTurn();
  if (isData) warnAboutResult(result, target, context);
  const nextPage = nextPageOf(data);
  if (nextPage !== undefined) context.record.nextPage = nextPage;
  const { journalValue, journalText, guestText } = await redactResult(result, target, context);
  // The catalog of the user infers the type of results from redacted data only.
  if (isData)
    context.catalog.observe(target.tool, journalValue, hasManyDigits(journalText) && holdsInteger(journalValue));
  if (!isInvented && context.origins) await context.origins.received(call.number, target.tool, journalValue);
  if (needsTurns) await nextTurn();
  entries.end(journalText);
  return guestText;
}

/** Runs work on the result of a call when the guest has space for it, and no other result of the execution is being processed. */
async function inTurn(
  work: () => string | Promise<string>,
  { results, room, signal, records, record }: ToolCallContext,
): Promise<string> {
  const turn = results.enter();
  if (turn) await turn;
  try {
    const space = room();
    if (space) await space;
    signal.throwIfAborted();
    const text = await work();
    records.close(record, 'answered');
    if (isLong(text)) await nextTurn();
    return text;
  } finally {
    results.leave();
  }
}

/** Returns the answer that the program did not receive. Raises its error. */
function answerOf(answer: NonNullable<EarlierCall['answer']>): string {
  if (answer.ok) return answer.text;
  const { code, message } = JSON.parse(answer.text);
  throw new ToolwrightError(code ?? 'INTERNAL', message);
}

/**
 * Returns the error of a call that is not read-only, and whose tool the program does not name in its text. The author of the program
 * has not read a tool whose name comes from a search or from data.
 */
function unnamed({ tool, writer }: ResolvedTool, { catalog }: ToolCallContext): ToolwrightError {
  const message = `${tool.id} is not read-only, and the program has its name from a value. Nothing was sent. Read the signature. If it is the right tool, write its name in the program as a text, or import its function:\n${writer.signature(catalog.withObserved(tool))}`;
  return new ToolwrightError('TOOL_NOT_NAMED', message, { details: { tool: tool.id } });
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
    return dispatch(sent, entries, context);
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
