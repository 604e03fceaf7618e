import { exactText } from '@toolwright/sandbox/internal';
import { dataFolder, journalKey } from '@toolwright/storage/internal';
import { ToolwrightError } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import type { ApprovedCalls, AskPerson, ToolCallContext } from '../../tool-calls/call.ts';
import { policyDenied } from '../../tool-calls/policy/policy.ts';
import type { OpenedExecution } from '../execution.ts';
import { type BindingKey, bindingOf, type CallBinding, isSameServer } from '../questions/call-binding.ts';
import { openRecordedExecutions } from '../replay/recorded-executions.ts';
import { shown } from '../replay/replies.ts';
import { type Approval, type ApprovedCall, claimApproval } from './approval.ts';
import { createDryRunList, type DryRunList } from './list.ts';

interface ApprovedCallsOptions {
  readonly approval: Approval;
  readonly key: BindingKey;
  readonly redactor: ToolCallContext['redactor'];
  /** Stops the execution with an error. */
  readonly stop: (error: ToolwrightError) => void;
}

interface ShownCall {
  readonly number: number;
  readonly tool: string;
  readonly arguments: unknown;
}

/**
 * Claims the approval of a dry run. Raises `NOT_APPROVED`, and `UNKNOWN_EXECUTION` without the dry run. An execution that is continued
 * without its dry run can still end.
 */
export async function openApproval(opened: OpenedExecution, approved: string): Promise<Approval> {
  return readApproval(opened, approved).catch((error: unknown) => {
    if (!opened.earlier || !(error instanceof ToolwrightError)) throw error;
    return { dryRun: approved, calls: new Map(), lost: error.message };
  });
}

async function readApproval(opened: OpenedExecution, approved: string): Promise<Approval> {
  const { id, source, context, settings, session, earlier } = opened;
  const { userId } = session;
  const recording = await openRecordedExecutions(context).read(approved, userId);
  const program = { executionId: id, source, language: context.language.name, userId, sessionId: settings.sessionId };
  const { storage, waits, now } = context;
  return claimApproval(program, {
    recording,
    decisions: storage.decisions,
    now,
    isContinued: earlier !== undefined,
    expireMs: waits.expireMs,
  });
}

/** The rules for the calls of a dry run, or of an execution under an approval. */
interface CallRules {
  readonly approved: ApprovedCalls | undefined;
  readonly ask: AskPerson;
  readonly dryRun: DryRunList | undefined;
  /** Aborted with the error of a call that is not on the approved list. */
  readonly strayed: AbortSignal;
}

/** Opens the rules for the calls of an execution. */
export function openCallRules(
  { context, settings, session, redactor }: OpenedExecution,
  journal: Journal,
  approval: Approval | undefined,
  ask: AskPerson,
): CallRules {
  const key = { key: journalKey(dataFolder(context.dataDir).journalKey), userId: session.userId };
  const straying = new AbortController();
  const stop = (error: Error) => straying.abort(error);
  return {
    dryRun: settings.dryRun ? createDryRunList(key, redactor) : undefined,
    approved: approval && createApprovedCalls({ approval, key, redactor, stop }),
    ask: approval ? askUnder(approval, journal, ask) : ask,
    strayed: straying.signal,
  };
}

/** Creates the check of the calls of an execution under an approval. A call must be the approved one with its number. */
function createApprovedCalls({ approval, key, redactor, stop }: ApprovedCallsOptions): ApprovedCalls {
  let strayed: ToolwrightError | undefined;
  return {
    async check(sent) {
      if (strayed) throw strayed;
      const approved = approval.calls.get(sent.call.number);
      const own = bindingOf({ tool: sent.target.tool, args: sent.restored.args }, key);
      if (approved?.plan.binding === own.binding && isSameServer(approved.plan, own)) {
        if (approved.plan.action === 'deny') throw policyDenied(sent.target.tool, approved.plan.rule);
        return;
      }
      const { tool, arguments: args } = await redactor.redactForJournal({
        tool: sent.call.tool,
        arguments: sent.call.args,
      });
      const actual = { number: sent.call.number, tool, arguments: args, ...own };
      const error = mismatch(approval, actual, approved);
      strayed ??= error;
      stop(strayed);
      throw strayed;
    },
  };
}

/** Returns a function that answers questions about approved calls, and asks a person all others. */
function askUnder({ dryRun, by }: Approval, journal: Journal, ask: AskPerson): AskPerson {
  return async (question) => {
    if (question.kind !== 'approval') return ask(question);
    const { number } = question.call;
    const decision = { number, action: 'approve' as const, by, dryRun };
    journal.decide(decision);
    return decision;
  };
}

function mismatch(
  { dryRun, calls, lost }: Approval,
  actual: ShownCall & CallBinding,
  approved: ApprovedCall | undefined,
): ToolwrightError {
  const expected = approved === undefined ? `no call ${actual.number}` : callText(approved);
  const message = `The execution was stopped, because nobody approved ${callText(actual)}. Approved in dry run ${dryRun}: ${expected}. ${lost ?? reasonFor(actual, approved, calls)} This call was not sent; earlier calls took effect. Make another dry run, or have each call approved.`;
  return new ToolwrightError('DRY_RUN_MISMATCH', message, {
    details: { actual: callText(actual), approved: expected },
  });
}

function reasonFor(
  actual: ShownCall & CallBinding,
  approved: ApprovedCall | undefined,
  calls: Approval['calls'],
): string {
  if (approved && !isSameServer(approved.plan, actual))
    return 'The server of the tool has another command or address now.';
  if (approved?.tool === actual.tool && approved.plan.toolBinding !== actual.toolBinding)
    return 'The definition of the tool has changed.';
  if ([...calls.values()].some(({ plan }) => plan.isInvented))
    return 'The dry run invented results of calls, and real results can lead to other calls.';
  return 'The program made other calls than in the dry run.';
}

function callText({ number, tool, arguments: args }: ShownCall): string {
  return `call ${number}, ${shown(`${tool} ${exactText(args)}`)}`;
}
