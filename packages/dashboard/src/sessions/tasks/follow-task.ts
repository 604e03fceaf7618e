import { queryText } from '../../api/session.ts';
import { platform } from '../../platforms/current.ts';
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
