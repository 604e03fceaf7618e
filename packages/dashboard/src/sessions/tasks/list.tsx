import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Failure, Loading } from '../../parts/states.tsx';
import { hasBegun, tasksQuery } from './load.ts';
import { TaskView } from './task.tsx';

/** The tasks of a session, newest first. */
export function Tasks({ sessionId, userId }: { readonly sessionId: string; readonly userId: string }): ReactNode {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    tasksQuery(sessionId, userId),
  );
  const [followed, setFollowed] = useState<string>();
  if (isPending) return <Loading rows={4} label="Loading tasks" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const tasks = data.pages.flatMap((page) => page.tasks);
  if (tasks.length === 0) return <p className="text-muted">No task has run in this session.</p>;
  // Only one has a stream: a browser has six connections to a server, over all windows.
  const running = tasks.filter(hasBegun);
  const live = running.find(({ taskId }) => taskId === followed) ?? running[0];
  return (
    <>
      <ol aria-label="Tasks" className="flex flex-col gap-4">
        {tasks.map((task) => (
          <li key={task.taskId}>
            <TaskView task={task} userId={userId} isLive={task === live} follow={() => setFollowed(task.taskId)} />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <button
          type="button"
          className="button mt-4"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Load more
        </button>
      )}
    </>
  );
}
