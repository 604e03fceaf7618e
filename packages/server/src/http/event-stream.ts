import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@toolwright/core';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { HttpEnv } from './api.ts';

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

/** A server-sent event. */
export interface SentEvent {
  readonly id: number;
  readonly type: string;
  /** JSON text. */
  readonly json: string;
}

export interface EventStream {
  /** Returns the events until the signal aborts. */
  readonly open: (signal: AbortSignal) => AsyncIterable<SentEvent>;
  /** Names the stream in the log. */
  readonly fields: object;
  readonly logger: Pick<Logger, 'info'>;
  readonly limits: StreamLimits;
  /** Frees the place of the stream. */
  readonly leave: () => void;
}

/**
 * Streams server-sent events, with heartbeats, until they end or the client leaves. With each heartbeat, the credential of the client is
 * checked again: the stream ends when it was revoked, has expired, or has other rights.
 */
export function streamEvents(
  context: Context<HttpEnv>,
  { open, fields, logger, limits, leave }: EventStream,
): Response {
  context.header('cache-control', 'no-store');
  context.header('x-accel-buffering', 'no');
  return streamSSE(context, async (stream) => {
    const leaving = new AbortController();
    stream.onAbort(() => leaving.abort());
    context.req.raw.signal.addEventListener('abort', () => leaving.abort(), { once: true });
    // The loop reads events only as fast as the client does, so that a slow client uses no memory.
    const write = async (text: string): Promise<void> => {
      const stuck = setTimeout(() => {
        logger.info({ requestId: context.get('requestId'), ...fields }, 'a stalled client was disconnected');
        leaving.abort();
        context.env.outgoing?.destroy();
        stream.abort();
      }, limits.stalledClientMs);
      await stream.write(text).finally(() => clearTimeout(stuck));
    };
    let writing = Promise.resolve();
    const beat = async () => {
      if (await isStillAllowed(context)) await write(': alive\n\n');
      else leaving.abort();
    };
    const heartbeat = setInterval(() => {
      writing = writing.then(beat).catch(() => undefined);
    }, limits.heartbeatMs);
    try {
      for await (const { id, type, json } of open(leaving.signal)) {
        await writing;
        if (leaving.signal.aborted) return;
        await write(`id: ${id}\nevent: ${type}\ndata: ${json}\n\n`);
      }
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    } finally {
      leave();
      clearInterval(heartbeat);
    }
  });
}

/** A store that does not answer ends no stream. */
async function isStillAllowed(context: Context<HttpEnv>): Promise<boolean> {
  const principal = context.get('principal');
  const now = context.get('currentPrincipal');
  return now === undefined || isDeepStrictEqual(await now().catch(() => principal), principal);
}
