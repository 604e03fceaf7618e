import { Duplex } from 'node:stream';

/** The standard streams of a container, as one stream that is there before the container is. */
export interface Attachment {
  /** Writes go to the container's standard input; what is read is its standard output, and nothing else. */
  readonly stream: Duplex;
  /** Joins it with the connection to the engine. */
  connect(connection: Duplex): void;
}

/** The engine puts a header before each piece: one byte that names the stream, three unused, four of length. */
const HEADER_BYTES = 8;
const STDOUT = 1;

/** Makes an attachment. It buffers nothing of its own: what is not standard output is dropped as it comes. */
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

/** Takes the multiplexed stream in pieces of any size, and hands on what is standard output. */
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
