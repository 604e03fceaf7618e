import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { queryText, send, useMayChange } from '../../api/session.ts';
import { useFailureNotice } from '../../parts/notice.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { clock, count, dollars, duration } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { ExecutionLink } from './execution-link.tsx';
import { LiveTask } from './live-task.tsx';
import { withoutAnswer } from './live-text.ts';
import { hasBegun, isOpen, type Task, workQuery } from './load.ts';
import { Parts } from './parts.tsx';

interface TaskViewProps {
  readonly task: Task;
  readonly userId: string;
  /** Whether the work is shown while it is done. */
  readonly isLive: boolean;
  /** Makes a running task the live one. */
  readonly follow: () => void;
}

/** A task: the message of the user, the work on demand, and the answer. */
export function TaskView({ task, userId, isLive, follow }: TaskViewProps): ReactNode {
  const { answer, error } = task;
  const [isShown, setShown] = useState(isLive);
  // The work of a task that ends while a person looks stays.
  useEffect(() => {
    if (isLive) setShown(true);
  }, [isLive]);
  const canFollow = hasBegun(task);
  return (
    <article className="max-w-prose">
      <p className="rounded-md bg-sunken p-2 whitespace-pre-wrap">
        <Text value={task.task} />
      </p>
      <TaskFacts task={task} userId={userId} />
      {isLive ? (
        <LiveTask taskId={task.taskId} userId={userId} />
      ) : (
        task.status !== 'queued' && (
          <button
            type="button"
            className="cursor-pointer text-link underline"
            aria-expanded={isShown && !canFollow}
            onClick={() => (canFollow ? follow() : setShown(!isShown))}
          >
            {isShown && !canFollow ? 'Hide the work' : 'Show the work'}
          </button>
        )
      )}
      {!isLive &&
        (isShown && !isOpen(task) ? <Work task={task} userId={userId} /> : <Programs {...{ task, userId }} />)}
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

function TaskFacts({ task, userId }: { readonly task: Task; readonly userId: string }): ReactNode {
  const { status, createdAt, model, usage, pending = [] } = task;
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-3 text-muted">
      <Status status={status} waitingFor={pending.map(({ kind }) => kind)} />
      {[...new Set(pending.map(({ executionId }) => executionId))].map((executionId) => (
        <span key={executionId}>
          decide in <ExecutionLink executionId={executionId} userId={userId} />
        </span>
      ))}
      <span>{clock(createdAt)}</span>
      <span>
        <Text value={model} limit={60} />
      </span>
      <span>
        {count(usage.inputTokens + usage.outputTokens)} tokens
        {usage.costUsd === undefined ? '' : `, ${dollars(usage.costUsd)}`}
      </span>
      <TaskAction task={task} userId={userId} />
    </p>
  );
}

/** The programs of a task whose work is not shown. */
function Programs({ task, userId }: { readonly task: Task; readonly userId: string }): ReactNode {
  return task.executions.map(({ executionId, status, toolCalls, ms }) => (
    <p key={executionId} className="mt-1 flex flex-wrap items-center gap-x-3 pl-4">
      <Status status={status} />
      <ExecutionLink executionId={executionId} userId={userId} />
      <span className="text-muted">
        {count(toolCalls)} calls, {duration(ms)}
      </span>
    </p>
  ));
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

/** Loads and shows the work on a task that does not run: the texts of the model, and its programs with their results. */
function Work({ task, userId }: { readonly task: Task; readonly userId: string }): ReactNode {
  const { data, error, isPending, refetch } = useQuery(workQuery(task.taskId, task.status, userId));
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
