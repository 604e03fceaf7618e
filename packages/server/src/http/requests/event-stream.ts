import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@toolwright/core';
import type { Context } from 'hono';
import type { HttpEnv } from '../api.ts';

/** Limits of event streams. */
export interface StreamLimits {
  /** Milliseconds between the heartbeats of a stream. */
  readonly heartbeatMs: number;
  /**
   * Milliseconds after which the server closes the stream of a client that reads nothing. The client may continue with
   * `Last-Event-ID`.
   */
  readonly stalledClientMs: number;
}

export const STREAM_LIMITS: StreamLimits = { heartbeatMs: 15_000, stalledClientMs: 30_000 };
/** The media type of server-sent events. */
export const EVENTS = 'text/event-stream';

const ENCODER = new TextEncoder();
const HEARTBEAT = ENCODER.encode(': alive\n\n');

/** Returns a server-sent event as bytes. Streams may share them. */
export function encodeEvent(id: number, type: string, data: object): Uint8Array {
  return ENCODER.encode(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** The place of a stream among those of its server. */
export interface StreamPlace {
  readonly logger: Logger;
  readonly limits: StreamLimits;
  /** Frees the place of the stream. */
  readonly leave: () => void;
}

export interface EventStream extends StreamPlace {
  /** Returns encoded events until the signal aborts. */
  readonly open: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** Names the stream in the log. */
  readonly fields: object;
}

/**
 * Streams server-sent events, with heartbeats, until they end or the client leaves. With each heartbeat, the credential of the client is
 * checked again: the stream ends when it was revoked, has expired, or has other rights.
 */
export function streamEvents(context: Context<HttpEnv>, options: EventStream): Response {
  context.header('cache-control', 'no-store');
  context.header('x-accel-buffering', 'no');
  context.header('content-type', EVENTS);
  // Without a length, the headers are sent before the first event.
  context.header('transfer-encoding', 'chunked');
  return context.newResponse(bodyOf(context, options));
}

/** Returns the body of a stream. It reads events only as fast as the client does, so that a slow client uses no memory. */
function bodyOf(
  context: Context<HttpEnv>,
  { open, fields, logger, limits, leave }: EventStream,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController();
  const { signal } = leaving;
  const events = open(signal)[Symbol.asyncIterator]();
  let checking = Promise.resolve();
  let stuck: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', () => {
    clearTimeout(stuck);
    clearInterval(heartbeat);
    leave();
    void events.return?.().catch(() => undefined);
  });
  const end = () => leaving.abort();
  context.req.raw.signal.addEventListener('abort', end, { once: true });
  const named = { requestId: context.get('requestId'), ...fields };
  /** Ends without the last chunk, so that the client knows that more was to come. */
  const breakOff = () => {
    end();
    context.env.outgoing?.destroy();
  };
  const disconnect = () => {
    logger.info(named, 'a stalled client was disconnected');
    breakOff();
  };
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    try {
      return await events.next();
    } catch (err) {
      if (!signal.aborted) {
        logger.error({ err, ...named }, 'an event stream failed');
        breakOff();
      }
      return { done: true, value: undefined };
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const beat = async () => {
          if (!(await isStillAllowed(context))) end();
          else if (!signal.aborted && controller.desiredSize === 0) controller.enqueue(HEARTBEAT);
        };
        heartbeat = setInterval(() => {
          checking = checking.then(beat).catch(() => undefined);
        }, limits.heartbeatMs);
      },
      async pull(controller) {
        clearTimeout(stuck);
        const { done, value } = await next();
        await checking;
        if (done || signal.aborted) {
          end();
          controller.close();
          return;
        }
        stuck = setTimeout(disconnect, limits.stalledClientMs);
        controller.enqueue(value);
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** A store that does not answer ends no stream. */
async function isStillAllowed(context: Context<HttpEnv>): Promise<boolean> {
  const principal = context.get('principal');
  const now = context.get('currentPrincipal');
  return now === undefined || isDeepStrictEqual(await now().catch(() => principal), principal);
}
