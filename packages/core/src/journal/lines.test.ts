import { describe, expect, test } from 'vitest';
import { createChain } from '../../../storage/src/data-folder/integrity.ts';
import { openLines } from './lines.ts';
import type { Settlement } from './storages/storage.ts';

const KEY = Buffer.alloc(32, 1);

/** Opens lines over a disk that can be full. Returns also its writes, and the entries of lines whose codes are right. */
function open() {
  const writes: string[] = [];
  const settlements: (Settlement | undefined)[] = [];
  const disk = { isFull: false };
  const confirmed: string[] = [];
  const age = { isOld: false };
  const lease = {
    check: () => undefined,
    isOld: () => age.isOld,
    confirm: async () => void confirmed.push(writes.join('')),
  };
  const sink = {
    append(data: Buffer, settlement?: Settlement) {
      if (disk.isFull) throw new Error('the disk is full');
      writes.push(data.toString());
      settlements.push(settlement);
    },
    flushed: () => undefined,
    close: () => undefined,
  };
  const lines = openLines(sink, { chain: createChain(KEY, 'e1'), lease });
  const entries = () => {
    const chain = createChain(KEY, 'e1');
    const written = writes.join('').split('\n').slice(0, -1);
    return written.map((line) => (chain.accepts(line) ? JSON.parse(line).entry : `wrong: ${line}`));
  };
  return { lines, writes, settlements, confirmed, age, disk, entries };
}

describe('entries that share a write', () => {
  test('are one write, after the entries that wait', async () => {
    const { lines, writes, entries } = open();
    lines.hold('reply', {});
    await Promise.all([1, 2, 3].map((number) => lines.writeShared('call', { number }, ',"arguments":', '{}')));
    expect([writes.length, entries()]).toEqual([1, ['reply', 'call', 'call', 'call']]);
    expect(lines.bytes()).toBe(Buffer.byteLength(writes.join('')));
  });

  test('are written before an entry that does not wait for others', async () => {
    const { lines, writes, entries } = open();
    const shared = lines.writeShared('call', { number: 1 });
    lines.write('call', { number: 2 });
    await shared;
    expect([writes.length, entries()]).toEqual([1, ['call', 'call']]);
  });

  test('reject each of them when they cannot be written, and take no other entry with them', async () => {
    const { lines, disk, entries } = open();
    lines.write('start', {});
    const bytes = lines.bytes();
    disk.isFull = true;
    const calls = [lines.writeShared('call', { number: 1 })];
    lines.hold('reply', { text: 'kept' });
    calls.push(lines.writeShared('call', { number: 2 }));
    const ended = await Promise.allSettled(calls);
    expect(ended).toEqual(Array(2).fill({ status: 'rejected', reason: new Error('the disk is full') }));
    expect(lines.bytes()).toBeGreaterThan(bytes);
    expect(() => lines.write('call', { number: 3 })).toThrow('the disk is full');
    disk.isFull = false;
    await lines.writeShared('call', { number: 4 });
    expect(entries()).toEqual(['start', 'reply', 'call']);
    expect(lines.bytes()).toBeGreaterThan(bytes);
  });

  test('are written by the end of the journal', async () => {
    const { lines, entries } = open();
    const shared = lines.writeShared('call', { number: 1 });
    lines.close();
    await shared;
    expect(entries()).toEqual(['call']);
  });
});

test('the bytes of a line are those that were written, with the lines before', () => {
  const { lines, writes } = open();
  lines.hold('reply', { text: 'ä' });
  const bytes = lines.write('result', {}, ',"result":', '"☃"');
  expect(
    writes
      .join('')
      .split('\n')
      .slice(0, -1)
      .map((line) => Buffer.byteLength(`${line}\n`))
      .at(-1),
  ).toBe(bytes);
});

test('the settlement of a line is handed over with it, and never without it', () => {
  const { lines, settlements, disk, entries } = open();
  lines.hold('reply', {});
  lines.settle('suspend', {}, { status: 'suspended', wakeMs: 7 });
  disk.isFull = true;
  expect(() => lines.settle('end', {}, { status: 'failed' })).toThrow('the disk is full');
  disk.isFull = false;
  lines.write('call', {});
  lines.settle('decision', {}, { applied: [1, 2] });
  expect(entries()).toEqual(['reply', 'suspend', 'call', 'decision']);
  expect(settlements).toEqual([{ status: 'suspended', wakeMs: 7 }, undefined, { applied: [1, 2] }]);
});

test('an old lease is confirmed after the lines are written, also after a decision, and not after the end', async () => {
  const { lines, writes, confirmed, age } = open();
  lines.settle('decision', {}, { applied: [1, 1] });
  expect(lines.flushed()).toBeUndefined();
  age.isOld = true;
  lines.hold('call', {});
  await lines.flushed();
  expect(confirmed).toEqual([writes.join('')]);
  lines.settle('end', {}, { status: 'completed' });
  lines.close();
  await lines.flushed();
  expect(confirmed).toHaveLength(1);
});
