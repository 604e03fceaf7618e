import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { MessageReader } from '../messages/reader.ts';
import { type BodyLimits, messageOfEvent } from './bounded-body.ts';
import type { sameOriginFetch } from './same-origin-fetch.ts';

/** Text of an event that is an answer, and no heartbeat. */
const ANSWER = /"(?:result|error)"\s*:/;
const EVENT_STREAM = /^text\/event-stream\s*(?:;|$)/i;
/** The first line of an event stream. */
const EVENTS = /^\s*(?:event|data|id|retry)?:/;
const EVENT_END = /(?:\r\n|\n|\r){2,}/;

type RequestId = string | number | undefined;

/**
 * Returns a `fetch` whose answers `reader` has read, in the form that the SDK accepts. JSON and events are read under any content type. An
 * answer to a request that is neither ends that request with an error.
 */
export function readingFetch(next: ReturnType<typeof sameOriginFetch>, reader: MessageReader): typeof fetch {
  return async (input, init = {}) => {
    const id = requestId(init);
    const rewrite: BodyLimits['rewrite'] = (text, isEvent) => {
      const messages = isEvent ? eventMessages(reader, text, id) : bodyMessages(reader, text, id);
      return messages.length === 0 ? undefined : messages.map((message) => JSON.stringify(message));
    };
    const response = await next(input, init, rewrite);
    if (id === undefined || !response.ok || response.status === 202) return response;
    if (response.body === null) return new Response(`[${rewrite('', false)}]`, JSON_ANSWER);
    return EVENT_STREAM.test(response.headers.get('content-type') ?? '') ? response : asJson(response);
  };
}

const JSON_ANSWER = { headers: { 'content-type': 'application/json' } };

/** Returns the id of the request in a body; undefined for a notification, an answer, and a request without a body. */
function requestId({ body }: RequestInit): RequestId {
  if (typeof body !== 'string') return undefined;
  try {
    const { id, method } = Object(JSON.parse(body));
    return method === undefined ? undefined : id;
  } catch {
    return undefined;
  }
}

function eventMessages(reader: MessageReader, text: string, id: RequestId): readonly JSONRPCMessage[] {
  return reader.read(text, id) ?? reader.failures(text, ANSWER.test(text) ? id : undefined);
}

function bodyMessages(reader: MessageReader, text: string, id: RequestId): readonly JSONRPCMessage[] {
  const events = EVENTS.test(text) ? text.split(EVENT_END).map(messageOfEvent) : [];
  const messages = events.flatMap((event) => (event === undefined ? [] : eventMessages(reader, event, id)));
  if (messages.length > 0) return messages;
  return reader.read(text, id) ?? (id === undefined ? [] : reader.failures(text, id));
}

/** The body was read as JSON, whatever its type is. */
function asJson(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return new Response(response.body, { status: response.status, headers });
}
