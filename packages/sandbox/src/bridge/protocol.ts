import { heldBytes, textOf } from './held-bytes.ts';
import { operationOf } from './request.ts';

/**
 * The bridge protocol: the frames between a guest and its host, on any transport.
 *
 * A frame is a 4-byte length of the rest of the frame, a 1-byte type, a 4-byte id, and a payload of UTF-8 JSON text.
 * The numbers are big-endian. `guest/` contains the guest's implementation in each language.
 */
export const FrameType = {
  /** host → guest: start this program. */
  run: 1,
  /** guest → host: `[operation, ...parameters]`, answered under the same id. */
  request: 2,
  /** host → guest: the answer to a request. */
  reply: 3,
  /** host → guest: the request failed; the payload is a `BridgeFault`. */
  fault: 4,
  /** guest → host: `[kind, ...]`, never answered (logs, progress). */
  notice: 5,
  /** guest → host: the program ended; the id is a `DoneStatus`, which defines the payload. */
  done: 6,
  /** guest → host: the guest can run a program. */
  ready: 7,
  /** guest → host: readings of the clock since the last frame, `[time, count, …]` with times in milliseconds since the epoch. */
  clock: 8,
  /** host → guest: report when the program only waits for answers; guest → host, with the same id: it does. */
  idle: 9,
  /**
   * host → guest: the milliseconds that the program still has, or `null`: its time stands still. With 0, the guest reports where the
   * program is, and is killed soon. A guest that measures no time ignores the frame.
   */
  time: 10,
  /**
   * guest → host: the place of a tool call, before its request with the same id. The payload is a stack, as in `GuestFailure`. A guest
   * sends it for the first calls of a program only.
   */
  place: 11,
  /**
   * guest → host: this process runs no further program, and the host ends it. If it ended itself, the host could lose its last frames:
   * a failed write to a closed channel also discards unread frames.
   */
  retired: 12,
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

/** Bytes of the type and the id. The length of a frame includes them. */
const FRAME_HEADER_BYTES = 5;

/** An error that the host sends to the guest. */
export interface BridgeFault {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly details?: unknown;
  /** Ends the program, with its stack at the request. The program cannot catch it. */
  readonly ends?: true;
}

/** How a guest program ended, as the guest reports it. Untrusted. */
export type GuestOutcome =
  | {
      readonly status: 'completed';
      /** JSON text of the value; absent when the program has no result. */
      readonly value?: string;
    }
  | { readonly status: 'failed'; readonly error: GuestFailure }
  | { readonly status: 'stopped'; readonly limit: 'timeout' | 'memory'; readonly stack?: string };

/** An error that ended a guest program, with positions in the program as it ran. Untrusted. */
export interface GuestFailure {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Stable code, if the guest runtime or the bridge set one. */
  readonly code?: string;
  /** Id of the failed request, if the program did not catch the error of a request. */
  readonly request?: number;
}

/** A request of a guest. Its operation is read once, for all parts of the host. */
export interface GuestRequest {
  readonly id: number;
  readonly operation: string;
  /** The JSON text of the request. */
  readonly text: string;
  /** Default: there is space for the answer. */
  readonly room?: Room | undefined;
}

/** The host's answer to a request: the payload is the JSON text of the value, or of a {@link BridgeFault}. */
export interface BridgeAnswer {
  readonly ok: boolean;
  readonly payload: string;
}

/** Returns a promise of space for the answer in the channel to the guest, or nothing when there is space. */
export type Room = () => Promise<void> | undefined;

/** The only interface between a guest and the host: a sandbox passes all messages of its guest to it. Its methods never throw. */
export interface GuestBridge {
  /**
   * Answers one request, as `readRequest` returns it. Its `room` must wait until the guest has read most of the sent answers. Operations
   * wait for it, so that large answers do not fill the host's memory.
   */
  request(request: GuestRequest): Promise<BridgeAnswer>;
  /** Receives one notice, such as a log line. */
  notice(payload: string): void;
  /** Called immediately before an answer is sent. The order of these calls is the order in which the guest receives answers. */
  sending?(id: number, answer: BridgeAnswer): void;
  /** Receives the stack of the program at a tool call, before its request. Untrusted. Default: it is ignored. */
  place?(id: number, stack: string): void;
  /** Receives readings of the guest's clock, as JSON text; see {@link FrameType}. Default: they are ignored. */
  clock?(payload: string): void;
}

/** Reads the operation of a guest's request; see {@link operationOf}. */
export function readRequest(id: number, text: string, room?: Room): GuestRequest {
  return { id, operation: operationOf(text), text, room };
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

/** Reads frames from chunks of any size. */
export interface FrameReader {
  /** Adds a chunk. */
  feed(chunk: Buffer): void;
  /**
   * Reads at most `frames` complete frames. Returns whether there may be more. Throws `RangeError` for a frame over the
   * limit or of an unknown type. The peer is then broken or hostile, and the caller must close the channel.
   */
  read(frames: number): boolean;
}

const NOTHING: Buffer = Buffer.alloc(0);
/** Bytes of a frame from which its chunks are kept as they arrive. */
const LONG_FRAME_BYTES = 64 * 1024;

/** Creates a reader. Its memory grows with the received bytes, never with the length that a frame claims. */
export function frameReader(maxBytes: () => number, onFrame: (frame: Frame) => void): FrameReader {
  let held: Buffer = NOTHING;
  let start = 0;
  let end = 0;
  let isOwn = false;
  /** The start of a long frame, and the number of its bytes that have not arrived. */
  const long = heldBytes();
  let missing = 0;
  let isLong = false;

  const emit = (frame: Buffer) => {
    const type = frame.readUInt8(4);
    if (type < FrameType.run || type > FrameType.retired) throw new RangeError(`frame of unknown type ${type}`);
    onFrame({ type: type as FrameType, id: frame.readUInt32BE(5), payload: textOf(frame.subarray(9)) });
  };
  const take = (): boolean => {
    if (isLong) {
      if (missing > 0) return false;
      isLong = false;
      emit(long.take());
      return true;
    }
    if (end - start < 4) return false;
    const length = held.readUInt32BE(start);
    if (length < FRAME_HEADER_BYTES || length > maxBytes()) {
      throw new RangeError(`frame of ${length} bytes, the limit is ${maxBytes()}`);
    }
    const next = start + 4 + length;
    if (end < next) {
      if (length < LONG_FRAME_BYTES) return false;
      long.add(held.subarray(start, end));
      isLong = true;
      missing = next - end;
      [held, start, end, isOwn] = [NOTHING, 0, 0, false];
      return false;
    }
    const frame = held.subarray(start, next);
    start = next;
    emit(frame);
    return true;
  };

  return {
    feed(received) {
      const part = received.subarray(0, missing);
      if (part.length > 0) long.add(part);
      missing -= part.length;
      const chunk = received.subarray(part.length);
      const needed = end - start + chunk.length;
      if (start === end) {
        [held, start, end, isOwn] = [chunk, 0, chunk.length, false];
        return;
      }
      // Doubles the buffer, so that a frame in many small chunks is not copied for each chunk.
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
