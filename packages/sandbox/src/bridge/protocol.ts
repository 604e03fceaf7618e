/**
 * The bridge protocol: what crosses between a guest and its host, whatever carries it.
 *
 * A frame is a 4-byte big-endian length (of all that follows), a 1-byte type, a 4-byte big-endian id, and a
 * payload of UTF-8 JSON text. The guest side is written again, in its own language, under `guest/`.
 */
export const FrameType = {
  /** host → guest: start this program. */
  run: 1,
  /** guest → host: `[operation, ...parameters]`, answered under the same id. */
  request: 2,
  /** host → guest: the answer to a request. */
  reply: 3,
  /** host → guest: the request failed; payload is a `BridgeFault`. */
  fault: 4,
  /** guest → host: `[kind, ...]`, never answered (logs, progress). */
  notice: 5,
  /** guest → host: the program ended; the id is a `DoneStatus` and tells what the payload is. */
  done: 6,
  /** guest → host: waiting for a program. */
  ready: 7,
} as const;

export type FrameType = (typeof FrameType)[keyof typeof FrameType];

/** How a program ended, as the id of its `done` frame. */
export const DoneStatus = {
  /** Payload: the value as JSON text, empty when there is none. */
  completed: 0,
  /** Payload: a `GuestFailure`. */
  failed: 1,
  /** Payload: `{limit, stack}`. */
  stopped: 2,
} as const;

export interface Frame {
  readonly type: FrameType;
  readonly id: number;
  /** JSON text, not parsed yet. */
  readonly payload: string;
}

/** Bytes of type and id, which the length counts together with the payload. */
export const FRAME_HEADER_BYTES = 5;

/** An error on its way into the guest. */
export interface BridgeFault {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly details?: unknown;
}

/** How a guest program ended, as the guest tells it. Untrusted. */
export type GuestOutcome =
  | {
      readonly status: 'completed';
      /** JSON text of the value; absent when the program returned nothing. */
      readonly value?: string;
    }
  | { readonly status: 'failed'; readonly error: GuestFailure }
  | { readonly status: 'stopped'; readonly limit: 'timeout' | 'memory'; readonly stack?: string };

/** An error that ended a guest program, with positions in the program as it ran. Untrusted. */
export interface GuestFailure {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Stable code, when the guest runtime or the bridge gave the error one. */
  readonly code?: string;
  /** Id of the request whose fault this error is, when it is one that was not caught. */
  readonly request?: number;
}

/** What a sandbox hands to the host for its guest: the only door. Neither method ever throws or rejects. */
export interface GuestBridge {
  /**
   * Answers one request; the payload is the request's JSON text. `room` resolves once the guest has taken what was sent
   * to it: work whose answer may be large waits for that, or answers would pile up in the host.
   */
  request(
    id: number,
    payload: string,
    room?: () => Promise<void>,
  ): Promise<{ readonly ok: boolean; readonly payload: string }>;
  /** Takes one notice. */
  notice(payload: string): void;
}

/** Encodes one frame. */
export function encodeFrame(type: FrameType, id: number, payload: string): Buffer {
  const bytes = Buffer.byteLength(payload);
  const frame = Buffer.allocUnsafe(4 + FRAME_HEADER_BYTES + bytes);
  frame.writeUInt32BE(FRAME_HEADER_BYTES + bytes, 0);
  frame.writeUInt8(type, 4);
  frame.writeUInt32BE(id, 5);
  frame.write(payload, 9, 'utf8');
  return frame;
}

/** Frames out of chunks of any size. */
export interface FrameReader {
  /** Takes a chunk. */
  feed(chunk: Buffer): void;
  /**
   * Hands on at most so many whole frames, and tells whether more may be there. Throws on a frame over the limit or of an
   * unknown type: the peer is broken or hostile, and the channel must be closed.
   */
  read(frames: number): boolean;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** Makes a reader; what it holds grows with what has come, never with what a frame says of its own length. */
export function frameReader(maxBytes: () => number, onFrame: (frame: Frame) => void): FrameReader {
  let held: Buffer = NOTHING;
  let start = 0;
  let end = 0;
  let isOwn = false;

  const take = (): boolean => {
    if (end - start < 4) return false;
    const length = held.readUInt32BE(start);
    if (length < FRAME_HEADER_BYTES || length > maxBytes()) {
      throw new RangeError(`frame of ${length} bytes, the limit is ${maxBytes()}`);
    }
    const next = start + 4 + length;
    if (end < next) return false;
    const type = held.readUInt8(start + 4);
    if (!isFrameType(type)) throw new RangeError(`frame of unknown type ${type}`);
    const frame = { type, id: held.readUInt32BE(start + 5), payload: held.toString('utf8', start + 9, next) };
    start = next;
    onFrame(frame);
    return true;
  };

  return {
    feed(chunk) {
      const needed = end - start + chunk.length;
      if (start === end) {
        [held, start, end, isOwn] = [chunk, 0, chunk.length, false];
        return;
      }
      // Twice what is needed, so that a frame in many small pieces is not copied for each of them.
      if (!isOwn || held.length - end < chunk.length) {
        const grown = Buffer.allocUnsafe(2 * needed);
        held.copy(grown, 0, start, end);
        [held, end, start, isOwn] = [grown, end - start, 0, true];
      }
      end += chunk.copy(held, end);
    },
    read(frames) {
      for (let count = 0; count < frames; count++) {
        if (take()) continue;
        if (start === end) [held, start, end] = [NOTHING, 0, 0];
        return false;
      }
      return true;
    },
  };
}

function isFrameType(type: number): type is FrameType {
  return type >= FrameType.run && type <= FrameType.ready;
}
