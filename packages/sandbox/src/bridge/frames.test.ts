import { expect, test } from 'vitest';
import { encodeFrame, frameReader, heldBytes, textOf } from './frames.ts';
import { type Frame, FrameType } from './protocol.ts';

const CHUNKS = Array.from({ length: 160 }, (_, index) => Buffer.alloc(64 * 1024, index));
const LENGTH = 160 * 64 * 1024;

/** Returns the bytes of buffers that work allocates and keeps. */
function allocated(work: () => unknown): number {
  const before = process.memoryUsage().arrayBuffers;
  work();
  return process.memoryUsage().arrayBuffers - before;
}

test.each([1, 100, 5_000])('returns the bytes of chunks of up to %i bytes in their order', (size) => {
  const all = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));
  const held = heldBytes();
  for (const _round of [1, 2]) {
    for (let at = 0, step = 1; at < all.length; at += step, step = (step * 7) % size || size) {
      // The memory of a small chunk is used again.
      held.add(Buffer.from(all.subarray(at, at + step)));
    }
    expect(held.length).toBe(all.length);
    expect(held.take().equals(all)).toBe(true);
    expect(held.length).toBe(0);
  }
  held.add(all);
  held.clear();
  expect(held.take()).toHaveLength(0);
});

test('keeps large chunks without a copy, and copies them once to return them', () => {
  const held = heldBytes();
  expect(allocated(() => CHUNKS.forEach(held.add))).toBeLessThan(64 * 1024);
  const all: Buffer[] = [];
  expect(allocated(() => all.push(held.take()))).toBeLessThan(LENGTH + 64 * 1024);
  expect(all[0]).toHaveLength(LENGTH);
});

test('a long frame is copied once', () => {
  const frame = encodeFrame(FrameType.request, 7, 'x'.repeat(LENGTH));
  const chunks: Buffer[] = [];
  for (let at = 0; at < frame.length; at += 65_536) chunks.push(frame.subarray(at, at + 65_536));
  const found: Frame[] = [];
  const reader = frameReader(
    () => frame.length,
    (next) => found.push(next),
  );
  const bytes = allocated(() => {
    for (const chunk of chunks) {
      reader.feed(chunk);
      reader.read(1);
    }
  });
  expect(bytes).toBeLessThan(1.1 * LENGTH);
  expect(found).toEqual([{ type: FrameType.request, id: 7, payload: 'x'.repeat(LENGTH) }]);
});

test('decodes short and long texts', () => {
  for (const text of ['', 'ü', 'x'.repeat(100_000), `${'x'.repeat(100_000)}ü`, '😀'.repeat(30_000)]) {
    expect(textOf(Buffer.from(text))).toBe(text);
  }
});
