import { duplexPair } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { DoneStatus, encodeFrame, FrameType } from '../bridge/protocol.ts';
import { type GuestProcess, openGuestProcess, spawnGuest } from './guest-process.ts';
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

test('a listener that was taken away is not held nor called: a process outlives many runs', async () => {
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

test('everyone who waits for a process is told when it is ready, or when it never will be', async () => {
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

test('what a guest told before it ended counts, even when the news of its end is read first', async () => {
  const [stream, guest] = duplexPair();
  const ended = Promise.resolve({ code: 0, signal: null });
  const worker = openGuestProcess('any', { stream, ended, kill: () => stream.destroy() });
  const gone = new Promise<void>((resolve) => void worker.onGone(resolve));
  const running = worker.channel.run(
    { guest: 'javascript', code: '', seed: 1, epochMs: 0 },
    {
      bridge: { request: () => Promise.resolve({ ok: true, payload: '' }), notice: () => undefined },
      limits: { timeoutMs: 1_000, memoryBytes: 1e7, messageBytes: 1_000 },
    },
  );
  await ended;
  expect([worker.gone, worker.end]).toEqual([true, undefined]);
  guest.end(encodeFrame(FrameType.done, DoneStatus.completed, '"told"'));
  const lost = gone.then(() => 'lost');
  expect(await Promise.race([running, lost])).toEqual({ status: 'completed', value: '"told"' });
  await gone;
  expect(worker.end).toEqual({ code: 0, signal: null });
});
