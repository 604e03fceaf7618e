import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ApprovalRequest,
  type Executions,
  type Logger,
  type OnApproval,
  type PendingQuestion,
  ToolwrightError,
} from '@toolwright/core';

export interface AnsweringOptions {
  readonly id: string;
  readonly user: string;
  readonly onApproval: OnApproval;
  readonly executions: Pick<Executions, 'questions' | 'decide'>;
  readonly logger: Pick<Logger, 'error'>;
}

/** Looks for a new question: the journal may have it a moment after its report. */
const LOOKS = { most: 10, everyMs: 100 };
/** Codes of a decision that came too late: another person was faster, or the execution has ended. */
const LATE: ReadonlySet<string> = new Set(['ALREADY_DECIDED', 'EXECUTION_ENDED', 'QUESTION_CHANGED']);

/**
 * Returns a function that passes the new questions of an execution on a worker to the caller, and stores the decisions of the caller. An error
 * of the caller leaves a question open, and is logged.
 */
export function createAnswering({ id, user, onApproval, executions, logger }: AnsweringOptions): () => void {
  const seen = new Set<string>();
  const answer = async (request: ApprovalRequest) => {
    const { call, question, binding } = request;
    const given = await onApproval(request);
    if (!given || given === 'later') return;
    const which = { calls: [call], bindings: [binding], question };
    await executions.decide(id, { ...given, ...which, userId: user });
  };
  const failed = (err: unknown) => {
    if (err instanceof ToolwrightError && LATE.has(err.code)) return;
    logger.error({ err, executionId: id }, 'a question of an execution was not answered');
  };
  const look = async () => {
    for (let count = 0; count < LOOKS.most; count++) {
      const open = (await executions.questions(id, user)).filter((question) => !seen.has(keyOf(question)));
      for (const question of open) seen.add(keyOf(question));
      for (const request of await requestsOf(open)) void answer(request).catch(failed);
      if (open.length > 0) return;
      await sleep(LOOKS.everyMs);
    }
  };
  const requestsOf = async (open: readonly PendingQuestion[]): Promise<readonly ApprovalRequest[]> => {
    if (open.length === 0) return [];
    // Values that cannot be restored stay redacted.
    const real = await executions.questions(id, user, { arguments: 'real' }).catch(() => []);
    return open.map((question) => {
      const { arguments: args, details } = real.find((other) => keyOf(other) === keyOf(question)) ?? question;
      return {
        ...question,
        executionId: id,
        realArguments: args,
        realDetails: details,
      };
    });
  };
  return () => void look().catch(failed);
}

function keyOf({ call, question = 1, binding }: PendingQuestion): string {
  return `${call} ${question} ${binding}`;
}
