import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Status as StatusName } from '../api/client.ts';
import { get, queryText, send, useMayChange } from '../api/session.ts';
import { clock, count, dollars, duration } from '../parts/format.ts';
import { useFailureNotice } from '../parts/notice.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Text } from '../text/text.tsx';
import { LiveTask } from './live-task.tsx';

interface Task {
  readonly taskId: string;
  readonly sessionId: string;
  readonly task: string;
  readonly model: string;
  readonly status: StatusName | 'queued';
  readonly createdAt: string;
  readonly answer: string | null;
  readonly error?: { readonly code: string; readonly message: string };
  readonly executions: readonly {
    readonly executionId: string;
    readonly status: StatusName;
    readonly toolCalls: number;
    readonly ms: number;
  }[];
  readonly usage: {
    readonly steps: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd?: number;
  };
}

const MAX_TASKS = 100;
const REFRESH_MS = 2_000;
const NEW_TASKS_MS = 5_000;

/** The tasks of a session, with the programs that the model wrote for them. */
export function Tasks({ sessionId, userId }: { readonly sessionId: string; readonly userId: string }): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['tasks', sessionId, userId],
    queryFn: ({ signal }) =>
      get<{ readonly tasks: readonly Task[] }>(`tasks${queryText({ userId, limit: MAX_TASKS })}`, signal),
    refetchInterval: ({ state }) => (state.data?.tasks.some(isOpen) ? REFRESH_MS : NEW_TASKS_MS),
  });
  if (isPending) return <Loading rows={4} label="Loading tasks" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const tasks = data.tasks.filter((task) => task.sessionId === sessionId);
  if (tasks.length === 0) return <p className="text-muted">No task has run in this session.</p>;
  // Only one has a stream: a browser has six connections to a server, over all windows.
  const live = tasks.find(({ status }) => status === 'running');
  return (
    <ol className="flex flex-col gap-4">
      {tasks.map((task) => (
        <li key={task.taskId}>
          <TaskView task={task} userId={userId} isLive={task === live} />
        </li>
      ))}
    </ol>
  );
}

function isOpen({ status }: Task): boolean {
  return status === 'queued' || status === 'running';
}

interface TaskViewProps {
  readonly task: Task;
  readonly userId: string;
  /** Whether the work is shown while it is done. */
  readonly isLive: boolean;
}

function TaskView({ task, userId, isLive }: TaskViewProps): ReactNode {
  const { answer, error, executions, usage } = task;
  return (
    <article className="max-w-prose">
      <p className="rounded-md bg-sunken p-2 whitespace-pre-wrap">
        <Text value={task.task} />
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-3 text-muted">
        <Status status={task.status} />
        <span>{clock(task.createdAt)}</span>
        <span>
          <Text value={task.model} limit={60} />
        </span>
        <span>
          {count(usage.inputTokens + usage.outputTokens)} tokens
          {usage.costUsd === undefined ? '' : `, ${dollars(usage.costUsd)}`}
        </span>
        <TaskAction task={task} userId={userId} />
      </p>
      {isLive && <LiveTask taskId={task.taskId} userId={userId} />}
      {(isLive ? [] : executions).map(({ executionId, status, toolCalls, ms }) => (
        <p key={executionId} className="mt-1 flex flex-wrap items-center gap-x-3 pl-4">
          <Status status={status} />
          <Link to="/ui/executions/$id" params={{ id: executionId }} search={{ userId }} className="code">
            {executionId.slice(0, 8)}
          </Link>
          <span className="text-muted">
            {count(toolCalls)} calls, {duration(ms)}
          </span>
        </p>
      ))}
      {error && (
        <p className="mt-1 text-bad">
          <Text value={error.code} />: <Text value={error.message} />
        </p>
      )}
      {answer !== null && (
        <p className="mt-2 whitespace-pre-wrap">
          <Text value={answer} limit={8_000} />
        </p>
      )}
    </article>
  );
}

function TaskAction({ task, userId }: { readonly task: Task; readonly userId: string }): ReactNode {
  const client = useQueryClient();
  const failed = useFailureNotice();
  const { mutate, isPending } = useMutation({
    mutationFn: (name: string) => send('POST', `tasks/${task.taskId}/${name}${queryText({ userId })}`, {}),
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey: ['tasks'] }),
  });
  const name = isOpen(task) ? 'cancel' : task.status === 'interrupted' ? 'resume' : undefined;
  const mayChange = useMayChange();
  if (name === undefined || !mayChange) return null;
  return (
    <button type="button" className="button" disabled={isPending} onClick={() => mutate(name)}>
      {name === 'cancel' ? 'Cancel' : 'Resume'}
    </button>
  );
}
