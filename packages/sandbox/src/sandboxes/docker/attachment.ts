import { Duplex } from 'node:stream';

/** The standard streams of a container as one stream, which exists before the container does. */
export interface Attachment {
  /** Writes to the container's standard input, and reads from its standard output. */
  readonly stream: Duplex;
  /** Connects the stream to the engine's connection. */
  connect(connection: Duplex): void;
}

/** The engine sends a header before each chunk: one byte for the stream, three unused, four for the length. */
const HEADER_BYTES = 8;
const STDOUT = 1;

/** Creates an attachment. It has no buffer of its own, and drops everything that is not standard output. */
export function createAttachment(): Attachment {
  let connection: Duplex | undefined;
  const send = (data: Buffer, done: (error?: Error | null) => void) => {
    if (connection) connection.write(data, done);
    else done(new Error('The container is not attached yet.'));
  };
  const stream = new Duplex({
    allowHalfOpen: false,
    read: () => void connection?.resume(),
    write: (chunk: Buffer, _encoding, done) => send(chunk, done),
    writev: (pieces, done) => send(Buffer.concat(pieces.map(({ chunk }) => chunk)), done),
    final: (done) => {
      connection?.end();
      done();
    },
    destroy: (error, done) => {
      connection?.destroy();
      done(error);
    },
  });

  return {
    stream,
    connect(opened) {
      connection = opened;
      if (stream.destroyed) {
        opened.destroy();
        return;
      }
      const demultiplex = createDemultiplexer((data) => {
        if (!stream.push(data)) opened.pause();
      });
      opened.on('data', demultiplex);
      opened.on('error', () => stream.destroy());
      opened.on('end', () => stream.push(null));
      opened.on('close', () => {
        if (!opened.readableEnded) stream.destroy();
      });
    },
  };
}

/** Returns a reader of the multiplexed stream that accepts chunks of any size and forwards standard output. */
function createDemultiplexer(onOutput: (data: Buffer) => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let left = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        const count = chunk.copy(header, headerBytes, at, at + HEADER_BYTES - headerBytes);
        headerBytes += count;
        at += count;
        if (headerBytes < HEADER_BYTES) return;
        headerBytes = 0;
        left = header.readUInt32BE(4);
      } else {
        const data = chunk.subarray(at, at + left);
        at += data.length;
        left -= data.length;
        if (header[0] === STDOUT) onOutput(data);
      }
    }
  };
}
