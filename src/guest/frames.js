// The guest side of the frame format that `bridge/protocol.ts` describes, over blocking file descriptors.
// Blocking reads keep a call's round trip free of an event loop; the guest has nothing else to do meanwhile.
import { Buffer } from 'node:buffer';
import { readSync, writeSync } from 'node:fs';

const HEADER_BYTES = 9;
const CHUNK_BYTES = 64 * 1024;
const FLUSH_BYTES = 256 * 1024;

export const FrameType = { run: 1, request: 2, reply: 3, fault: 4, notice: 5, done: 6, ready: 7 };
export const DoneStatus = { completed: 0, failed: 1, stopped: 2 };

/**
 * @typedef {{ type: number, id: number, payload: string }} Frame
 * @typedef {{ next(): Frame | undefined, ready(): boolean, send(type: number, id: number, payload: string): void, flush(): void }} Channel
 */

/**
 * Opens the channel on two file descriptors, which may be one and the same.
 * @param {number} readFrom
 * @param {number} writeTo
 * @returns {Channel}
 */
export function openChannel(readFrom, writeTo) {
  /** @type {Buffer} */
  let input = Buffer.alloc(0);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  /** @type {Buffer[]} */
  let output = [];
  let outputBytes = 0;

  const complete = () => input.length >= 4 && input.length >= 4 + input.readUInt32BE(0);

  const flush = () => {
    const data = output.length === 1 && output[0] ? output[0] : Buffer.concat(output);
    output = [];
    outputBytes = 0;
    for (let offset = 0; offset < data.length; ) offset += writeSync(writeTo, data, offset);
  };

  /** Reads until a whole frame is there. False when the host has gone. */
  const fill = () => {
    /** @type {Buffer[]} */
    const parts = [input];
    let have = input.length;
    let want = have >= 4 ? 4 + input.readUInt32BE(0) : 4;
    while (have < want) {
      const count = readSync(readFrom, chunk, 0, CHUNK_BYTES, null);
      if (count === 0) return false;
      parts.push(Buffer.from(chunk.subarray(0, count)));
      have += count;
      if (want === 4 && have >= 4) {
        input = Buffer.concat(parts);
        parts.length = 0;
        parts.push(input);
        want = 4 + input.readUInt32BE(0);
      }
    }
    input = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    return true;
  };

  return {
    next() {
      if (!complete() && !fill()) return undefined;
      const end = 4 + input.readUInt32BE(0);
      const frame = {
        type: input.readUInt8(4),
        id: input.readUInt32BE(5),
        payload: input.toString('utf8', HEADER_BYTES, end),
      };
      input = input.subarray(end);
      return frame;
    },
    ready: complete,
    send(type, id, payload) {
      const bytes = Buffer.byteLength(payload);
      const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes);
      frame.writeUInt32BE(HEADER_BYTES - 4 + bytes, 0);
      frame.writeUInt8(type, 4);
      frame.writeUInt32BE(id, 5);
      frame.write(payload, HEADER_BYTES, 'utf8');
      output.push(frame);
      outputBytes += frame.length;
      if (outputBytes >= FLUSH_BYTES) flush();
    },
    flush() {
      if (outputBytes > 0) flush();
    },
  };
}
