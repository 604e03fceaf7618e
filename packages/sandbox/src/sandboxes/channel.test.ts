import { createHash } from 'node:crypto';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { failureOf, until } from '../../../../test/fixtures/server.ts';
import { encodeFrame, frameReader } from '../bridge/frames.ts';
import { DoneStatus, type Frame, FrameType, type GuestBridge } from '../bridge/protocol.ts';
import { openGuestChannel } from './channel.ts';

const program = { guest: 'javascript', code: 'x', seed: 5, epochMs: 6 } as const;
const limits = { timeoutMs: 1, memoryBytes: 2, messageBytes: 100 };

/** Opens a channel to a guest whose frames the test writes. A `stalled` guest never reads its answers. */
function open(options: { bridge?: Partial<GuestBridge>; stalled?: boolean } = {}) {
  const sent: Frame[] = [];
  let ready = 0;
  const reader = frameReader(
    () => 100_000_000,
    (frame) => sent.push(frame),
  );
  let take = () => {};
  const stream = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      reader.feed(chunk);
      while (reader.read(100));
      if (options.stalled) take = done;
      else done();
    },
  });
  const channel = openGuestChannel(stream, { onReady: () => ready++, onRetired: () => undefined });
  const bridge: GuestBridge = {
    request: async ({ id, text }) => ({ ok: id !== 13, payload: `"${id} ${text}"` }),
    notice: () => undefined,
    ...options.bridge,
  };
  return {
    sent,
    stream,
    ready: () => ready,
    take: () => {
      const taken = take;
      take = () => {};
      taken();
    },
    run: () => channel.run(program, { bridge, limits }),
    say: (type: FrameType, id: number, payload: string) => stream.push(encodeFrame(type, id, payload)),
    done: (id: number, payload: string) => stream.push(encodeFrame(FrameType.done, id, payload)),
  };
}

test('a guest that sends a hash with its first ready needs the secret of the hash for the next one', async () => {
  const { say, ready } = open();
  const readyWith = async (payload: unknown) => {
    say(FrameType.ready, 0, JSON.stringify(payload));
    await setImmediate();
    return ready();
  };
  const hash = (secret: string) => createHash('sha256').update(secret).digest('hex');
  expect([
    await readyWith({ secret: '', next: hash('one') }),
    await readyWith(null),
    await readyWith({ secret: 'two', next: hash('three') }),
    await readyWith({ secret: hash('one'), next: '' }),
    await readyWith({ secret: 'one', next: hash('two') }),
    await readyWith({ secret: 'one', next: hash('two') }),
    await readyWith({ secret: 'two', next: hash('three') }),
  ]).toEqual([1, 1, 1, 1, 2, 2, 3]);
});

test('a guest without a hash may be ready at any time', async () => {
  const { say, ready } = open();
  say(FrameType.ready, 0, 'null');
  say(FrameType.ready, 0, 'null');
  await until(() => ready() === 2);
});

test('a run sends its program, answers requests, receives notices and ends', async () => {
  const notices: string[] = [];
  const { run, say, done, sent } = open({ bridge: { notice: (payload) => notices.push(payload) } });
  const outcome = run();
  say(FrameType.request, 12, 'a');
  say(FrameType.request, 13, 'b');
  say(FrameType.notice, 0, 'n');
  await until(() => sent.length === 3);
  done(DoneStatus.completed, '{"a":1}');
  expect(await outcome).toEqual({ status: 'completed', value: '{"a":1}' });
  expect([notices, sent.map((frame) => ({ ...frame, payload: JSON.parse(frame.payload) }))]).toEqual([
    ['n'],
    [
      { type: FrameType.run, id: 0, payload: { ...program, ...limits } },
      { type: FrameType.reply, id: 12, payload: '12 a' },
      { type: FrameType.fault, id: 13, payload: '13 b' },
    ],
  ]);
});

test.each<[string, number, string, object]>([
  ['no value', DoneStatus.completed, '', { status: 'completed' }],
  ['a limit', DoneStatus.stopped, '{"limit":"memory","stack":5}', { status: 'stopped', limit: 'memory', stack: '' }],
  [
    'an error',
    DoneStatus.failed,
    '{"name":"E","message":"m","stack":"s","code":"C","request":3,"more":1}',
    { status: 'failed', error: { name: 'E', message: 'm', stack: 's', code: 'C', request: 3 } },
  ],
  [
    'an error of wrong types',
    DoneStatus.failed,
    '{"name":1,"message":{},"code":[],"request":"x"}',
    { status: 'failed', error: { name: '', message: '', stack: '' } },
  ],
])('%s is an outcome', async (_name, id, payload, outcome) => {
  const { run, done } = open();
  const running = run();
  done(id, payload);
  expect(await running).toEqual(outcome);
});

