import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/fixtures/server.ts';
import { encodeFrame, frameReader } from './frames.ts';
import { DoneStatus, type Frame, FrameType } from './protocol.ts';

const PAYLOADS = ['', 'null', '"ünïcödé 😀"', JSON.stringify({ text: 'x'.repeat(70_000) }), '\u0000', '"\ud83d'];
const frames: Frame[] = Object.values(FrameType).flatMap((type, index) =>
  PAYLOADS.map((payload, at) => ({ type, id: [0, 1, 2 ** 32 - 1][(index + at) % 3] ?? 0, payload })),
);
// A surrogate without its pair has no UTF-8.
const expected = frames.map((frame) => ({ ...frame, payload: Buffer.from(frame.payload).toString() }));
const bytes = Buffer.concat(frames.map(({ type, id, payload }) => encodeFrame(type, id, payload)));

function read(chunks: Iterable<Buffer>, maxBytes = 1_000_000): Frame[] {
  const found: Frame[] = [];
  const reader = frameReader(
    () => maxBytes,
    (frame) => found.push(frame),
  );
  for (const chunk of chunks) {
    reader.feed(chunk);
    while (reader.read(2));
  }
  return found;
}

function* pieces(size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

describe('frames', () => {
  test.each([1, 2, 3, 4, 5, 8, 9, 10, 1_000, 65_536, bytes.length])('are read from pieces of %i bytes', (size) => {
    expect(read(pieces(size))).toEqual(expected);
  });

  test('have a length, a type, an id and a payload', () => {
    expect([...encodeFrame(FrameType.reply, 0x01020304, 'ü')]).toEqual([0, 0, 0, 7, 3, 1, 2, 3, 4, 0xc3, 0xbc]);
  });

  test('may be as long as the limit, which may change between them', () => {
    const frame = encodeFrame(FrameType.notice, 0, 'x'.repeat(95));
    expect(read([frame], 100)).toHaveLength(1);
    expect(() => read([frame], 99)).toThrow(new RangeError('frame of 100 bytes, the limit is 99'));
  });

  test.each<[string, number[], string]>([
    ['too short', [0, 0, 0, 4], 'frame of 4 bytes, the limit is 1000'],
    ['empty', [0, 0, 0, 0], 'frame of 0 bytes, the limit is 1000'],
    ['endless', [255, 255, 255, 255], 'frame of 4294967295 bytes, the limit is 1000'],
    ['of type 0', [0, 0, 0, 5, 0, 0, 0, 0, 0], 'frame of unknown type 0'],
    ['of type 13', [0, 0, 0, 5, 13, 0, 0, 0, 0], 'frame of unknown type 13'],
  ])('that are %s are refused as early as possible', (_name, head, message) => {
    expect(() => read([Buffer.from(head)], 1_000)).toThrow(new RangeError(message));
  });

  test('before a broken one are still read', () => {
    const found: Frame[] = [];
    const reader = frameReader(
      () => 100,
      (frame) => found.push(frame),
    );
    const chunk = Buffer.concat([encodeFrame(FrameType.ready, 7, 'null'), Buffer.from([0, 0, 0, 5, 99, 0, 0, 0, 0])]);
    reader.feed(chunk);
    expect(() => reader.read(10)).toThrow(RangeError);
    expect(found).toEqual([{ type: FrameType.ready, id: 7, payload: 'null' }]);
  });
});

describe('the guest', () => {
  test('has the same numbers', async () => {
    const guest = await import(new URL('../guest/frames.cjs', import.meta.url).href);
    expect([guest.FrameType, guest.DoneStatus]).toEqual([FrameType, DoneStatus]);
  });

  test.each([3, 1_000, bytes.length])('reads and writes the same frames, in pieces of %i bytes', async (size) => {
    const found: Frame[] = [];
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../../../test/fixtures/echo-frames.mjs', import.meta.url))],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      },
    );
    const stream = child.stdio[3];
    if (!(stream instanceof Duplex)) throw new Error('no channel');
    const reader = frameReader(
      () => 1_000_000,
      (frame) => found.push(frame),
    );
    stream.on('data', (chunk: Buffer) => {
      reader.feed(chunk);
      while (reader.read(100));
    });
    for (const piece of size < 10 ? [...pieces(size)].slice(0, 400) : pieces(size)) stream.write(piece);
    if (size < 10) stream.write(bytes.subarray(400 * size));
    await until(() => found.length >= frames.length, 20_000);
    stream.end();
    const [code] = await once(child, 'exit');
    expect([code, found]).toEqual([frames.length, expected]);
  });
});
