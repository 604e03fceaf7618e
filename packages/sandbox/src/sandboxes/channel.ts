import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { withQuotedIntegers } from '../bridge/exact-json.ts';
import { encodeFrame, frameReader } from '../bridge/frames.ts';
import { countValues } from '../bridge/json.ts';
import { DoneStatus, type Frame, FrameType, type GuestOutcome, type Room, readRequest } from '../bridge/protocol.ts';
import { SandboxError } from '../errors.ts';
import type { Program } from '../languages/language.ts';
import type { SandboxRunOptions } from './sandbox.ts';

/** The bridge protocol with one guest process, for one run at a time. */
export interface GuestChannel {
  /** Runs one program. Rejects with `BRIDGE_PROTOCOL` when the guest breaks the protocol. */
  run(program: Program, options: SandboxRunOptions): Promise<GuestOutcome>;
  /** Sends the milliseconds that the program still has, or `undefined` while its time stands still. */
  setTime(leftMs: number | undefined): void;
}

/** Reports of a guest about its process. */
export interface GuestEvents {
  /** Called whenever the guest can run a program. */
  readonly onReady: () => void;
  /** Called when the guest runs no further program, after its last outcome. */
  readonly onRetired: () => void;
}

/** The guest's limit counts characters; UTF-8 uses up to three bytes for each. */
const MAX_CHARACTER_BYTES = 3;
const FRAME_SLACK_BYTES = 64 * 1024;
/** Unsent bytes above which the host starts no further operation for the guest. */
const MAX_UNSENT_BYTES = 1024 * 1024;
/** Unsent bytes above which the host stops reading from the guest, until the guest has read some. */
const MAX_BACKLOG_BYTES = 16 * MAX_UNSENT_BYTES;
/** Frames read in one turn of the event loop: a guest may send thousands in one chunk. */
const FRAMES_PER_TURN = 64;
/** Bounds of the JSON in `ready` and `done` frames: an outcome has five texts and numbers. */
const MAX_RECORD = { depth: 5, values: 50 };

/** Speaks the bridge protocol over a stream to a guest process. */
export function openGuestChannel(stream: Duplex, { onReady, onRetired }: GuestEvents): GuestChannel {
  let current: { take(frame: Frame): void; refuse(error: Error): void } | undefined;
  let maxFrameBytes = FRAME_SLACK_BYTES;
  const isGenuine = readyCheck();
  const outbox = openOutbox(stream);
  const inbox = openInbox(stream, {
    maxFrameBytes: () => maxFrameBytes,
    onFrame(frame) {
      if (frame.type === FrameType.ready) {
        if (isGenuine(frame.payload)) onReady();
      } else if (frame.type === FrameType.retired) onRetired();
      else current?.take(frame);
    },
    onBroken: (error) => current?.refuse(error),
  });
  stream.on('drain', () => {
    outbox.wake();
    inbox.wake();
  });
  // A killed guest resets its channel. The end of its process reports that to the caller.
  stream.on('error', () => undefined);

  const write = (type: FrameType, id: number, payload: string) => {
    if (stream.writable && current) outbox.send(encodeFrame(type, id, payload));
  };
  return {
    setTime: (leftMs) => write(FrameType.time, 0, JSON.stringify(leftMs ?? null)),
    run(program, { bridge, limits, onGuest }) {
      return new Promise<GuestOutcome>((resolve, reject) => {
        const idle = new Map<number, () => void>();
        const run = {
          take(frame: Frame) {
            if (frame.type === FrameType.notice) bridge.notice(frame.payload);
            else if (frame.type === FrameType.clock) bridge.clock?.(frame.payload);
            else if (frame.type === FrameType.place) bridge.place?.(frame.id, frame.payload);
            else if (frame.type === FrameType.idle) {
              idle.get(frame.id)?.();
              idle.delete(frame.id);
            } else if (frame.type === FrameType.request) {
              void bridge.request(readRequest(frame.id, frame.payload, outbox.room)).then((answer) => {
                if (current !== run) return;
                bridge.sending?.(frame.id, answer);
                // JavaScript has no exact number beyond 2⁵³: its programs get the digits as text.
                const payload = program.guest === 'javascript' ? withQuotedIntegers(answer.payload) : answer.payload;
                write(answer.ok ? FrameType.reply : FrameType.fault, frame.id, payload);
              });
            } else if (frame.type === FrameType.done) {
              current = undefined;
              settle(frame, resolve, reject);
            }
          },
          refuse: reject,
        };
        current = run;
        maxFrameBytes = MAX_CHARACTER_BYTES * limits.messageBytes + FRAME_SLACK_BYTES;
        write(FrameType.run, 0, JSON.stringify({ ...program, ...limits }));
        let asked = 0;
        const whenIdle = () =>
          new Promise<void>((isIdle) => {
            idle.set(++asked, isIdle);
            if (current === run) write(FrameType.idle, asked, 'null');
          });
        onGuest?.({ whenIdle });
      });
    },
  };
}

