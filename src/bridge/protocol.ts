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

/**
 * Reads frames from chunks of any size. `feed` throws on a frame over `maxBytes` or of an unknown type: the peer is
 * broken or hostile, and the channel must be closed.
 */
export function frameReader(maxBytes: () => number, onFrame: (frame: Frame) => void): { feed(chunk: Buffer): void } {
  let parts: Buffer[] = [];
  let buffered = 0;
  let wanted = 4;
  return {
    feed(chunk) {
      parts.push(chunk);
      buffered += chunk.length;
      while (buffered >= wanted) {
        let data = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
        while (data.length >= 4) {
          const length = data.readUInt32BE(0);
          if (length < FRAME_HEADER_BYTES || length > maxBytes()) {
            throw new RangeError(`frame of ${length} bytes, the limit is ${maxBytes()}`);
          }
          if (data.length < 4 + length) break;
          const type = data.readUInt8(4);
          if (!isFrameType(type)) throw new RangeError(`frame of unknown type ${type}`);
          onFrame({ type, id: data.readUInt32BE(5), payload: data.toString('utf8', 9, 4 + length) });
          data = data.subarray(4 + length);
        }
        parts = data.length > 0 ? [data] : [];
        buffered = data.length;
        wanted = data.length >= 4 ? 4 + data.readUInt32BE(0) : 4;
      }
    },
  };
}

function isFrameType(type: number): type is FrameType {
  return type >= FrameType.run && type <= FrameType.ready;
}
