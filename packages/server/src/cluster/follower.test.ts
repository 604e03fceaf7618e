import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { WorkOutcome } from '../queue/queue.ts';
import type { Channel, WorkEvent } from './channel.ts';
import { createFollower } from './follower.ts';

const ID = '7a3d1c52-6f0b-4d0e-9b2a-0c1d2e3f4a5b';
const SENT: WorkEvent = { type: 'result', ended: { value: 'sent' } };

const stack: Disposable[] = [];
afterEach(() => {
  for (const follower of stack.splice(0)) follower[Symbol.dispose]();
});

/** Opens a follower whose messages a test sends, over rows that always have a result. */
function openFollower(isNew: boolean) {
  let send: (id: string, event: WorkEvent) => void = () => undefined;
  const nothing = () => undefined;
  const channel: Channel = {
    address: 'here',
    isShared: true,
    send: nothing,
    cancel: nothing,
    onEvent(listener) {
      send = listener;
      return nothing;
    },
    onCancel: () => nothing,
    onGap: () => nothing,
    [Symbol.dispose]: nothing,
  };
  let reads = 0;
  const outcomes = async (ids: readonly string[]) => {
    reads++;
    return ids.map(
      (id): WorkOutcome => ({ id, state: 'ended', isCancelled: false, asked: 0, result: { value: 'row' } }),
    );
  };
  const follower = createFollower({ outcomes }, channel);
  stack.push(follower);
  const following = follower.follow(ID, { isNew, onEvent: () => undefined, onAsked: () => undefined });
  return { ...following, send: (event: WorkEvent) => send(ID, event), reads: () => reads };
}

it('takes the result of a message without a look at the row', async () => {
  const { outcome, send, reads } = openFollower(true);
  const waiting = outcome();
  send(SENT);
  expect((await waiting).result).toEqual({ value: 'sent' });
  expect(reads()).toBe(0);
});

it('reads the row after a message without the result, and for work that may have an earlier one', async () => {
  for (const [isNew, event] of [
    [true, { type: 'result' }],
    [false, SENT],
  ] as const) {
    const { outcome, send } = openFollower(isNew);
    const waiting = outcome();
    send(event);
    expect((await waiting).result).toEqual({ value: 'row' });
  }
});

it('reads the row at once when the message came before anyone waited', async () => {
  // The regular look at the rows never comes.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { outcome, send } = openFollower(true);
  send(SENT);
  expect((await outcome()).result).toEqual({ value: 'row' });
});
