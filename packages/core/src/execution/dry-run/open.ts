import { dataFolder, journalKey } from '@toolwright/storage/internal';
import { ToolwrightError } from '../../errors.ts';
import type { AskPerson } from '../../tool-calls/call.ts';
import type { Execution } from '../execution.ts';
import type { HostBridgeOptions } from '../guest/guest-host.ts';
import { openRecordedExecutions } from '../replay/recorded-executions.ts';
import { type Approval, claimApproval } from './approval.ts';
import { askUnder, createApprovedCalls } from './approved-calls.ts';
import { createDryRunList, type DryRunList } from './list.ts';

type Opened = Pick<Execution, 'id' | 'source' | 'context' | 'settings' | 'session' | 'earlier'>;

/**
 * Claims the approval that an execution names; undefined if it names none. Raises `NOT_APPROVED`, and `UNKNOWN_EXECUTION` without the
 * dry run. An execution that is continued without its dry run can still end.
 */
export async function openApproval(opened: Opened): Promise<Approval | undefined> {
  const { approved } = opened.settings;
  if (approved === undefined) return undefined;
  return readApproval(opened, approved).catch((error: unknown) => {
    if (!opened.earlier || !(error instanceof ToolwrightError)) throw error;
    return { dryRun: approved, calls: new Map(), lost: error.message };
  });
}

async function readApproval(opened: Opened, approved: string): Promise<Approval> {
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
export interface CallRules extends Pick<HostBridgeOptions, 'approved' | 'ask'> {
  readonly dryRun: DryRunList | undefined;
  /** Aborted with the error of a call that is not on the approved list. */
  readonly strayed: AbortSignal;
}

/** Opens the rules for the calls of an execution. */
export function openCallRules(
  { context, settings, session, redactor, journal }: Opened & Pick<Execution, 'redactor' | 'journal'>,
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
