import { type ErrorCode, ToolwrightError } from '../../errors.ts';
import type { PendingQuestion } from '../../history/result.ts';
import type { QuestionEntry } from '../../journal/entries.ts';
import type { Decisions } from '../../journal/questions/decisions.ts';
import { type ApprovalAnswer, decide } from './decide.ts';
import { pendingOf } from './open-questions.ts';

/** A question for `onApproval`. */
export interface ApprovalRequest extends PendingQuestion {
  readonly executionId: string;
  /** The arguments that the tool would receive, with personal data. For a person who may see them: never for a model or a log. */
  readonly realArguments: unknown;
  /** The details with personal data, under the same rule. */
  readonly realDetails?: unknown;
}

/**
 * Decides about a question: an approval of a tool call, an unknown outcome, a question of a server, or a login. Without an answer, the question stays open. Others may decide, and
 * the execution is suspended after the grace period. With `later`, it is suspended as soon as it only waits. An error leaves it open too, and is logged.
 */
export type OnApproval = (question: ApprovalRequest) => Answered | Promise<Answered>;

type Answered = ApprovalAnswer | 'later' | undefined;

export interface OnApprovalOptions {
  readonly executionId: string;
  readonly onApproval: OnApproval | undefined;
  readonly decisions: Decisions;
  readonly onDefect: (id: string, error: unknown) => void;
}

/** Returns a function that passes questions to the embedder, and stores its decisions like those of others. */
export function createApprovalCallback(options: OnApprovalOptions) {
  const { executionId, onApproval, decisions, onDefect } = options;
  const ask = async (question: Omit<QuestionEntry, 'mac'>, args: unknown, defer: () => void): Promise<void> => {
    const { realDetails } = question;
    const answer = await onApproval?.({
      ...pendingOf(question),
      executionId,
      realArguments: structuredClone(args),
      realDetails: realDetails === undefined ? undefined : structuredClone(realDetails),
    });
    if (answer === 'later') defer();
    else if (answer) await decide(executionId, [question], { ...answer, calls: [question.number] }, decisions);
  };
  return (question: Omit<QuestionEntry, 'mac'>, args: unknown, defer: () => void): void => {
    ask(question, args, defer).catch((error: unknown) => {
      const isLate = error instanceof ToolwrightError && error.code === LATE;
      if (!isLate) onDefect(executionId, error);
    });
  };
}

/** Another person was faster, or the execution has ended. */
const LATE: ErrorCode = 'ALREADY_DECIDED';
