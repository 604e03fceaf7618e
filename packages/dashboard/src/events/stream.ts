import { BASE_PATH } from '../api/base.ts';
import type { ListedExecution } from '../api/types.ts';

/** Whether changes arrive. */
export type StreamState = 'connecting' | 'live' | 'lost';

export interface StreamListener {
  readonly onChanges: (executions: readonly ListedExecution[]) => void;
  /** Called when changes are missing: everything must be loaded again. */
  readonly onReset: () => void;
  readonly onState: (state: StreamState) => void;
}

type Message =
  | { readonly is: 'changes'; readonly executions: readonly ListedExecution[] }
  | { readonly is: 'reset' }
  | { readonly is: 'state'; readonly state: StreamState };

const NAME = 'toolwright-events';
const MAX_RETRY_MS = 15_000;
const FIRST_RETRY_MS = 500;

/**
 * Follows all executions that this person may see. Of all tabs of a browser, one has the stream and passes the changes on:
 * HTTP/1.1 allows six connections per host, over all tabs. Returns a function that ends it.
 */
export function followExecutions(query: string, listener: StreamListener): () => void {
  const channel = new BroadcastChannel(NAME);
  const leaving = new AbortController();
  const hear = (message: Message) => {
    if (message.is === 'changes') listener.onChanges(message.executions);
    else if (message.is === 'reset') listener.onReset();
    else listener.onState(message.state);
  };
  channel.onmessage = ({ data }: MessageEvent<Message | { readonly is: 'ask' }>) => {
    if (data.is !== 'ask') hear(data);
    else if (leads) channel.postMessage({ is: 'state', state });
  };
  let leads = false;
  let state: StreamState = 'connecting';
  const tell = (message: Message) => {
    if (message.is === 'state') state = message.state;
    hear(message);
    channel.postMessage(message);
  };
  const lead = async () => {
    leads = true;
    await readStream(query, tell, leaving.signal);
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

async function readStream(query: string, tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const source = new EventSource(`${BASE_PATH}executions/events${query}`);
      const end = () => {
        source.close();
        resolve();
      };
      signal.addEventListener('abort', end, { once: true });
      source.onopen = () => {
        retryMs = FIRST_RETRY_MS;
        tell({ is: 'state', state: 'live' });
      };
      source.addEventListener('executions', (event) => {
        const { executions } = JSON.parse(event.data) as { readonly executions: readonly ListedExecution[] };
        tell({ is: 'changes', executions });
      });
      source.addEventListener('reset', () => tell({ is: 'reset' }));
      source.onerror = () => {
        tell({ is: 'state', state: 'lost' });
        // The browser connects again by itself, and names the last event that it has received.
        if (source.readyState === EventSource.CONNECTING) return;
        signal.removeEventListener('abort', end);
        end();
      };
    });
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}
