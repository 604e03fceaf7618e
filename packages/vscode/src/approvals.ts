import type { Connection, Session } from './connection.ts';
import { eventsOf } from './events.ts';

/** The open approvals that the person may decide, or why they are not known. */
export type ApprovalState =
  | { readonly is: 'open'; readonly number: number }
  | { readonly is: 'signedOut' }
  | { readonly is: 'unreachable'; readonly reason: string };

export interface WatchOptions {
  readonly connection: Pick<Connection, 'send' | 'session'>;
  readonly show: (state: ApprovalState) => void;
}

/** Watches the number of open approvals. */
export interface Watch {
  /** Starts again, such as after a login. */
  restart(): void;
  dispose(): void;
}

/** Changes within this time are counted once, in milliseconds. */
const COUNT_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** Watches the number of open approvals: reads it at the start, and after changes of executions. */
export function watchApprovals({ connection, show }: WatchOptions): Watch {
  let current = new AbortController();
  const restart = () => {
    current.abort();
    current = new AbortController();
    void watch(connection, show, current.signal);
  };
  restart();
  return { restart, dispose: () => current.abort() };
}

async function watch({ send, session }: WatchOptions['connection'], show: WatchOptions['show'], signal: AbortSignal) {
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      const person = await session(signal);
      if (person === undefined) return show({ is: 'signedOut' });
      retryMs = FIRST_RETRY_MS;
      await follow(person, { send, session }, (number) => !signal.aborted && show({ is: 'open', number }), signal);
    } catch (error) {
      if (signal.aborted) return;
      show({ is: 'unreachable', reason: error instanceof Error ? error.message : String(error) });
    }
    await pause(retryMs, signal);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}

/** Counts until the stream of changes ends. */
async function follow(
  { allUsers }: Session,
  { send }: WatchOptions['connection'],
  onCount: (number: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const scope = allUsers ? 'all=true' : '';
  const count = async () => {
    const response = await send(`approvals?limit=1&${scope}`, { signal });
    if (!response.ok) throw new Error(`The server answered ${response.status} for its approvals.`);
    onCount(((await response.json()) as { readonly total: number }).total);
  };
  const { ok, status, body } = await send(`executions/events?${scope}`, {
    headers: { accept: 'text/event-stream' },
    signal,
  });
  if (!ok || !body) throw new Error(`The server answered ${status} for its events.`);
  let timer: NodeJS.Timeout | undefined;
  try {
    await count();
    for await (const { type } of eventsOf(body)) {
      if (type === 'calls' || timer !== undefined) continue;
      timer = setTimeout(() => {
        timer = undefined;
        // The next change counts again.
        void count().catch(() => undefined);
      }, COUNT_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
