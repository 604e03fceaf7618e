import { BASE_PATH } from '../api/base.ts';
import { queryText } from '../api/session.ts';
import { applyEvents, type LiveText, NO_TEXT, TASK_EVENTS, type TaskEvent } from './live-text.ts';

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;

/**
 * Follows the events of a task. Calls `show` at most once per animation frame. A hidden page has no stream: it has few connections.
 * After a lost connection and after a hidden time, the stream continues after the last event. Returns a function that ends it.
 */
export function followTask(taskId: string, userId: string, show: (live: LiveText) => void): () => void {
  let live = NO_TEXT;
  let waiting: TaskEvent[] = [];
  let frame: number | undefined;
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let retryMs = FIRST_RETRY_MS;
  const apply = () => {
    frame = undefined;
    live = applyEvents(live, waiting);
    waiting = [];
    show(live);
    if (live.hasEnded) close();
  };
  const close = () => {
    source?.close();
    source = undefined;
    clearTimeout(retry);
  };
  const open = () => {
    if (source !== undefined || document.hidden || live.hasEnded) return;
    const after = waiting.at(-1)?.number ?? live.last;
    const query = queryText({ userId, after });
    source = new EventSource(`${BASE_PATH}tasks/${encodeURIComponent(taskId)}/events${query}`);
    source.onopen = () => {
      retryMs = FIRST_RETRY_MS;
    };
    source.onerror = () => {
      // The browser connects again by itself, and names the last event that it has received.
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      retry = setTimeout(open, retryMs);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    };
    for (const type of TASK_EVENTS)
      source.addEventListener(type, ({ data }) => {
        waiting.push(JSON.parse(data as string) as TaskEvent);
        frame ??= requestAnimationFrame(apply);
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
