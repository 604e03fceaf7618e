import type { Connection, Session } from './connection.ts';
import { eventsOf } from './events.ts';

/** The open approvals that the person may decide, or why they are not known. */
export type ApprovalState =
  | { readonly is: 'open'; readonly number: number }
  | { readonly is: 'signedOut' }
  | { readonly is: 'unreachable'; readonly reason: string };

export interface WatchOptions {
  readonly connection: Connection;
  readonly show: (state: ApprovalState) => void;
}

/** Watches the number of open approvals. */
export interface Watch {
  /** Starts again, such as after a login. */
  restart(): void;
  /** Counts again soon, such as after a decision. */
  recount(): void;
  dispose(): void;
}

/** Changes within this time are counted once, in milliseconds. */
const COUNT_MS = 1_000;
/** Also without a change: a decision of another person changes no execution until it goes on. */
const RECOUNT_MS = 30_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** Watches the number of open approvals: reads it at the start, after changes of executions, and every 30 seconds. */
export function watchApprovals({ connection, show }: WatchOptions): Watch {
  let current = new AbortController();
  let counter: Counter | undefined;
  const restart = () => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    const showCurrent = (state: ApprovalState) => {
      if (!signal.aborted) show(state);
    };
    counter = undefined;
    const onCounter = (started: Counter) => {
      if (!signal.aborted) counter = started;
    };
    void watch({ connection, show: showCurrent, signal, onCounter });
  };
  restart();
  return { restart, recount: () => counter?.soon(), dispose: () => current.abort() };
}

interface Watching extends WatchOptions {
  readonly signal: AbortSignal;
  readonly onCounter: (counter: Counter) => void;
}

async function watch({ connection, show, signal, onCounter }: Watching): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      const session = await connection.session(signal);
      if (session === undefined) return show({ is: 'signedOut' });
      retryMs = FIRST_RETRY_MS;
      await follow(session, { connection, show, signal, onCounter });
    } catch (error) {
      show({ is: 'unreachable', reason: error instanceof Error ? error.message : String(error) });
    }
    await pause(retryMs, signal);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}

/** Counts until the stream of changes ends. */
async function follow({ allUsers }: Session, { connection, show, signal, onCounter }: Watching): Promise<void> {
  const scope = allUsers ? 'all=true' : '';
  const count = async () => {
    const response = await connection.send(`approvals?limit=1&${scope}`, { signal });
    if (!response.ok) throw new Error(`The server answered ${response.status} for its approvals.`);
    const { total } = (await response.json()) as { readonly total: number };
    show({ is: 'open', number: total });
  };
  const headers = { accept: 'text/event-stream' };
  const { ok, status, body } = await connection.send(`executions/events?${scope}`, { headers, signal });
  if (!ok || !body) throw new Error(`The server answered ${status} for its events.`);
  const counter = createCounter(count);
  onCounter(counter);
  try {
    await count();
    for await (const { type } of eventsOf(body)) if (type !== 'calls') counter.soon();
  } finally {
    counter.end();
  }
}

interface Counter {
  soon(): void;
  end(): void;
}

/** Calls a function once for all changes within a second, and in an interval. The next call repeats a failed one. */
function createCounter(count: () => Promise<void>): Counter {
  const run = () => void count().catch(() => undefined);
  const interval = setInterval(run, RECOUNT_MS);
  let timer: NodeJS.Timeout | undefined;
  return {
    soon() {
      timer ??= setTimeout(() => {
        timer = undefined;
        run();
      }, COUNT_MS);
    },
    end() {
      clearInterval(interval);
      clearTimeout(timer);
    },
  };
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
