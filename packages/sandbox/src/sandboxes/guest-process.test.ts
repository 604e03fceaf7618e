import { duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { encodeFrame } from '../bridge/frames.ts';
import { DoneStatus, FrameType, type GuestOutcome } from '../bridge/protocol.ts';
import { type GuestProcess, openGuestProcess, type ProcessEnd, spawnGuest } from './guest-process.ts';
import { GUEST_ENTRY, nodeFlags } from './quickjs.ts';

const MEMORY_BYTES = String(64 * 1024 * 1024);
const started: GuestProcess[] = [];
afterEach(() => {
  for (const worker of started.splice(0)) worker.kill();
});

function start(): GuestProcess {
  const worker = openGuestProcess('any', spawnGuest(process.execPath, [...nodeFlags(), GUEST_ENTRY, MEMORY_BYTES]));
  started.push(worker);
  return worker;
}

function run(worker: GuestProcess, code: string, timeoutMs: number): Promise<GuestOutcome> {
  const limits = { timeoutMs, memoryBytes: 1, messageBytes: 1_000 };
  const bridge = { request: async () => ({ ok: true, payload: '' }), notice: () => undefined };
  return worker.channel.run({ guest: 'javascript', code, seed: 1, epochMs: 1 }, { bridge, limits });
}

test('a removed listener is neither kept nor called: a process outlives many runs', async () => {
  const worker = start();
  await worker.ready();
  const called: string[] = [];
  worker.onGone(() => called.push('kept'));
  for (let run = 0; run < 3; run++) worker.onGone(() => called.push(`run ${run}`))();
  worker.kill();
  await new Promise<void>((gone) => worker.onGone(gone));
  expect([called, worker.gone]).toEqual([['kept'], true]);
  worker.onGone(() => called.push('late'));
  expect(called).toEqual(['kept', 'late']);
});

test('everyone who waits for a process is notified when it is ready or has ended', async () => {
  const worker = start();
  await Promise.all([worker.ready(), worker.ready()]);
  const lost = start();
  const waits = [lost.ready(), lost.ready()];
  lost.kill();
  const outcomes = await Promise.allSettled(waits);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual([
    'SANDBOX_LOST',
    'SANDBOX_LOST',
  ]);
});

test('a process that is not ready in time is killed, and one that is ready lives on', async () => {
  const hanging = openGuestProcess('any', { ...spawnGuest('sleep', ['60']), startMs: 50 });
  started.push(hanging);
  await expect(hanging.ready()).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
  const carrier = spawnGuest(process.execPath, [...nodeFlags(), GUEST_ENTRY, MEMORY_BYTES]);
  const worker = openGuestProcess('any', { ...carrier, startMs: 20_000 });
  started.push(worker);
  await worker.ready();
  expect(worker.gone).toBe(false);
});

test('an outcome counts even if it arrives after the end of the process is known', async () => {
  const [stream, guest] = duplexPair();
  let end: (how: ProcessEnd) => void = () => undefined;
  const ended = new Promise<ProcessEnd>((resolve) => {
    end = resolve;
  });
  const worker = openGuestProcess('any', { stream, ended, kill: () => undefined });
  const limits = { timeoutMs: 1_000, memoryBytes: 1, messageBytes: 1_000 };
  const bridge = { request: async () => ({ ok: true, payload: '' }), notice: () => undefined };
  const program = { guest: 'javascript', code: '', seed: 1, epochMs: 1 } as const;
  const running = worker.channel.run(program, { bridge, limits });
  const lost = new Promise<'lost'>((resolve) => worker.onGone(() => resolve('lost')));
  end({ code: 0, signal: null });
  setTimeout(() => guest.end(encodeFrame(FrameType.done, DoneStatus.completed, '1')), 50);
  expect([await Promise.race([running, lost]), await lost, worker.end?.code]).toEqual([
    { status: 'completed', value: '1' },
    'lost',
    0,
  ]);
});

test('a process whose memory has grown for a program runs no further one: the host ends it soon', async () => {
  const worker = start();
  await worker.ready();
  const outcome = await run(worker, 'export default () => { globalThis.kept = new Uint8Array(56 * 2 ** 20); }', 20_000);
  await new Promise<void>((gone) => worker.onGone(gone));
  expect(outcome.status).toBe('completed');
});

test('an outcome counts even if the host writes to a guest that has stopped, before it reads: its process waits to be ended', async () => {
  const worker = start();
  await worker.ready();
  const running = run(worker, 'export default () => { for (;;); }', 50);
  const lost = new Promise<'lost'>((resolve) => worker.onGone(() => resolve('lost')));
  await setImmediate();
  // A busy host: the guest reaches its limit long before the host's next turn.
  for (const until = performance.now() + 500; performance.now() < until; );
  worker.channel.setTime(0);
  expect(await Promise.race([running, lost])).toMatchObject({ status: 'stopped', limit: 'timeout' });
  expect(await lost).toBe('lost');
});
