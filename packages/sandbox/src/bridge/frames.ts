import { isAscii } from 'node:buffer';
import { type Frame, FrameType } from './protocol.ts';

/** Bytes of the type and the id. The length of a frame includes them. */
const FRAME_HEADER_BYTES = 5;

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

/** Smaller chunks are copied into a common buffer: each chunk of its own needs some 200 bytes. */
const MIN_OWN_BYTES = 4 * 1024;
const COMMON_BYTES = 64 * 1024;
/** Bytes from which a text is worth the test for ASCII. */
const MIN_TESTED_BYTES = 16 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/** Bytes that arrive in chunks. Large chunks are kept without a copy. */
export interface HeldBytes {
  /** The number of bytes. */
  readonly length: number;
  /** Adds a chunk. Its memory must not change until {@link take}. */
  add(chunk: Buffer): void;
  /** Returns all bytes, and forgets them. */
  take(): Buffer;
  /** Forgets all bytes. */
  clear(): void;
}

/** Creates an empty {@link HeldBytes}. */
export function heldBytes(): HeldBytes {
  let parts: Buffer[] = [];
  let length = 0;
  let common: Buffer = NOTHING;
  /** Bytes at the start of `common` that are not in `parts` yet. */
  let used = 0;
  const endCommon = () => {
    if (used > 0) parts.push(common.subarray(0, used));
    common = common.subarray(used);
    used = 0;
  };
  const clear = () => {
    [parts, length, common, used] = [[], 0, NOTHING, 0];
  };
  return {
    get length() {
      return length;
    },
    add(chunk) {
      length += chunk.length;
      if (chunk.length >= MIN_OWN_BYTES) {
        endCommon();
        parts.push(chunk);
        return;
      }
      for (let at = 0; at < chunk.length; ) {
        if (used === common.length) {
          endCommon();
          common = Buffer.allocUnsafeSlow(Math.min(COMMON_BYTES, Math.max(MIN_OWN_BYTES, length)));
        }
        const copied = chunk.copy(common, used, at);
        used += copied;
        at += copied;
      }
    },
    take() {
      endCommon();
      const [only = NOTHING] = parts;
      const all = parts.length > 1 ? Buffer.concat(parts, length) : only;
      clear();
      return all;
    },
    clear,
  };
}

/** Returns the text of bytes in UTF-8. Long ASCII needs no decoder, which takes most of the time. */
export function textOf(bytes: Buffer): string {
  return bytes.toString(bytes.length >= MIN_TESTED_BYTES && isAscii(bytes) ? 'latin1' : 'utf8');
}