/** Reads frames from the stream in turns, and pauses while too many answers are unsent. */
function openInbox(
  stream: Duplex,
  options: {
    maxFrameBytes(): number;
    onFrame(frame: Frame): void;
    /** Called after the stream was destroyed because the guest broke the protocol. */
    onBroken(error: SandboxError): void;
  },
): { wake(): void } {
  const reader = frameReader(options.maxFrameBytes, options.onFrame);
  let turn: NodeJS.Immediate | undefined;
  const read = () => {
    turn = undefined;
    try {
      if (stream.writableLength > MAX_BACKLOG_BYTES) stream.pause();
      else if (reader.read(FRAMES_PER_TURN)) {
        stream.pause();
        turn = setImmediate(read);
      } else stream.resume();
    } catch (cause) {
      stream.destroy();
      const message = 'The sandbox sent a message that breaks the bridge protocol.';
      options.onBroken(new SandboxError('BRIDGE_PROTOCOL', message, { cause }));
    }
  };
  stream.on('data', (chunk: Buffer) => {
    reader.feed(chunk);
    if (!turn) read();
  });
  return {
    wake() {
      if (!turn && stream.isPaused()) read();
    },
  };
}

/** Writes frames to the stream; `room` resolves once few enough bytes are unsent. */
function openOutbox(stream: Duplex): { send(frame: Buffer): void; room: Room; wake(): void } {
  const waiting: (() => void)[] = [];
  // Wakes one at a time: the first may fill the channel again.
  const wake = () => {
    if (stream.writableLength > MAX_UNSENT_BYTES) return;
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(wake);
  };
  let frames: Buffer[] = [];
  let waitingBytes = 0;
  const write = () => {
    const whole = frames.length === 1 ? frames[0] : Buffer.concat(frames, waitingBytes);
    frames = [];
    waitingBytes = 0;
    stream.write(whole);
  };
  return {
    send(frame) {
      // Sends answers that are ready together in one write: each write wakes the guest's process.
      if (frames.push(frame) === 1) process.nextTick(write);
      waitingBytes += frame.length;
    },
    room() {
      if (stream.writableLength + waitingBytes <= MAX_UNSENT_BYTES) return undefined;
      return new Promise<void>((go) => waiting.push(go));
    },
    wake,
  };
}

/**
 * Returns a check of `ready` frames. A process that forks a child per program sends the hash of a secret with each
 * `ready`, and the secret with the next. Only the process knows it: a program cannot forge a `ready` to get the next
 * program.
 */
function readyCheck(): (payload: string) => boolean {
  let expected: unknown;
  return (payload) => {
    const { secret, next } = parseRecord(payload) ?? {};
    if (expected !== undefined && createHash('sha256').update(text(secret)).digest('hex') !== expected) return false;
    expected = next;
    return true;
  };
}

function settle(frame: Frame, resolve: (outcome: GuestOutcome) => void, reject: (error: Error) => void): void {
  const outcome = readOutcome(frame);
  if (outcome) resolve(outcome);
  else reject(new SandboxError('BRIDGE_PROTOCOL', 'The sandbox sent an outcome that is not valid.'));
}

/** Reads only the fields of an outcome: a guest that reached its channel may send anything. */
function readOutcome({ id, payload }: Frame): GuestOutcome | undefined {
  if (id === DoneStatus.completed) return { status: 'completed', value: payload === '' ? undefined : payload };
  const raw = parseRecord(payload);
  if (!raw) return undefined;
  if (id === DoneStatus.stopped && (raw.limit === 'timeout' || raw.limit === 'memory')) {
    return { status: 'stopped', limit: raw.limit, stack: text(raw.stack) };
  }
  if (id !== DoneStatus.failed) return undefined;
  return {
    status: 'failed',
    error: {
      name: text(raw.name),
      message: text(raw.message),
      stack: text(raw.stack),
      code: typeof raw.code === 'string' ? raw.code : undefined,
      request: typeof raw.request === 'number' ? raw.request : undefined,
    },
  };
}

function parseRecord(json: string): Record<string, unknown> | undefined {
  try {
    if (typeof countValues(json, MAX_RECORD) === 'string') return undefined;
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
