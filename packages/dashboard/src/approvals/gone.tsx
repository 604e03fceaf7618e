import type { ReactNode } from 'react';
import type { Approval } from '../api/types.ts';
import { Decided } from './decided.tsx';

/** Takes the place of a question that left the queue while it was shown, until the person goes on. */
export function Gone({ question, next }: { readonly question: Approval; readonly next: () => void }): ReactNode {
  return (
    <section aria-label="Question" className="panel flex min-h-0 flex-col overflow-auto">
      <h2 className="p-3 text-base">This question is not open any more</h2>
      <Decided executionId={question.executionId} call={question.call} />
      <div className="p-3">
        <button type="button" className="button" onClick={next}>
          Show the next question
        </button>
      </div>
    </section>
  );
}
