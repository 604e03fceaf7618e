import { once } from 'node:events';
import { PassThrough, pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createAttachment } from './container.ts';

function piece(stream: number, data: string | Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(data), 4);
  return Buffer.concat([header, Buffer.from(data)]);
}

test.each([1, 3, 7, 8, 9, 1_000])(
  'reads standard output from chunks of %i bytes, and drops everything else',
  async (size) => {
    const { stream, connect } = createAttachment();
    const connection = new PassThrough();
    connect(connection);
    const all = Buffer.concat([piece(1, 'one '), piece(2, 'stderr'), piece(1, ''), piece(0, 'x'), piece(1, 'two')]);
    const read = buffer(stream);
    for (let at = 0; at < all.length; at += size) connection.write(all.subarray(at, at + size));
    connection.end();
    expect((await read).toString()).toBe('one two');
  },
);

test('a flood on another stream is not buffered', async () => {
  const { stream, connect } = createAttachment();
  const connection = new PassThrough();
  connect(connection);
  stream.resume();
  const megabyte = piece(2, Buffer.alloc(1_000_000));
  for (let i = 0; i < 50; i++) if (!connection.write(megabyte)) await once(connection, 'drain');
  expect(stream.readableLength + connection.readableLength).toBeLessThan(2_000_000);
});

test('unread output pauses the connection', async () => {
  const { stream, connect } = createAttachment();
  const connection = new PassThrough();
  connect(connection);
  const megabyte = piece(1, Buffer.alloc(1_000_000));
  let taken = 0;
  while (connection.write(megabyte)) taken++;
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  expect(taken).toBeLessThan(10);
  expect(stream.readableLength).toBeLessThan(2_000_000);
  const read = buffer(stream);
  connection.end();
  expect((await read).length).toBe((taken + 1) * 1_000_000);
});

test('concurrent writes are sent as one, and the end of either side ends the other', async () => {
  const { stream, connect } = createAttachment();
  const connection = new PassThrough();
  const writes: string[] = [];
  const sink = new PassThrough();
  sink.on('data', (data: Buffer) => writes.push(data.toString()));
  pipeline(connection, sink, () => undefined);
  connect(connection);
  stream.cork();
  stream.write('a');
  stream.write('b');
  stream.uncork();
  await new Promise(setImmediate);
  expect(writes[0]).toBe('ab');
  stream.destroy();
  expect(connection.destroyed).toBe(true);
  const late = new PassThrough();
  connect(late);
  expect(late.destroyed).toBe(true);
});

test('a write before the container is attached fails', async () => {
  const { stream } = createAttachment();
  stream.write('too early');
  const [error] = await once(stream, 'error');
  expect(error.message).toBe('The container is not attached yet.');
});
