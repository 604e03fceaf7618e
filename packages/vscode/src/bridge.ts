import type {
  CancelMessage,
  FollowMessage,
  HostMessage,
  PageMessage,
  ReadyMessage,
  RequestMessage,
} from '@toolwright/dashboard/messages';
import type { Connection } from './connection.ts';
import { eventsOf } from './events.ts';
import { readBody } from './read-body.ts';

/** The largest answer that a page receives. Larger files are downloads. */
const MAX_ANSWER_BYTES = 32_000_000;
/** Headers of an answer that a page may read. */
const SHOWN_HEADERS = ['content-type', 'x-request-id'];

/** A message that is neither a request nor a stream. */
export type Action = Exclude<PageMessage, RequestMessage | FollowMessage | CancelMessage | ReadyMessage>;

interface BridgeOptions {
  readonly connection: Connection;
  /** Posts a message to the page. */
  readonly post: (message: HostMessage) => void;
  /** Called after each request of the page that may have changed something. */
  readonly onWrite: () => void;
  /** Runs an action that a person has asked the page for. */
  readonly act: (action: Action) => void;
}

/** The requests and streams of one page. */
interface Bridge {
  /** Receives a message of the page. Ignores unknown ones. */
  receive(sent: unknown): void;
  /** Cancels all requests and streams. */
  cancelAll(): void;
}

const METHODS: ReadonlySet<unknown> = new Set(['GET', 'POST', 'PUT', 'DELETE']);

/** Sends the requests of a page to the server, and returns answers and events to it. */
export function createBridge({ connection, post, onWrite, act }: BridgeOptions): Bridge {
  const open = new Map<number, AbortController>();
  const cancelAll = () => {
    for (const controller of open.values()) controller.abort();
    open.clear();
  };
  const run = (id: number, work: (signal: AbortSignal, answer: BridgeOptions['post']) => Promise<void>) => {
    const controller = new AbortController();
    const { signal } = controller;
    open.get(id)?.abort();
    open.set(id, controller);
    // A page that was loaded again uses the same numbers.
    const answer = (message: HostMessage) => {
      if (!signal.aborted) post(message);
    };
    void work(signal, answer)
      .catch((error: unknown) => answer({ is: 'failed', id, reason: reasonOf(error) }))
      .finally(() => {
        if (open.get(id) === controller) open.delete(id);
      });
  };
  const request = ({ id, method, path, headers, body }: RequestMessage) =>
    run(id, async (signal, answer) => {
      const response = await connection.send(path, { method, headers, body, signal });
      const shown = SHOWN_HEADERS.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      });
      const bytes = await readBody(response, MAX_ANSWER_BYTES);
      if (method !== 'GET') onWrite();
      answer({ is: 'response', id, status: response.status, headers: Object.fromEntries(shown), body: bytes });
    });
  const follow = ({ id, path }: FollowMessage) =>
    run(id, async (signal, answer) => {
      const response = await connection.send(path, { headers: { accept: 'text/event-stream' }, signal });
      if (response.ok && response.body) {
        answer({ is: 'opened', id });
        for await (const event of eventsOf(response.body)) answer({ is: 'event', id, ...event });
      } else await response.body?.cancel();
      answer({ is: 'closed', id });
    });
  return {
    receive(sent) {
      const message = parseMessage(sent);
      if (message === undefined) return;
      if (message.is === 'ready') cancelAll();
      else if (message.is === 'request') request(message);
      else if (message.is === 'follow') follow(message);
      else if (message.is === 'cancel') {
        open.get(message.id)?.abort();
        open.delete(message.id);
      } else act(message);
    },
    cancelAll,
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns a message of a page; undefined for anything else. The page shows texts of others, so that nothing is taken on trust. */
export function parseMessage(sent: unknown): PageMessage | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const message = sent as Readonly<Record<string, unknown>>;
  const hasTexts = (...names: readonly string[]) => names.every((name) => typeof message[name] === 'string');
  const hasId = Number.isSafeInteger(message.id);
  const isComplete: Readonly<Record<PageMessage['is'], () => boolean>> = {
    ready: () => true,
    signIn: () => true,
    signOut: () => true,
    request: () => hasId && METHODS.has(message.method) && hasTexts('path') && hasHeaders(message) && hasBody(message),
    follow: () => hasId && hasTexts('path'),
    cancel: () => hasId,
    download: () => hasTexts('path', 'name'),
    save: () => hasTexts('name', 'text'),
    open: () => hasTexts('url'),
  };
  const kind = String(message.is);
  const isKnown = Object.hasOwn(isComplete, kind) && isComplete[kind as PageMessage['is']]();
  return isKnown ? (sent as PageMessage) : undefined;
}

function hasHeaders({ headers }: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((value) => typeof value === 'string')
  );
}

function hasBody({ body }: Readonly<Record<string, unknown>>): boolean {
  return body === undefined || typeof body === 'string' || body instanceof ArrayBuffer;
}
