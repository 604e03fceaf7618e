import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Values } from '../api/executions.ts';
import { useMayChange } from '../api/session.ts';
import type { Approval } from '../api/types.ts';
import { useNow } from '../app/now.ts';
import { useDecide } from '../approvals/answers/use-decide.ts';
import { useQuestions } from '../approvals/use-questions.ts';
import { duration } from '../text/format.ts';
import { Json } from '../text/json.tsx';
import { Text } from '../text/text.tsx';

/** The calls of a suspended execution that wait for a person, with their rules, arguments and buttons. */
export function Pending({
  id,
  userId,
  values,
}: {
  readonly id: string;
  readonly userId: string;
  readonly values: Values;
}): ReactNode {
  const { data } = useQuestions({ userId }, { executionId: id, values });
  const mayDecide = useMayChange();
  const questions = data?.approvals ?? [];
  if (questions.length === 0) return null;
  return (
    <ul aria-label="Waiting calls" className="max-h-[50%] shrink-0 overflow-auto border-b border-line only:max-h-full">
      {questions.map((question) => (
        <PendingCall key={question.call} question={question} mayDecide={mayDecide} />
      ))}
    </ul>
  );
}

function PendingCall({ question, mayDecide }: { readonly question: Approval; readonly mayDecide: boolean }): ReactNode {
  const { executionId, call, tool, rule, kind, arguments: given, expiresAt } = question;
  const left = duration(Math.max(0, Date.parse(expiresAt) - useNow()));
  const decide = useDecide();
  return (
    <li className="border-l-4 border-wait bg-wait-back p-2">
      <p>
        <span aria-hidden="true">! </span>
        {call} <Text value={tool} limit={80} className="code font-semibold" /> waits
        {rule !== undefined && (
          <>
            , asked by <Text value={rule} className="code" />
          </>
        )}
        . Without a decision, it is refused in {left}.
      </p>
      <Json value={given} />
      {mayDecide && kind === 'approval' ? (
        <p className="sticky bottom-0 flex gap-2 bg-wait-back py-1">
          <button
            type="button"
            className="button button-main"
            onClick={() => decide({ action: 'approve', items: [question] })}
          >
            Approve
          </button>
          <button
            type="button"
            className="button button-bad"
            onClick={() => decide({ action: 'deny', items: [question] })}
          >
            Deny
          </button>
        </p>
      ) : (
        <Link to="/ui/approvals" search={{ executionId }}>
          Open the question
        </Link>
      )}
    </li>
  );
}
