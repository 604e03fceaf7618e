import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { queryText } from '../../api/session.ts';
import { platform } from '../../platforms/current.ts';
import { count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { applyEvents, type LiveText, NO_TEXT, TASK_EVENTS, type TaskEvent } from './live-text.ts';
import { workQuery } from './load.ts';
import { Parts } from './parts.tsx';

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;

/** Shows the text and the programs of a task while the model writes them. */
export function LiveTask({ taskId, userId }: { readonly taskId: string; readonly userId: string }): ReactNode {
  const client = useQueryClient();
  const [live, setLive] = useState<LiveText>(NO_TEXT);
  useEffect(() => followTask(taskId, userId, setLive), [taskId, userId]);
  useEffect(() => {
    if (live.end === undefined) return;
    client.setQueryData(workQuery(taskId, live.end, userId).queryKey, live);
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

/**
 * Follows the events of a task. Calls `show` at most once per animation frame. A hidden page has no stream: it has few connections.
 * After a lost connection and after a hidden time, the stream continues after the last event. Returns a function that ends it.
 */
function followTask(taskId: string, userId: string, show: (live: LiveText) => void): () => void {
  let live = NO_TEXT;
  let waiting: TaskEvent[] = [];
  let frame: number | undefined;
  let end: (() => void) | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let retryMs = FIRST_RETRY_MS;
  const apply = () => {
    frame = undefined;
    live = applyEvents(live, waiting);
    waiting = [];
    show(live);
    if (live.end !== undefined) close();
  };
  const close = () => {
    end?.();
    end = undefined;
    clearTimeout(retry);
  };
  const open = () => {
    if (end !== undefined || document.hidden || live.end !== undefined) return;
    const after = waiting.at(-1)?.number ?? live.last;
    const query = queryText({ userId, after });
    end = platform.follow(`tasks/${encodeURIComponent(taskId)}/events${query}`, {
      types: TASK_EVENTS,
      onOpen() {
        retryMs = FIRST_RETRY_MS;
      },
      onEvent(_type, data) {
        waiting.push(JSON.parse(data) as TaskEvent);
        frame ??= requestAnimationFrame(apply);
      },
      onLost(connectsAgain) {
        if (connectsAgain) return;
        close();
        retry = setTimeout(open, retryMs);
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      },
    });
  };
  const follow = () => (document.hidden ? close() : open());
  document.addEventListener('visibilitychange', follow);
  open();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    close();
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
}
