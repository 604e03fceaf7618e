import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { createExecStream } from './exec-stream.ts';

afterEach(() => void vi.useRealTimers());

/** The other end of a connection. */
function openSocket() {
  const flushed: (() => void)[] = [];
  const socket = Object.assign(new EventEmitter(), {
    sent: [] as Buffer[],
    isPaused: false,
    pings: 0,
    send(data: Buffer, done?: () => void) {
      socket.sent.push(data);
      if (done) flushed.push(done);
    },
    ping() {
      socket.pings += 1;
    },
    pause() {
      socket.isPaused = true;
    },
    resume() {
      socket.isPaused = false;
    },
    terminate: () => void socket.emit('close', 1006),
    /** Reports that all sent messages have left this machine. */
    flush: () => {
      for (const done of flushed.splice(0)) done();
    },
    output: (text: string) => socket.emit('message', Buffer.concat([Buffer.from([1]), Buffer.from(text)])),
    status: (status: object) =>
      socket.emit('message', Buffer.concat([Buffer.from([3]), Buffer.from(JSON.stringify(status))])),
  });
  return socket;
}

function connected() {
  const exec = createExecStream();
  const socket = openSocket();
  const onOutput = vi.fn();
  exec.connect(socket as unknown as WebSocket, onOutput);
  return { ...exec, socket, onOutput };
}

it('writes are messages of standard input, in pieces, and wait until they have left', async () => {
  const { stream, socket } = connected();
  const written = vi.fn();
  stream.write(Buffer.alloc(70_000, 1), written);
  expect(socket.sent.map((message) => [message[0], message.length])).toEqual([
    [0, 32_769],
    [0, 32_769],
    [0, 4_465],
  ]);
  await setImmediate();
  expect(written).not.toHaveBeenCalled();
  socket.flush();
  await setImmediate();
  expect(written).toHaveBeenCalledOnce();
  stream.end();
  await setImmediate();
  expect(socket.sent.at(-1)).toEqual(Buffer.from([255, 0]));
});

it('output that nobody reads pauses the connection', async () => {
  const { stream, socket, onOutput } = connected();
  socket.output('x'.repeat(100_000));
  expect([socket.isPaused, onOutput.mock.calls.length]).toEqual([true, 1]);
  stream.resume();
  await setImmediate();
  expect(socket.isPaused).toBe(false);
});

it('only standard output is read', async () => {
  const { stream, socket } = connected();
  const read: string[] = [];
  stream.on('data', (data: Buffer) => read.push(data.toString()));
  socket.emit('message', Buffer.from('\u0002error output'));
  socket.emit('message', Buffer.from('\u0001'));
  socket.output('a');
  socket.output('b');
  await setImmediate();
  expect(read.join('')).toBe('ab');
});

it.each<[object | undefined, object]>([
  [{ status: 'Success' }, { code: 0 }],
  [
    { status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message: '101' }] } },
    { code: 101 },
  ],
  [{ status: 'Failure', reason: 'InternalError', message: 'container not found' }, { message: 'container not found' }],
  [{ status: 'Failure', reason: 'NonZeroExitCode', message: 'odd', details: { causes: [{}] } }, { message: 'odd' }],
  [undefined, {}],
])('the status %o is the end %o', async (status, end) => {
  const { stream, socket, ended } = connected();
  stream.resume();
  if (status) socket.status(status);
  socket.emit('close', 1000);
  expect(await ended).toEqual({ ...end, isLocal: false });
});

it('all output is read before the stream ends', async () => {
  const { stream, socket } = connected();
  socket.output('last');
  socket.emit('close', 1000);
  const read: string[] = [];
  for await (const data of stream) read.push(String(data));
  expect(read).toEqual(['last']);
});

it('a connection without an answer to pings is ended, but not a paused one', async () => {
  vi.useFakeTimers();
  const { socket, ended } = connected();
  socket.isPaused = true;
  vi.advanceTimersByTime(600_000);
  expect(socket.pings).toBe(0);
  socket.isPaused = false;
  vi.advanceTimersByTime(45_000);
  socket.emit('pong');
  vi.advanceTimersByTime(45_000);
  expect(socket.pings).toBe(6);
  vi.advanceTimersByTime(15_000);
  expect(await ended).toEqual({ isLocal: false });
});

it('a stream that was destroyed before ends its connection', async () => {
  const { stream, ended, connect } = createExecStream();
  stream.destroy();
  const socket = openSocket();
  connect(socket as unknown as WebSocket, () => undefined);
  socket.terminate();
  expect(await ended).toEqual({ isLocal: true });
});
