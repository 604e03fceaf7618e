import { TextDecoder } from 'node:util';
import { MessageMeter, namesExcess } from '../../content/message-meter.ts';
import { tooLarge } from '../../content/too-large.ts';
import { tooLargeAnswer } from '../messages/envelope.ts';
import { EventLimiter } from './event-limiter.ts';

const [NEWLINE, CARRIAGE_RETURN] = [0x0a, 0x0d];
/** Bytes of one event after which its stream counts as endless. */
const MAX_EVENT_BYTES = 1024 * 1024 * 1024;
/** The names of events that servers use for messages. The protocol has only the first. */
const MESSAGE_KINDS: ReadonlySet<string> = new Set(['message', 'response', 'result', 'error', '']);
const LINE_END = /\r\n|\n|\r/;
/** Statuses of answers without a body. */
const BODILESS: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

type Output = TransformStreamDefaultController<Uint8Array>;

/** The limits of a body. */
export interface BodyLimits {
  /** Bytes of one message. Default: those of every message. */
  readonly maxBytes?: number;
  /** The limit of the events of the server. Default: one for this body. */
  readonly events?: EventLimiter;
  /** Returns the messages in the text of a body or of an event, each as JSON; undefined for text that stays. Default: all text stays. */
  readonly rewrite?: ((text: string, isEvent: boolean) => readonly string[] | undefined) | undefined;
}

/**
 * Returns the response with a limited body. Reading a body over a limit of messages fails with `UPSTREAM_PROTOCOL`. In an event
 * stream, an event over a limit is replaced by error answers, because other calls may use the same stream. A flood of events is read
 * slowly, and then ended.
 */
export function boundedBody(
  response: Response,
  { maxBytes, events = new EventLimiter(), rewrite }: BodyLimits = {},
): Response {
  if (response.body === null || BODILESS.has(response.status)) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const bounded = isStream
    ? boundedEvents(events, maxBytes, rewrite)
    : boundedMessage(maxBytes, rewrite, decoderOf(response.headers.get('content-type')));
  return new Response(response.body.pipeThrough(bounded), response);
}

function boundedMessage(
  maxBytes: number | undefined,
  rewrite: BodyLimits['rewrite'],
  decoder: TextDecoder,
): TransformStream<Uint8Array, Uint8Array> {
  const meter = new MessageMeter(maxBytes);
  const held: Uint8Array[] = [];
  return new TransformStream({
    transform(chunk) {
      meter.push(chunk);
      if (meter.excess !== undefined) throw tooLarge(meter.excess);
      held.push(chunk);
    },
    flush(controller) {
      const excess = excessOf(meter, held);
      if (excess !== undefined) throw tooLarge(excess);
      const messages = rewrite?.(decoder.decode(Buffer.concat(held)), false);
      if (messages === undefined) for (const bytes of held) controller.enqueue(bytes);
      else controller.enqueue(Buffer.from(messages.length === 1 ? (messages[0] ?? '') : `[${messages}]`));
    },
  });
}

/** Returns the decoder of a content type. Without a known charset, it is that of UTF-8. */
function decoderOf(contentType: string | null): TextDecoder {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w.:-]+)/i.exec(contentType ?? '') ?? [];
  try {
    return new TextDecoder(charset, { ignoreBOM: true });
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true });
  }
}

/** Passes on complete events, which end with an empty line. Raises `UPSTREAM_PROTOCOL` for a large event that answers no call. */
function boundedEvents(
  events: EventLimiter,
  maxBytes: number | undefined,
  rewrite: BodyLimits['rewrite'],
): TransformStream<Uint8Array, Uint8Array> {
  const meter = new MessageMeter(maxBytes);
  let held: Uint8Array[] = [];
  let isLineEmpty = true;
  const hold = (bytes: Uint8Array): void => {
    meter.push(bytes);
    if (meter.bytes > MAX_EVENT_BYTES) throw tooLarge('an event of more than 1 GiB');
    if (meter.excess === undefined) {
      if (bytes.length > 0) held.push(bytes);
      return;
    }
    held = [];
    events.count(bytes.length, false);
  };
  const pass = (controller: Output): void => {
    const excess = excessOf(meter, held);
    const ids = meter.answeredIds();
    events.count(meter.bytes, ids.length > 0);
    if (excess === undefined) for (const bytes of rewrite ? rewritten(held, rewrite) : held) controller.enqueue(bytes);
    else controller.enqueue(replacement(excess, ids));
    held = [];
    meter.reset();
  };
  return new TransformStream({
    async transform(chunk, controller) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const line = chunk.subarray(start, end);
        const isEnd = isLineEmpty && isBlank(line);
        hold(chunk.subarray(start, end + 1));
        if (isEnd) pass(controller);
        isLineEmpty = true;
        start = end + 1;
      }
      const rest = chunk.subarray(start);
      hold(rest);
      isLineEmpty &&= isBlank(rest);
      await events.capacity();
    },
    flush: pass,
  });
}

/** Returns the exceeded limit of a complete message. */
function excessOf(meter: MessageMeter, held: readonly Uint8Array[]): string | undefined {
  return meter.excess ?? (meter.hasManyMembers ? namesExcess(Buffer.concat(held).toString('latin1')) : undefined);
}

function replacement(excess: string, ids: readonly (string | number)[]): Uint8Array {
  if (ids.length === 0) throw tooLarge(excess);
  const events = ids.map((id) => `event: message\ndata: ${JSON.stringify(tooLargeAnswer(id, excess))}\n\n`);
  return new TextEncoder().encode(events.join(''));
}

/** Returns the bytes of an event whose data are a message. */
function rewritten(held: readonly Uint8Array[], rewrite: NonNullable<BodyLimits['rewrite']>): readonly Uint8Array[] {
  const text = Buffer.concat(held).toString();
  const data = messageOfEvent(text);
  const messages = data === undefined ? undefined : rewrite(data, true);
  if (messages === undefined) return held;
  const others = text.split(LINE_END).filter((line) => /^(?:id|retry):/.test(line));
  return messages.map((message) => Buffer.from([...others, `data: ${message}`, '', ''].join('\n')));
}

/** Returns the data of an event that is a message; undefined for another event. Some servers send a plain message as an event stream. */
export function messageOfEvent(event: string): string | undefined {
  if (/^\s*[[{]/.test(event)) return event;
  const lines = event.split(LINE_END);
  const fieldOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ''));
  const [kind = 'message'] = fieldOf('event');
  const data = fieldOf('data').join('\n');
  return MESSAGE_KINDS.has(kind.trim()) && data.trim() !== '' ? data : undefined;
}

function isBlank(line: Uint8Array): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN);
}
