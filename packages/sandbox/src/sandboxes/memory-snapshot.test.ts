import { expect, it } from 'vitest';

// tsconfig.guest.json checks the guest, and tsconfig.json reads no JavaScript.
const { takeSnapshot } = await import('../guest/memory-snapshot.js' as string);
const { Memory } = Reflect.get(globalThis, 'WebAssembly');
const PAGE = 65_536;

it('restores all bytes, also behind the snapshot and in memory that has grown', () => {
  const memory = new Memory({ initial: 20, maximum: 60 });
  const bytes = () => new Uint8Array(memory.buffer);
  bytes().fill(7, 100, 5 * PAGE);
  const before = bytes().slice();
  const snapshot = takeSnapshot(memory);
  for (let round = 0; round < 3; round++) {
    memory.grow(10);
    bytes().fill(9, 50, 4 * PAGE);
    // A gap of zeros is between this byte and the others.
    bytes()[memory.buffer.byteLength - 1] = 1;
    snapshot.restore();
    expect(Buffer.compare(bytes().subarray(0, before.length), before)).toBe(0);
    expect(
      bytes()
        .subarray(before.length)
        .every((byte) => byte === 0),
    ).toBe(true);
  }
});

it('restores empty memory', () => {
  const memory = new Memory({ initial: 2 });
  const snapshot = takeSnapshot(memory);
  new Uint8Array(memory.buffer)[PAGE] = 1;
  snapshot.restore();
  expect(new Uint8Array(memory.buffer).some((byte) => byte !== 0)).toBe(false);
});
