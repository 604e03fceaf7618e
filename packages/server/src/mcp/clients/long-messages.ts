import { Transform, type TransformCallback } from 'node:stream';

/** Bytes at the start and at the end of a message that are searched for its id. */
const ID_BYTES = 1_024;
const ID = /"id"\s*:\s*(\d+|"(?:[^"\\]|\\.){0,200}")/;
const NEWLINE = 10;

/**
 * Creates a stream that passes each line (one message of a client) as one chunk and drops messages over `maxBytes`. For a
 * dropped message it calls `refuse` with the id as JSON text, or with `undefined` when it finds no id.
 */
export function withoutLongMessages(maxBytes: number, refuse: (id: string | undefined) => void): Transform {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (head.length < ID_BYTES) head = Buffer.concat([head, piece.subarray(0, ID_BYTES - head.length)]);
    tail = Buffer.concat([tail, piece.subarray(-ID_BYTES)]).subarray(-ID_BYTES);
    if (bytes <= maxBytes) pieces.push(piece);
    else pieces = [];
  };
  const finish = (stream: Transform) => {
    if (bytes <= maxBytes) stream.push(Buffer.concat(pieces));
    else refuse((ID.exec(tail.toString('latin1')) ?? ID.exec(head.toString('latin1')))?.[1]);
    pieces = [];
    bytes = 0;
    head = tail = Buffer.alloc(0);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end + 1));
        finish(this);
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
      done();
    },
  });
}
