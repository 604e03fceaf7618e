import { duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../packages/sandbox/src/bridge/frames.ts';
import {
  DoneStatus,
  FrameType,
  type GuestBridge,
  type GuestOutcome,
} from '../../packages/sandbox/src/bridge/protocol.ts';
import { openGuestChannel } from '../../packages/sandbox/src/sandboxes/channel.ts';
import { until } from '../fixtures/server.ts';

const PROGRAM = { guest: 'javascript', code: '', seed: 1, epochMs: 0 } as const;
const LIMITS = { timeoutMs: 1_000, memoryBytes: 1e7, messageBytes: 1_000 };
const DONE = encodeFrame(FrameType.done, DoneStatus.completed, '"real"');
const REAL = { status: 'completed', value: '"real"' };

/** Opens a channel to a guest that can write any bytes to the host. */
function hostileGuest() {
  const [host, guest] = duplexPair();
  const requests: string[] = [];
  let readies = 0;
  const bridge: GuestBridge = {
    request: async ({ text }) => ({ ok: true, payload: JSON.stringify(requests.push(text)) }),
    notice: () => undefined,
  };
  const channel = openGuestChannel(host, { onReady: () => readies++, onRetired: () => undefined });
  const run = (): Promise<GuestOutcome> => channel.run(PROGRAM, { bridge, limits: LIMITS });
  guest.resume();
  return { guest, host, run, requests, readies: () => readies };
}

function header(length: number, type: number, id: number): Buffer {
  const frame = Buffer.alloc(9);
  frame.writeUInt32BE(length, 0);
  frame.writeUInt8(type, 4);
  frame.writeUInt32BE(id, 5);
  return frame;
}

describe('frames that break the protocol end the run and the channel', () => {
  it.each([
    ['an unknown type', header(5, 0, 1)],
    ['another unknown type', header(5, 255, 1)],
    ['a length over the limit', header(0xff_ff_ff_ff, FrameType.notice, 1)],
    ['a length just over the limit', header(3 * 1_000 + 64 * 1024 + 1, FrameType.done, 0)],
    ['a length without room for a header', header(1, FrameType.notice, 1)],
    ['garbage', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['zeros', Buffer.alloc(64)],
  ])('%s', async (_name, bytes) => {
    const { guest, host, run } = hostileGuest();
    const running = run();
    guest.write(bytes);
    await expect(running).rejects.toMatchObject({ code: 'BRIDGE_PROTOCOL' });
    expect(host.destroyed).toBe(true);
  });

  it.each([
    ['an unknown status', 3, '{}'],
    ['a failure that is not JSON', DoneStatus.failed, '{'],
    ['a failure that is a list of nothing', DoneStatus.failed, 'null'],
    ['a stop by an unknown limit', DoneStatus.stopped, '{"limit":"toolCalls"}'],
    ['a stop by a limit of the prototype', DoneStatus.stopped, '{"limit":"__proto__"}'],
  ])('done with %s', async (_name, status, payload) => {
    const { guest, run } = hostileGuest();
    const running = run();
    guest.write(encodeFrame(FrameType.done, status, payload));
    await expect(running).rejects.toMatchObject({ code: 'BRIDGE_PROTOCOL' });
  });
});

describe('meaningless frames are skipped', () => {
  it.each([
    ['a run', encodeFrame(FrameType.run, 0, '{"code":"evil"}')],
    ['replies to requests never made', encodeFrame(FrameType.reply, 7, '1')],
    ['faults', encodeFrame(FrameType.fault, 0xff_ff_ff_ff, '{}')],
    ['notices that are not JSON', encodeFrame(FrameType.notice, 0, '\u0000')],
  ])('%s', async (_name, bytes) => {
    const { guest, run, requests } = hostileGuest();
    const running = run();
    for (let times = 0; times < 100; times++) guest.write(bytes);
    guest.write(DONE);
    expect(await running).toEqual(REAL);
    expect(requests).toEqual([]);
  });

  it('a flood of ready frames', async () => {
    const { guest, run, readies } = hostileGuest();
    const running = run();
    guest.write(Buffer.concat(Array(20_000).fill(encodeFrame(FrameType.ready, 0, 'null'))));
    guest.write(DONE);
    expect(await running).toEqual(REAL);
    expect(readies()).toBe(20_000);
  });
});

it('only the first end counts, and nothing after it reaches the bridge', async () => {
  const { guest, run, requests } = hostileGuest();
  const running = run();
  const late = encodeFrame(FrameType.request, 1, '["call","tools__add",{}]');
  const forged = encodeFrame(FrameType.done, DoneStatus.completed, '"forged"');
  guest.write(Buffer.concat([DONE, forged, late, forged, late]));
  expect(await running).toEqual(REAL);
  await sleep(20);
  expect(requests).toEqual([]);
});

it('an outcome keeps only its own fields', async () => {
  const { guest, run } = hostileGuest();
  const running = run();
  const forged = {
    name: 1,
    message: {},
    stack: [],
    code: 5,
    request: '1',
    kind: 'internal',
    status: 'completed',
    value: 'x',
  };
  guest.write(encodeFrame(FrameType.done, DoneStatus.failed, JSON.stringify(forged)));
  expect(await running).toEqual({ status: 'failed', error: { name: '', message: '', stack: '' } });
});

it('frames may arrive in chunks of any size, with text that is not UTF-8', async () => {
  const { guest, run } = hostileGuest();
  const running = run();
  const bytes = Buffer.concat([header(7, FrameType.notice, 0), Buffer.from([0xff, 0xfe]), DONE]);
  for (const byte of bytes) guest.write(Buffer.from([byte]));
  expect(await running).toEqual(REAL);
});

it('requests under one id, or under the largest one, are all answered', async () => {
  const { guest, run, requests } = hostileGuest();
  const running = run();
  for (const id of [0, 1, 1, 0xff_ff_ff_ff]) guest.write(encodeFrame(FrameType.request, id, '[]'));
  await until(() => requests.length === 4);
  guest.write(DONE);
  await running;
  expect(requests).toHaveLength(4);
});
