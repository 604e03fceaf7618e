import {
  type AuthProvider,
  type FetchLike,
  isJSONRPCRequest,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import { holdsInteger, markIntegers, withoutMarks } from '@toolwright/sandbox/internal';
import type { HttpServerConfig } from '../../servers/server-config.ts';
import type { MessageReader } from '../messages/reader.ts';
import { readingFetch } from './reading-fetch.ts';
import { sameOriginFetch } from './same-origin-fetch.ts';

/** The `data` of the error for a stream that ended before its answer. */
export const STREAM_BROKEN: unique symbol = Symbol('stream broken');

const CONNECTION_CLOSED = -32000;
/** Limits of the milliseconds before an ended event stream is opened again. */
const MIN_REOPEN_MS = 250;
const MAX_REOPEN_MS = 30_000;

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** The tokens for a server. */
export interface TokenSource {
  readonly provider: AuthProvider;
  /** Adds proofs to requests with tokens. */
  readonly prove: (next: FetchLike) => FetchLike;
}

/** Streamable HTTP (specification: Transports). If a stream ends before its answer, the call fails. */
class StreamableTransport extends StreamableHTTPClientTransport {
  override send(given: JSONRPCMessage, options: SendOptions = {}): Promise<void> {
    const message = withMarks(given);
    // A subscription handles the end of its stream by itself.
    if (!isJSONRPCRequest(message) || options.onRequestStreamEnd !== undefined) return super.send(message, options);
    const onRequestStreamEnd = (): void => {
      // After an answer, the SDK ignores another one with the same id.
      const error = { code: CONNECTION_CLOSED, message: 'The stream ended before the answer', data: STREAM_BROKEN };
      this.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
    };
    return super.send(message, { ...options, onRequestStreamEnd });
  }
}

/** HTTP+SSE of the revision 2024-11-05. */
class SseTransport extends SSEClientTransport {
  override send(message: JSONRPCMessage): Promise<void> {
    return super.send(withMarks(message));
  }
}

/** Returns a message that the SDK can write: {@link writingFetch} puts large whole numbers in place of their marks. */
function withMarks(message: JSONRPCMessage): JSONRPCMessage {
  const mayHold = 'method' in message && message.method === 'tools/call' && holdsInteger(message.params);
  return mayHold ? JSON.parse(markIntegers(message)) : message;
}

/** Returns a `fetch` that puts numbers in place of the marks in a body. */
function writingFetch(next: typeof fetch): typeof fetch {
  return (input, init = {}) =>
    next(input, typeof init.body === 'string' ? { ...init, body: withoutMarks(init.body) } : init);
}

/** Creates the transport for Streamable HTTP. */
export function streamableTransport(
  config: HttpServerConfig,
  reader: MessageReader,
  account?: TokenSource,
): StreamableHTTPClientTransport {
  const options = { ...requestOptions(config, reader, account), reconnectionScheduler: reopen };
  return new StreamableTransport(new URL(config.url), options);
}

/** Opens an event stream again after the pause that the server requested, within limits. */
function reopen(reconnect: () => void, delayMs: number): () => void {
  const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, MIN_REOPEN_MS), MAX_REOPEN_MS));
  timer.unref();
  return () => clearTimeout(timer);
}

/** Creates the transport for the deprecated HTTP+SSE of the revision 2024-11-05. */
export function sseTransport(
  config: HttpServerConfig,
  reader: MessageReader,
  account?: TokenSource,
): SSEClientTransport {
  return new SseTransport(new URL(config.url), requestOptions(config, reader, account));
}

function requestOptions(
  config: HttpServerConfig,
  reader: MessageReader,
  account: TokenSource | undefined,
): StreamableHTTPClientTransportOptions {
  const fetch = writingFetch(readingFetch(sameOriginFetch(config.url), reader));
  return {
    fetch: account === undefined ? fetch : account.prove(fetch),
    ...(account === undefined ? {} : { authProvider: account.provider, onInsufficientScope: 'throw' }),
    requestInit: config.headers === undefined ? undefined : { headers: { ...config.headers } },
  };
}
