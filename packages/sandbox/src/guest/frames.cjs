// The guest side of the frame format that `bridge/protocol.ts` describes, over blocking file descriptors.
// Blocking reads keep a call's round trip free of an event loop; the guest has nothing else to do meanwhile.
// CommonJS: Node's own loader of ES modules takes as long to start as all the rest of Node.
'use strict';
const { Buffer } = require('node:buffer');
const { readSync, writeSync } = require('node:fs');

const HEADER_BYTES = 9;
const BUFFER_BYTES = 64 * 1024;
/** UTF-8 has at most this many bytes for what JavaScript counts as one character. */
const MAX_CHARACTER_BYTES = 3;

const FrameType = { run: 1, request: 2, reply: 3, fault: 4, notice: 5, done: 6, ready: 7 };
const DoneStatus = { completed: 0, failed: 1, stopped: 2 };

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
function openChannel(readFrom, writeTo) {
  let input = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  // What was read and is not taken yet.
  let start = 0;
  let end = 0;
  let output = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let outputBytes = 0;

  /** Bytes of the next frame, as far as it is known. */
  const wanted = () => (end - start < 4 ? HEADER_BYTES : 4 + input.readUInt32BE(start));
  const complete = () => end - start >= wanted();

  /** Makes room for all of the next frame. */
  const makeRoom = () => {
    if (start + wanted() <= input.length) return;
    const roomy = wanted() > input.length ? Buffer.allocUnsafeSlow(wanted() + BUFFER_BYTES) : input;
    input.copy(roomy, 0, start, end);
    input = roomy;
    end -= start;
    start = 0;
  };

  /** Reads until a whole frame is there. False when the host has gone. */
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
  };
}

module.exports = { FrameType, DoneStatus, openChannel };
