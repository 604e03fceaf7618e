import { createHash } from 'node:crypto';
import { type ExecutionResult, type PendingQuestion, type Toolwright, ToolwrightError } from '@toolwright/core';
import { executionEnd } from './execution-end.ts';

/** The calls of one execution that wait for a person. */
export interface PendingApproval {
  /** The execution and exactly these calls: a decision about it holds for no other call. */
  readonly approvalId: string;
  readonly executionId: string;
  readonly calls: readonly PendingQuestion[];
}

/** A decision of a person about the calls of one {@link PendingApproval}. */
export interface ApprovalDecision {
  readonly isApproved: boolean;
  /** The person who decides. */
  readonly by?: string | undefined;
  /** The reason, for the program. */
  readonly note?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `redacted` (default), or `real`: with personal data, for a person and never for a model. */
export type ShownArguments = 'redacted' | 'real';

/** The approvals of the executions of one user. */
export interface Approvals {
  /** Returns the calls of an execution that wait for a person now. */
  of(executionId: string, args?: ShownArguments): Promise<PendingApproval>;
  /** Returns the calls of an approval. Raises `QUESTION_CHANGED` if others wait now. */
  find(approvalId: string, args?: ShownArguments): Promise<PendingApproval>;
  /** Stores a decision, and continues the execution. Raises like {@link find}. */
  decide(approvalId: string, decision: ApprovalDecision): Promise<ExecutionResult>;
}

const SEPARATOR = '.';
/** 72 bits: bindings are made with a secret key, so nobody can search for calls with an equal digest. */
const DIGEST_CHARACTERS = 12;
/** Another process, or another call, continues the execution. */
const ELSEWHERE: ReadonlySet<string> = new Set(['EXECUTION_RUNNING', 'EXECUTION_ENDED']);

/** Creates the approvals of a user. */
export function createApprovals({ executions }: Toolwright, userId: string): Approvals {
  const of = async (executionId: string, args: ShownArguments = 'redacted'): Promise<PendingApproval> => {
    const questions = await executions.questions(executionId, userId, { arguments: args });
    const calls = questions.filter(({ kind }) => kind === 'approval');
    return { approvalId: `${executionId}${SEPARATOR}${digestOf(calls)}`, executionId, calls };
  };
  const find = async (approvalId: string, args?: ShownArguments): Promise<PendingApproval> => {
    const pending = await of(approvalId.split(SEPARATOR)[0] ?? '', args);
    if (pending.approvalId === approvalId && pending.calls.length > 0) return pending;
    const fix =
      pending.calls.length > 0 ? `Ask about the calls that wait now: ${pending.approvalId}.` : 'No call waits now.';
    throw new ToolwrightError('QUESTION_CHANGED', `The calls of approval ${approvalId} do not wait any more. ${fix}`);
  };
  return {
    of,
    find,
    async decide(approvalId, { isApproved, by, note, signal }) {
      const { executionId, calls } = await find(approvalId);
      const action = isApproved ? 'approve' : 'deny';
      const shown = { calls: calls.map(({ call }) => call), bindings: calls.map(({ binding }) => binding) };
      await executions.decide(executionId, { userId, action, by, note, ...shown });
      try {
        return await executions.resume(executionId, { userId, signal });
      } catch (error) {
        if (!(error instanceof ToolwrightError && ELSEWHERE.has(error.code))) throw error;
        return endElsewhere(executionId, signal);
      }
    },
  };

  /** Waits for the end of an execution that another process continues. */
  async function endElsewhere(executionId: string, signal = new AbortController().signal): Promise<ExecutionResult> {
    const ended = await executionEnd(executionId, { executions, userId, signal, onWait: () => undefined });
    if (ended?.result) return ended.result;
    const message = `Execution ${executionId} cannot go on. Read its journal with: toolwright executions show ${executionId}`;
    throw new ToolwrightError('NOT_SUPPORTED', message);
  }
}

function digestOf(calls: readonly PendingQuestion[]): string {
  const bindings = calls.map(({ binding }) => binding).sort();
  return createHash('sha256').update(JSON.stringify(bindings)).digest('base64url').slice(0, DIGEST_CHARACTERS);
}
