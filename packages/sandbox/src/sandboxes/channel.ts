import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { countValues } from '../bridge/json.ts';
import { DoneStatus, encodeFrame, type Frame, FrameType, frameReader, type GuestOutcome } from '../bridge/protocol.ts';
import { SandboxError } from '../errors.ts';
import type { Program } from '../languages/language.ts';
import type { SandboxRunOptions } from './sandbox.ts';

/** Frames of one guest process, for one run at a time. */
export interface GuestChannel {
  /** Runs one program; rejects with `BRIDGE_PROTOCOL` when the guest breaks the protocol. */
  run(program: Program, options: SandboxRunOptions): Promise<GuestOutcome>;
}

/** The guest counts characters, of which each takes up to three bytes. */
const MAX_CHARACTER_BYTES = 3;
const FRAME_SLACK_BYTES = 64 * 1024;
/** Bytes on their way to the guest above which no more work is begun for it. */
const MAX_UNSENT_BYTES = 1024 * 1024;
/** Bytes on their way to the guest above which it is not heard any more, until it has taken some. */
const MAX_BACKLOG_BYTES = 16 * MAX_UNSENT_BYTES;
/** Frames that are taken at once, before others get their turn: a guest may send thousands in one piece. */
const FRAMES_PER_TURN = 64;
/** What a guest says of itself: an outcome has five texts and numbers. */
const MAX_RECORD = { depth: 5, values: 50 };

/** Speaks the bridge protocol over a stream to a guest process. `onReady` is called whenever it can take a program. */
export function openGuestChannel(stream: Duplex, onReady: () => void): GuestChannel {
  let current: { take(frame: Frame): void; refuse(error: Error): void } | undefined;
  let maxFrameBytes = FRAME_SLACK_BYTES;

  const isGenuine = readyCheck();
  const reader = frameReader(
    () => maxFrameBytes,
    (frame) => {
      if (frame.type === FrameType.ready) {
        if (isGenuine(frame.payload)) onReady();
      } else current?.take(frame);
    },
  );
  let turn: NodeJS.Immediate | undefined;
  const read = () => {
    turn = undefined;
    try {
      if (stream.writableLength > MAX_BACKLOG_BYTES) stream.pause();
      else if (reader.read(FRAMES_PER_TURN)) {
        stream.pause();
        turn = setImmediate(read);
      } else stream.resume();
    } catch (error) {
      stream.destroy();
      current?.refuse(
        new SandboxError('BRIDGE_PROTOCOL', 'The sandbox sent a message that breaks the bridge protocol.', {
          cause: error,
        }),
      );
    }
  };
  stream.on('data', (chunk: Buffer) => {
    reader.feed(chunk);
    if (!turn) read();
  });
  // A killed guest resets its channel; whoever waits is told by the end of the process.
  stream.on('error', () => undefined);

  const waiting: (() => void)[] = [];
  // One at a time: the first that goes on may fill the channel again.
  const wake = () => {
    if (stream.writableLength > MAX_UNSENT_BYTES) return;
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(wake);
  };
  stream.on('drain', () => {
    wake();
    if (!turn && stream.isPaused()) read();
  });
  const room = async () => {
    if (stream.writableLength > MAX_UNSENT_BYTES) await new Promise<void>((go) => waiting.push(go));
  };

  return {
    run(program, { bridge, limits }) {
      return new Promise<GuestOutcome>((resolve, reject) => {
        const send = (type: FrameType, id: number, payload: string) => {
          if (!stream.writable || current !== run) return;
          // Answers that are ready together go out together: each write wakes the guest's process.
          stream.cork();
          stream.write(encodeFrame(type, id, payload));
          process.nextTick(() => stream.uncork());
        };
        const run = {
          take(frame: Frame) {
            if (frame.type === FrameType.notice) bridge.notice(frame.payload);
            else if (frame.type === FrameType.request) {
              void bridge
                .request(frame.id, frame.payload, room)
                .then(({ ok, payload }) => send(ok ? FrameType.reply : FrameType.fault, frame.id, payload));
            } else if (frame.type === FrameType.done) {
              current = undefined;
              settle(frame, resolve, reject);
            }
          },
          refuse: reject,
        };
        current = run;
        maxFrameBytes = MAX_CHARACTER_BYTES * limits.messageBytes + FRAME_SLACK_BYTES;
        send(FrameType.run, 0, JSON.stringify({ ...program, ...limits }));
      });
    },
  };
}

/**
 * A process that forks a child for each program tells with each `ready` what only it can know when it says so next: the
 * hash of a secret. A program that says it in its place, to get the next program, is not heard.
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
  else reject(new SandboxError('BRIDGE_PROTOCOL', 'The sandbox ended its program with an unreadable outcome.'));
}

/** Reads only what belongs in an outcome: a guest that got at its channel may send anything. */
function readOutcome({ id, payload }: Frame): GuestOutcome | undefined {
  if (id === DoneStatus.completed) return { status: 'completed', ...(payload === '' ? {} : { value: payload }) };
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
      ...(typeof raw.code === 'string' ? { code: raw.code } : {}),
      ...(typeof raw.request === 'number' ? { request: raw.request } : {}),
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
