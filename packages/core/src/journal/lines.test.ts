import { describe, expect, test } from 'vitest';
import { createChain } from '../../../storage/src/data-folder/integrity.ts';
import { openLines } from './lines.ts';

const KEY = Buffer.alloc(32, 1);

/** Opens lines over a disk that can be full. Returns also its writes, and the entries of lines whose codes are right. */
function open() {
  const writes: string[] = [];
  const disk = { isFull: false };
  const sink = {
    append(data: Buffer) {
      if (disk.isFull) throw new Error('the disk is full');
      writes.push(data.toString());
    },
    flushed: () => undefined,
    close: () => undefined,
  };
  const lines = openLines(sink, { chain: createChain(KEY, 'e1') });
  const entries = () => {
    const chain = createChain(KEY, 'e1');
    const written = writes.join('').split('\n').slice(0, -1);
    return written.map((line) => (chain.accepts(line) ? JSON.parse(line).entry : `wrong: ${line}`));
  };
  return { lines, writes, disk, entries };
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
