// The guest's implementation of the frame format in `bridge/protocol.ts`, over blocking file descriptors. Blocking reads need
// no event loop, and the guest has nothing else to do while it waits.
// CommonJS, because Node's loader for ES modules doubles the start time.
'use strict';
const { Buffer } = require('node:buffer');
const { readSync, writeSync } = require('node:fs');

const HEADER_BYTES = 9;
const BUFFER_BYTES = 64 * 1024;
/** Maximum number of UTF-8 bytes for one UTF-16 unit. */
const MAX_CHARACTER_BYTES = 3;

const FrameType = {
  run: 1,
  request: 2,
  reply: 3,
  fault: 4,
  notice: 5,
  done: 6,
  ready: 7,
  clock: 8,
  idle: 9,
  time: 10,
  place: 11,
  retired: 12,
};
const DoneStatus = { completed: 0, failed: 1, stopped: 2 };

/**
 * @typedef {{ type: number, id: number, payload: string }} Frame
 * @typedef {{ next(): Frame | undefined, ready(): boolean, send(type: number, id: number, payload: string): void, flush(): void, waitForEnd(): void }} Channel
 */

/**
 * Opens the channel on two file descriptors, which may be the same.
 * @param {number} readFrom
 * @param {number} writeTo
 * @returns {Channel}
 */
function openChannel(readFrom, writeTo) {
  let input = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  // The range of bytes that were read but not returned yet.
  let start = 0;
  let end = 0;
  let output = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let outputBytes = 0;

  /** Bytes of the next frame, or of its header while the length is unknown. */
  const wanted = () => (end - start < 4 ? HEADER_BYTES : 4 + input.readUInt32BE(start));
  const complete = () => end - start >= wanted();

  /** Grows the buffer to hold the next frame. */
  const makeRoom = () => {
    if (start + wanted() <= input.length) return;
    const roomy = wanted() > input.length ? Buffer.allocUnsafeSlow(wanted() + BUFFER_BYTES) : input;
    input.copy(roomy, 0, start, end);
    input = roomy;
    end -= start;
    start = 0;
  };

  /** Reads until the buffer has a complete frame. Returns false when the host has closed the channel. */
  const fill = () => {
    while (!complete()) {
      makeRoom();
      const count = readSync(readFrom, input, end, input.length - end, null);
      if (count === 0) return false;
      end += count;
    }
    return true;
  };

  const flush = () => {
    for (let offset = 0; offset < outputBytes; ) offset += writeSync(writeTo, output, offset, outputBytes - offset);
    outputBytes = 0;
    if (output.length !== BUFFER_BYTES) output = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  };

  return {
    next() {
      if (!fill()) return undefined;
      const frameEnd = start + wanted();
      const frame = {
        type: input.readUInt8(start + 4),
        id: input.readUInt32BE(start + 5),
        payload: input.toString('utf8', start + HEADER_BYTES, frameEnd),
      };
      start = frameEnd;
      if (start === end) {
        start = end = 0;
        if (input.length > BUFFER_BYTES) input = Buffer.allocUnsafeSlow(BUFFER_BYTES);
      }
      return frame;
    },
    ready: complete,
    send(type, id, payload) {
      const most = HEADER_BYTES + MAX_CHARACTER_BYTES * payload.length;
      if (outputBytes + most > output.length) {
        flush();
        if (most > output.length) output = Buffer.allocUnsafeSlow(HEADER_BYTES + Buffer.byteLength(payload));
      }
      const bytes = output.write(payload, outputBytes + HEADER_BYTES, 'utf8');
      output.writeUInt32BE(HEADER_BYTES - 4 + bytes, outputBytes);
      output.writeUInt8(type, outputBytes + 4);
      output.writeUInt32BE(id, outputBytes + 5);
      outputBytes += HEADER_BYTES + bytes;
    },
    flush,
    /** Waits until the host ends this process or closes the channel. */
    waitForEnd() {
      flush();
      for (let count = 1; count > 0; ) count = readSync(readFrom, input, 0, input.length, null);
    },
  };
}

module.exports = { FrameType, DoneStatus, openChannel };
