import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { followTask } from './follow-task.ts';
import { type LiveText, NO_TEXT } from './live-text.ts';
import { type Task, workQuery } from './load.ts';
import { Parts } from './parts.tsx';

/** Shows the text and the programs of a task while the model writes them. */
export function LiveTask({
  task: { taskId },
  userId,
}: {
  readonly task: Pick<Task, 'taskId'>;
  readonly userId: string;
}): ReactNode {
  const client = useQueryClient();
  const [live, setLive] = useState<LiveText>(NO_TEXT);
  useEffect(() => followTask(taskId, userId, setLive), [taskId, userId]);
  useEffect(() => {
    if (live.end === undefined) return;
    client.setQueryData(workQuery({ taskId, status: live.end }, userId).queryKey, live);
    void client.invalidateQueries({ queryKey: ['tasks'] });
  }, [client, live, taskId, userId]);
  const programs = live.parts.filter(({ is }) => is === 'program').length;
  return (
    <section aria-label="Live text" aria-busy={live.end === undefined} className="mt-2 border-l-2 border-line pl-3">
      <Parts parts={live.parts} userId={userId} />
      {live.retry !== undefined && (
        <p className="text-wait">
          The request to the model is repeated: <Text value={live.retry} limit={300} />
        </p>
      )}
      {live.parts.length === 0 && <p className="text-muted">The model has not written yet.</p>}
      {/* A screen reader announces each program. The text changes too often for it. */}
      <p role="status" className="sr-only">
        {programs > 0 && `The model has written ${count(programs)} ${programs === 1 ? 'program' : 'programs'}.`}
      </p>
    </section>
  );
}
