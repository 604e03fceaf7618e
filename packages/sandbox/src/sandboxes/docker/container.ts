import { randomUUID } from 'node:crypto';
import { Duplex } from 'node:stream';
import { SandboxError, type SandboxErrorCode } from '../../errors.ts';
import type { GuestCarrier, ProcessEnd } from '../guest-process.ts';
import { diagnose } from './diagnosis.ts';
import type { Engine } from './engine.ts';

interface ContainerOptions {
  readonly image: string;
  /** Returns the configuration for the engine's API. */
  config(engine: Engine): object;
}

/** The standard streams of a container as one stream, which exists before the container does. */
interface Attachment {
  /** Writes to the container's standard input, and reads from its standard output. */
  readonly stream: Duplex;
  /** Connects the stream to the engine's connection. */
  connect(connection: Duplex): void;
}

/** The engine sends a header before each chunk: one byte for the stream, three unused, four for the length. */
const HEADER_BYTES = 8;
const STDOUT = 1;

/** Starts a container as the carrier of a guest. The container is removed when it ends or does not start. */
export function startContainer(connect: () => Promise<Engine>, { image, config }: ContainerOptions): GuestCarrier {
  const { stream, connect: attach } = createAttachment();
  const name = `toolwright-${randomUUID()}`;
  let remove: (() => void) | undefined;
  let killed = false;
  let started = false;
  let engine: Engine | undefined;
  const stopIfKilled = () => {
    if (killed) throw new Error('The container was killed before it started.');
  };
  const live = async (): Promise<ProcessEnd> => {
    engine = await connect();
    const { call } = engine;
    stopIfKilled();
    await call('POST', '/containers/create', { query: { name }, body: config(engine) });
    remove = () => void call('DELETE', `/containers/${name}`, { query: REMOVAL }).catch(() => undefined);
    stopIfKilled();
    // Waits from before the start: a container that ends at once is removed at once.
    const exit = engine.wait(`/containers/${name}/wait`, { condition: 'next-exit' });
    exit.catch(() => undefined);
    attach(await engine.hijack(`/containers/${name}/attach`, STREAMS));
    await call('POST', `/containers/${name}/start`);
    started = true;
    stopIfKilled();
    return { code: exitCode(await exit), signal: null };
  };

  const ended = live().catch((thrown: unknown): ProcessEnd => {
    remove?.();
    stream.destroy();
    if (killed) return KILLED;
    const { reason, fix } = diagnose(thrown, image, engine?.command);
    const code: SandboxErrorCode = started ? 'SANDBOX_LOST' : 'SANDBOX_UNAVAILABLE';
    const message = started
      ? `The container engine stopped answering while a program ran: ${reason}. The journal shows whether its last calls were made.`
      : `The sandbox "docker" is not available: ${reason} (${fix}).`;
    return { ...KILLED, error: new SandboxError(code, message, { cause: thrown }) };
  });

  return {
    stream,
    kill() {
      if (killed) return;
      killed = true;
      remove?.();
    },
    ended,
  };
}

const STREAMS = { stream: '1', stdin: '1', stdout: '1' };
const REMOVAL = { force: '1', v: '1' };
const KILLED: ProcessEnd = { code: null, signal: 'SIGKILL' };

function exitCode(answer: unknown): number | null {
  const { StatusCode: code } = Object(answer);
  return typeof code === 'number' ? code : null;
}

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
