import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** How a command in a pod ended. */
export interface ExecEnd {
  /** Its exit code; `undefined` if the connection ended without one. */
  readonly code?: number;
  /** Set if this process ended the connection. */
  readonly isLocal?: boolean;
  /** The message of the API server, if the command did not run to its end. */
  readonly message?: string;
}

/** The standard streams of a command in a pod as one stream, which exists before the pod does. */
export interface ExecStream {
  /** Writes to the standard input of the command, and reads from its standard output. */
  readonly stream: Duplex;
  /** Connects the stream to an open connection. `onOutput` is called with the first output. */
  connect(socket: WebSocket, onOutput: () => void): void;
  /** Resolves when the connection has ended. Never before `connect`, and never rejects. */
  readonly ended: Promise<ExecEnd>;
}

/** The first byte of each message names its stream. */
const STDIN = 0;
const STDOUT = 1;
const STATUS = 3;
/** A message of this byte and the number of a stream reports the end of that stream. */
const CLOSE = 255;
/** The kubelet reads and writes pieces of this size. */
const MAX_CHUNK_BYTES = 32 * 1024;
const MAX_STATUS_BYTES = 64 * 1024;
/** Load balancers close connections without traffic; a dead connection is noticed by its silence. */
const PING_MS = 15_000;
const MAX_SILENT_PINGS = 3;

/** Creates the stream of a command. It has no buffer of its own, and drops everything that is not standard output. */
export function createExecStream(): ExecStream {
  let socket: WebSocket | undefined;
  let end: (how: ExecEnd) => void = () => undefined;
  const ended = new Promise<ExecEnd>((resolve) => {
    end = resolve;
  });
  const stream = new Duplex({
    allowHalfOpen: true,
    read: () => socket?.resume(),
    write: (chunk: Buffer, _encoding, done) => send(socket, chunk, done),
    writev: (pieces, done) => send(socket, Buffer.concat(pieces.map(({ chunk }) => chunk)), done),
    final: (done) => {
      socket?.send(Buffer.from([CLOSE, STDIN]));
      done();
    },
    destroy: (error, done) => {
      socket?.terminate();
      done(error);
    },
  });

  return {
    stream,
    ended,
    connect(opened, onOutput) {
      socket = opened;
      let hasOutput = false;
      if (stream.destroyed) opened.terminate();
      let status = Buffer.alloc(0);
      const forget = keepAlive(opened);
      opened.on('message', (data) => {
        const content = data.subarray(1);
        if (data[0] === STDOUT && content.length > 0) {
          if (!hasOutput) onOutput();
          hasOutput = true;
          if (!stream.push(content)) opened.pause();
        } else if (data[0] === STATUS) status = Buffer.concat([status, content]).subarray(0, MAX_STATUS_BYTES);
      });
      opened.on('close', () => {
        forget();
        end({ ...readStatus(status.toString()), isLocal: stream.destroyed });
        if (stream.destroyed) return;
        stream.push(null);
        // Its end closes the stream once everything is read.
        stream.once('end', () => stream.destroy());
      });
    },
  };
}

function send(socket: WebSocket | undefined, data: Buffer, done: (error?: Error | null) => void): void {
  if (!socket) {
    done(new Error('The pod is not connected yet.'));
    return;
  }
  for (let at = 0; at < data.length; at += MAX_CHUNK_BYTES) {
    const chunk = data.subarray(at, at + MAX_CHUNK_BYTES);
    const isLast = at + MAX_CHUNK_BYTES >= data.length;
    socket.send(Buffer.concat([Buffer.from([STDIN]), chunk]), isLast ? (error) => done(error) : undefined);
  }
  if (data.length === 0) done();
}

/** Pings the other end, and closes a connection that is silent. Returns the function that ends this. */
function keepAlive(socket: WebSocket): () => void {
  let silent = 0;
  const isHeard = () => {
    silent = 0;
  };
  socket.on('pong', isHeard);
  socket.on('message', isHeard);
  const timer = setInterval(() => {
    // A paused connection reads no answers.
    if (socket.isPaused) return;
    if (++silent > MAX_SILENT_PINGS) socket.terminate();
    else socket.ping();
  }, PING_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Reads the `Status` that the API server sends at the end of a command. */
function readStatus(json: string): ExecEnd {
  if (json === '') return {};
  try {
    const { status, reason, message, details } = Object(JSON.parse(json));
    if (status === 'Success') return { code: 0 };
    const causes: unknown[] = Array.isArray(details?.causes) ? details.causes : [];
    const cause = causes.map((one) => Object(one)).find((one) => one.reason === 'ExitCode');
    const code = Number(cause?.message ?? 'NaN');
    if (reason === 'NonZeroExitCode' && Number.isInteger(code)) return { code };
    return typeof message === 'string' ? { message } : {};
  } catch {
    return {};
  }
}