test.each<[string, number, string]>([
  ['an unknown status', 9, '{}'],
  ['an unknown limit', DoneStatus.stopped, '{"limit":"patience"}'],
  ['what is not JSON', DoneStatus.failed, '{'],
  ['what is no object', DoneStatus.failed, 'null'],
])('%s as the outcome breaks the protocol', async (_name, id, payload) => {
  const { run, done } = open();
  const running = failureOf(run());
  done(id, payload);
  expect((await running).code).toBe('BRIDGE_PROTOCOL');
});

test('a message over the limit breaks the protocol and closes the channel', async () => {
  const { run, say, stream } = open();
  const running = failureOf(run());
  say(FrameType.notice, 0, 'x'.repeat(3 * limits.messageBytes + 64 * 1024));
  expect([(await running).code, stream.destroyed]).toEqual(['BRIDGE_PROTOCOL', true]);
});

test('an answer that arrives after the end is not sent into the next run', async () => {
  let answer = (_: { ok: boolean; payload: string }) => {};
  const late = new Promise<{ ok: boolean; payload: string }>((resolve) => {
    answer = resolve;
  });
  const { run, say, done, sent, ready } = open({ bridge: { request: () => late } });
  const first = run();
  say(FrameType.request, 1, 'a');
  await setImmediate();
  done(DoneStatus.completed, '1');
  say(FrameType.ready, 0, 'null');
  await first;
  const second = run();
  answer({ ok: true, payload: 'late' });
  await setImmediate();
  done(DoneStatus.completed, '2');
  await second;
  expect([sent.map(({ type }) => type), ready()]).toEqual([[FrameType.run, FrameType.run], 1]);
});

test('the channel has capacity only while the guest reads its answers', async () => {
  const order: string[] = [];
  const request: GuestBridge['request'] = async ({ id, room = async () => undefined }) => {
    await room();
    order.push(`work ${id}`);
    return { ok: true, payload: `"${'x'.repeat(2_000_000)}"` };
  };
  const { run, say, done, take } = open({ bridge: { request }, stalled: true });
  const running = run();
  await setImmediate();
  take();
  say(FrameType.request, 1, '');
  await until(() => order.length === 1);
  say(FrameType.request, 2, '');
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  expect(order).toEqual(['work 1']);
  take();
  await until(() => order.length === 2);
  done(DoneStatus.completed, '1');
  await running;
});

test('thousands of messages in one chunk leave time for other guests', async () => {
  const received: string[] = [];
  const { run, stream } = open({ bridge: { notice: (payload) => void received.push(payload) } });
  const running = run();
  const notices = Array.from({ length: 1_000 }, (_, index) => encodeFrame(FrameType.notice, 0, `${index}`));
  stream.push(Buffer.concat([...notices, encodeFrame(FrameType.done, DoneStatus.completed, '1')]));
  await setImmediate();
  expect(received.length).toBeLessThan(200);
  await running;
  expect(received).toEqual(notices.map((_, index) => `${index}`));
});

test('the host stops reading from a guest that reads no answers, until the guest reads some', async () => {
  let asked = 0;
  const request: GuestBridge['request'] = async () => ({ ok: false, payload: `"${++asked}${'x'.repeat(1_000_000)}"` });
  const { run, say, done, take } = open({ bridge: { request }, stalled: true });
  const running = run();
  await setImmediate();
  for (let id = 0; id < 100; id++) {
    say(FrameType.request, id, '[]');
    await setImmediate();
  }
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  expect(asked).toBeGreaterThan(10);
  expect(asked).toBeLessThan(30);
  done(DoneStatus.completed, '1');
  let hasEnded = false;
  void running.then(() => {
    hasEnded = true;
  });
  for (let turn = 0; turn < 1_000 && !hasEnded; turn++) {
    take();
    await setImmediate();
  }
  expect([hasEnded, asked]).toEqual([true, 100]);
});

test('an outcome with too many values is not read', async () => {
  const { run, done } = open();
  const running = failureOf(run());
  done(DoneStatus.failed, `{"a":[${Array(100).fill('{}')}]}`);
  expect((await running).code).toBe('BRIDGE_PROTOCOL');
});
