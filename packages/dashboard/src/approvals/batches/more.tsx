import type { ReactNode } from 'react';
import { count } from '../../text/format.ts';
import { PAGE } from '../load.ts';
import type { OpenQuestions } from '../open-questions.ts';

interface MoreProps {
  readonly questions: OpenQuestions;
  readonly isLoading: boolean;
  /** Loads up to this number of questions. */
  readonly load: (size: number) => void;
}

/** Shows that not all open questions are in the list, and loads more. Nothing while all are there. */
export function More({ questions: { approvals, total, isPart }, isLoading, load }: MoreProps): ReactNode {
  const rest = total - approvals.length;
  const next = Math.min(rest, PAGE);
  return (
    <>
      {rest > 0 && (
        <div role="status" className="flex flex-wrap items-center gap-2 border-t border-line bg-wait-back p-2">
          <span>
            The oldest {count(approvals.length)} of {count(total)} questions are loaded. Words and decisions are about
            these.
          </span>
          <button type="button" className="button" disabled={isLoading} onClick={() => load(approvals.length + next)}>
            {isLoading ? 'Loading' : next < rest ? `Load ${count(next)} more` : `Load the other ${count(rest)}`}
          </button>
        </div>
      )}
      {isPart && (
        <p role="status" className="border-t border-line bg-wait-back p-2">
          More executions wait than the server lists. The next ones appear when these are decided.
        </p>
      )}
    </>
  );
}
