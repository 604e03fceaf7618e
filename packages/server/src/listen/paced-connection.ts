import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { ConnectionLimits } from './limits.ts';

const LF = 10;
const CR = 13;
/** Bytes of the shortest request line, `GET / HTTP/1.1`. */
const MIN_REQUEST_BYTES = 14;

/** Bytes of an answer that the socket receives at once. A client must read at least as many within the time limit. */
const PIECE_BYTES = 64 * 1024;

type Done = (error?: Error | null) => void;

/**
 * The stream between a socket and the HTTP parser. The parser receives only as many requests as may be in flight, because
 * it starts every request of its input at once. The rest stays unread, so that a client which pipelines requests and
 * reads no answers uses little memory. A client that reads nothing is disconnected.
 */
export class PacedConnection extends Duplex {
  readonly #socket: Socket;
  readonly #limits: ConnectionLimits;
  readonly #answers = new Set<ServerResponse>();
  /** Received bytes that the parser has not received. */
  #rest: Buffer | undefined;
  #isWanted = false;

  constructor(socket: Socket, limits: ConnectionLimits) {
    // The stream holds one piece of input at most: more than one would start more requests than allowed.
    super({ readableHighWaterMark: 1 });
    this.#socket = socket;
    this.#limits = limits;
    socket.on('data', (bytes) => {
      this.#rest = bytes;
      this.#feed();
      if (this.#rest) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** The number of requests without a complete answer. */
  get inFlight(): number {
    return this.#answers.size;
  }

  /** Bytes of answers that the operating system has not accepted yet. */
  get unreadBytes(): number {
    // An answer without a socket waits for earlier answers, and keeps its bytes itself.
    const waiting = [...this.#answers].filter(({ socket }) => socket === null);
    return waiting.reduce((sum, { writableLength }) => sum + writableLength, this.writableLength);
  }

  /** Counts a request as in flight until its answer has ended. */
  track(answer: ServerResponse): void {
    this.#answers.add(answer);
    answer.once('close', () => {
      this.#answers.delete(answer);
      this.#feed();
    });
  }

  /** Emits `timeout` after milliseconds without traffic, as sockets do. The HTTP server closes idle connections by it. */
  setTimeout(milliseconds: number): this {
    this.#socket.setTimeout(milliseconds);
    return this;
  }

  /** Destroys the connection once everything is written, as sockets do. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    this.#isWanted = true;
    this.#feed();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send(bytes, done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: Done): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#rest = undefined;
    this.#socket.destroy();
    done(error);
  }

  #send(bytes: Buffer, done: Done): void {
    const stalled = setTimeout(() => this.destroy(), this.#limits.stalledMs).unref();
    this.#socket.write(bytes.subarray(0, PIECE_BYTES), (error) => {
      clearTimeout(stalled);
      if (error || bytes.length <= PIECE_BYTES) done(error);
      else this.#send(bytes.subarray(PIECE_BYTES), done);
    });
  }

  #feed(): void {
    const room = this.#limits.inFlight - this.#answers.size;
    if (!this.#isWanted || room <= 0 || this.unreadBytes > this.#limits.unreadBytes) return;
    if (this.#rest === undefined) {
      this.#socket.resume();
      return;
    }
    const end = endOfRequests(this.#rest, room);
    const piece = this.#rest.subarray(0, end);
    this.#rest = end < this.#rest.length ? this.#rest.subarray(end) : undefined;
    this.#isWanted = false;
    this.push(piece);
  }
}

/**
 * Returns the length of the longest start of some input that has at most `count` ends of request headers. Bodies may have
 * such ends too, so that the start may have fewer requests, but never more.
 */
function endOfRequests(input: Buffer, count: number): number {
  let found = 0;
  // A line end at the start may complete the headers of the input before.
  for (let from = 0; from < input.length; ) {
    const next = input[from] === CR ? from + 1 : from;
    const isEnd = input[next] === LF;
    if (isEnd) found++;
    if (found === count) return next + 1;
    const lineEnd = input.indexOf(LF, isEnd ? next + 1 + MIN_REQUEST_BYTES : from);
    if (lineEnd < 0) break;
    from = lineEnd + 1;
  }
  return input.length;
}
