import type { ListedExecution } from '../api/types.ts';
import { platform } from '../platforms/current.ts';

/** Whether changes arrive. */
export type StreamState = 'connecting' | 'live' | 'lost';

export interface StreamListener {
  readonly onChanges: (executions: readonly ListedExecution[]) => void;
  /** Called with the ids of executions whose calls have changed. */
  readonly onCalls: (ids: readonly string[]) => void;
  /** Called when changes are missing: everything must be loaded again. */
  readonly onReset: () => void;
  readonly onState: (state: StreamState) => void;
}

type Message =
  | { readonly is: 'changes'; readonly executions: readonly ListedExecution[]; readonly id: string }
  | { readonly is: 'calls'; readonly ids: readonly string[] }
  | { readonly is: 'reset' }
  | { readonly is: 'state'; readonly state: StreamState };

const NAME = 'toolwright-events';
const MAX_RETRY_MS = 15_000;
const FIRST_RETRY_MS = 500;

/** Follows all executions that this person may see. Returns a function that ends it. */
export function followExecutions(query: string, listener: StreamListener): () => void {
  return platform.sharesStream ? followShared(query, listener) : followAlone(query, listener);
}

function followAlone(query: string, listener: StreamListener): () => void {
  const leaving = new AbortController();
  let last = '';
  const tell = (message: Message) => {
    if (message.is === 'changes') last = message.id;
    notify(listener, message);
  };
  void readStream({ query, tell, hasGap: false, signal: leaving.signal, after: () => last });
  return () => leaving.abort();
}

function notify(listener: StreamListener, message: Message): void {
  if (message.is === 'changes') listener.onChanges(message.executions);
  else if (message.is === 'calls') listener.onCalls(message.ids);
  else if (message.is === 'reset') listener.onReset();
  else listener.onState(message.state);
}

/**
 * Of all tabs of a browser, one has the stream and passes the changes on: HTTP/1.1 allows six connections per host, over
 * all tabs.
 */
function followShared(query: string, listener: StreamListener): () => void {
  const channel = new BroadcastChannel(NAME);
  const leaving = new AbortController();
  /** Id of the last change that this tab knows: it continues there when it becomes the one with the stream. */
  let last = '';
  const hear = (message: Message) => {
    if (message.is === 'changes') last = message.id;
    notify(listener, message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message | { readonly is: 'ask' }>) => {
    if (data.is !== 'ask') {
      isFollower = true;
      hear(data);
    } else if (leads) channel.postMessage({ is: 'state', state });
  };
  let leads = false;
  let isFollower = false;
  let state: StreamState = 'connecting';
  const tell = (message: Message) => {
    if (message.is === 'state') state = message.state;
    hear(message);
    channel.postMessage(message);
  };
  const lead = async () => {
    leads = true;
    // The other tab had the changes until now, and this one does not know where it ended.
    const hasGap = isFollower && last === '';
    await readStream({ query, tell, hasGap, signal: leaving.signal, after: () => last });
  };
  channel.postMessage({ is: 'ask' });
  // Without locks (a page over plain HTTP from another machine), each tab has a stream.
  if (navigator.locks === undefined) void lead();
  else navigator.locks.request(NAME, { signal: leaving.signal }, lead).catch(() => undefined);
  return () => {
    leaving.abort();
    channel.close();
  };
}

interface Reading {
  readonly query: string;
  readonly tell: (message: Message) => void;
  readonly signal: AbortSignal;
  /** Whether changes before the stream may be missing. */
  readonly hasGap: boolean;
  /** Returns the id of the last known change; empty for none. */
  readonly after: () => string;
}

async function readStream({ query, tell, signal, after, hasGap }: Reading): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  let mustReset = hasGap;
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const known = after() === '' ? '' : `${query === '' ? '?' : '&'}after=${encodeURIComponent(after())}`;
      const end = () => {
        close();
        resolve();
      };
      const close = platform.follow(`executions/events${query}${known}`, {
        types: ['executions', 'calls', 'reset'],
        onOpen() {
          retryMs = FIRST_RETRY_MS;
          tell({ is: 'state', state: 'live' });
          if (mustReset) tell({ is: 'reset' });
          mustReset = false;
        },
        onEvent: (type, data, id) => tell(messageOf(type, JSON.parse(data), id)),
        onLost(connectsAgain) {
          tell({ is: 'state', state: 'lost' });
          if (connectsAgain) return;
          signal.removeEventListener('abort', end);
          end();
        },
      });
      signal.addEventListener('abort', end, { once: true });
    });
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}

/** The data of an event of the stream. */
interface EventData {
  readonly executions: readonly ListedExecution[];
  readonly batches: readonly { readonly executionId: string }[];
}

function messageOf(type: string, { executions, batches }: EventData, id: string): Message {
  if (type === 'executions') return { is: 'changes', executions, id };
  return type === 'calls' ? { is: 'calls', ids: batches.map(({ executionId }) => executionId) } : { is: 'reset' };
}
