import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { markIntegers, withQuotedIntegers } from '@toolwright/sandbox/internal';
import { retryAfterMs, retryDelayMs } from '../../network/retry.ts';
import { withHeldResult } from '../messages/held-results.ts';
import type { MessageReader } from '../messages/reader.ts';
import { type BodyLimits, messageOfEvent } from './bounded-body.ts';
import { HttpRefusal } from './refusal.ts';
import type { sameOriginFetch } from './same-origin-fetch.ts';

/** Text of an event that is an answer, and no heartbeat. */
const ANSWER = /"(?:result|error)"\s*:/;
const EVENT_STREAM = /^text\/event-stream\s*(?:;|$)/i;
/** The first line of an event stream. */
const EVENTS = /^\s*(?:event|data|id|retry)?:/;
const EVENT_END = /(?:\r\n|\n|\r){2,}/;

/** Maximum characters of the body of a refusal. */
const MAX_REFUSAL = 64 * 1024;
/** Requests whose refusals decide about the revision and the transport. */
const HANDSHAKE: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

type RequestId = string | number | undefined;

/**
 * Returns a `fetch` whose answers `reader` has read, in the form that the SDK accepts. JSON and events are read under any content type. An
 * answer to a request that is neither ends that request with an error. A refusal whose body is a JSON-RPC error is the answer of its
 * request. Rejects with {@link HttpRefusal} for any other refusal, except one that is about a login.
 */
export function readingFetch(next: ReturnType<typeof sameOriginFetch>, reader: MessageReader): typeof fetch {
  let stream: Promise<Response> | undefined;
  return async (input, init = {}) => {
    const { id, method } = requestOf(init);
    const rewrite: BodyLimits['rewrite'] = (text, isEvent) => {
      const messages = isEvent ? eventMessages(reader, text, id) : bodyMessages(reader, text, id);
      return messages.length === 0 ? undefined : textsOf(messages, text);
    };
    const send = () => next(input, init, rewrite);
    if (HANDSHAKE.has(method)) {
      const response = await sendWhenReady(send, init.signal ?? undefined);
      return response.ok ? readable(response, rewrite) : response;
    }
    const sending = send();
    const isStream = (init.method ?? 'GET') === 'GET';
    if (isStream) stream = sending;
    const response = await sending;
    if (id === undefined) return method === undefined || isStream ? response : accepted(response, method, reader);
    if (response.status === 202) return (await isOpen(stream)) ? response : withoutAnswer(response, reader, id);
    if (response.ok) return readable(response, rewrite);
    return refusal(response, reader, { id, hasSession: new Headers(init.headers).has('mcp-session-id') });
  };
}

/** Returns messages as JSON. Data that nest deeper than the stack cannot be written: then it is the text that the server sent. */
function textsOf(messages: readonly JSONRPCMessage[], text: string): readonly string[] {
  try {
    return messages.map((message) => markIntegers(withHeldResult(message)));
  } catch (error) {
    if (error instanceof RangeError) return [withQuotedIntegers(text)];
    throw error;
  }
}

function readable(response: Response, rewrite: NonNullable<BodyLimits['rewrite']>): Response {
  if (response.status === 202) return response;
  if (response.body === null) return new Response(`[${rewrite('', false)}]`, JSON_ANSWER);
  return EVENT_STREAM.test(response.headers.get('content-type') ?? '') ? response : asJson(response);
}

/** Returns the answer to a notification. The protocol has no answer to it, so a refusal is logged, and costs nothing. */
async function accepted(response: Response, method: string, reader: MessageReader): Promise<Response> {
  if (response.ok || response.status === 401 || response.headers.has('www-authenticate')) return response;
  await response.body?.cancel();
  reader.note(`HTTP ${response.status} for the notification ${method}`);
  return new Response(null, { status: 202 });
}

/** Returns whether a stream is open on which an answer may come. */
async function isOpen(stream: Promise<Response> | undefined): Promise<boolean> {
  return (await stream?.catch(() => undefined))?.ok === true;
}

/** Ends a request whose server answers neither in the body nor on a stream. */
async function withoutAnswer(response: Response, reader: MessageReader, id: string | number): Promise<Response> {
  await response.body?.cancel();
  const [failure] = reader.failures('', id, 'is HTTP 202, and no stream for the answer is open');
  return new Response(JSON.stringify(failure), JSON_ANSWER);
}

/** Sends a request without effects again after the pause that its server asks for. */
async function sendWhenReady(send: () => Promise<Response>, signal: AbortSignal | undefined): Promise<Response> {
  for (let retries = 0; ; retries++) {
    const response = await send();
    if (!response.headers.has('retry-after')) return response;
    const delayMs = retryDelayMs({ method: 'POST', isIdempotent: true }, response, retries, Number.POSITIVE_INFINITY);
    if (delayMs === undefined) return response;
    await response.body?.cancel();
    await sleep(delayMs, undefined, { signal });
  }
}

/** Returns the error with which a server refused a request as its answer. Raises {@link HttpRefusal}. */
async function refusal(
  response: Response,
  reader: MessageReader,
  { id, hasSession }: { readonly id: string | number; readonly hasSession: boolean },
): Promise<Response> {
  const { status, headers } = response;
  if (status === 401 || headers.has('www-authenticate')) return response;
  const body = (await response.text()).slice(0, MAX_REFUSAL);
  const waitMs = status === 429 || status === 503 ? retryAfterMs(headers) : undefined;
  // With a session, 404 is about the session.
  const isAnswer = waitMs === undefined && !(hasSession && status === 404);
  if (isAnswer && /^\s*\{[\s\S]*"error"\s*:\s*\{/.test(body)) {
    const [message] = reader.read(body, id) ?? [];
    if (message && 'error' in message) return new Response(JSON.stringify({ ...message, id }), JSON_ANSWER);
  }
  throw new HttpRefusal(status, body, waitMs);
}

const JSON_ANSWER = { headers: { 'content-type': 'application/json' } };

/** Returns the request in a body. A notification and an answer have no id. */
function requestOf({ body }: RequestInit): { readonly id?: string | number; readonly method?: string } {
  if (typeof body !== 'string') return {};
  try {
    const { id, method } = Object(JSON.parse(body));
    return method === undefined ? {} : { id, method };
  } catch {
    return {};
  }
}

function eventMessages(reader: MessageReader, text: string, id: RequestId): readonly JSONRPCMessage[] {
  return reader.read(text, id) ?? reader.failures(text, ANSWER.test(text) ? id : undefined);
}

function bodyMessages(reader: MessageReader, text: string, id: RequestId): readonly JSONRPCMessage[] {
  const events = EVENTS.test(text) ? text.split(EVENT_END).map(messageOfEvent) : [];
  const messages = events.flatMap((event) => (event === undefined ? [] : eventMessages(reader, event, id)));
  if (messages.length > 0) return messages;
  const read = reader.read(text, id);
  if (id === undefined) return read ?? [];
  // Nothing comes after the body: without an answer in it, its request would wait for ever.
  return read?.some((message) => !('method' in message)) ? read : [...(read ?? []), ...reader.failures(text, id)];
}

/** The body was read as JSON, for any type. */
function asJson(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return new Response(response.body, { status: response.status, headers });
}
