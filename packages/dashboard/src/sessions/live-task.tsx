import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { count } from '../parts/format.ts';
import { Status } from '../parts/status.tsx';
import { Text } from '../text/text.tsx';
import { followTask } from './follow-task.ts';
import { type LivePart, type LiveText, NO_TEXT } from './live-text.ts';

const MAX_TEXT = 8_000;

/** Shows the text and the programs of a task while the model writes them. */
export function LiveTask({ taskId, userId }: { readonly taskId: string; readonly userId: string }): ReactNode {
  const client = useQueryClient();
  const [live, setLive] = useState<LiveText>(NO_TEXT);
  useEffect(() => followTask(taskId, userId, setLive), [taskId, userId]);
  useEffect(() => {
    if (live.hasEnded) void client.invalidateQueries({ queryKey: ['tasks'] });
  }, [client, live.hasEnded]);
  const programs = live.parts.filter(({ is }) => is === 'program').length;
  return (
    <section aria-label="Live text" aria-busy={!live.hasEnded} className="mt-2 border-l-2 border-line pl-3">
      {live.parts.map((part, index) => (
        <Part key={index} part={part} userId={userId} />
      ))}
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

function Part({ part, userId }: { readonly part: LivePart; readonly userId: string }): ReactNode {
  if (part.is === 'text')
    return (
      <p className="mt-1 whitespace-pre-wrap">
        <Text value={part.text} limit={MAX_TEXT} />
      </p>
    );
  const { code, calls, status, executionId } = part;
  return (
    <div className="mt-1">
      <p className="flex flex-wrap items-center gap-x-3">
        <Status status={status} />
        {executionId !== undefined && (
          <Link to="/ui/executions/$id" params={{ id: executionId }} search={{ userId }} className="code">
            {executionId.slice(0, 8)}
          </Link>
        )}
        <span className="text-muted">{count(calls)} calls</span>
      </p>
      <details>
        <summary className="cursor-pointer text-muted">Program</summary>
        <pre className="code overflow-x-auto rounded-md bg-sunken p-2 whitespace-pre-wrap">
          <Text value={code} limit={MAX_TEXT} />
        </pre>
      </details>
    </div>
  );
}
