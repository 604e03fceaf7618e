import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure, Loading } from '../../parts/states.tsx';
import { withoutAnswer } from './live-text.ts';
import { type Task, workQuery } from './load.ts';
import { Parts } from './parts.tsx';

/** Loads and shows the work on a task that does not run: the texts of the model, and its programs with their results. */
export function Work({ task, userId }: { readonly task: Task; readonly userId: string }): ReactNode {
  const { data, error, isPending, refetch } = useQuery(workQuery(task, userId));
  if (isPending) return <Loading rows={3} label="Loading the work" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  // The answer is below, with personal data for its user.
  const parts = task.answer === null ? data.parts : withoutAnswer(data.parts);
  return (
    <section aria-label="Work" className="mt-2 border-l-2 border-line pl-3">
      {parts.length === 0 ? (
        <p className="text-muted">The model wrote {task.answer === null ? 'nothing' : 'only the answer'}.</p>
      ) : (
        <Parts parts={parts} userId={userId} />
      )}
    </section>
  );
}
