import type { InputOptions } from '../../input.ts';
import type { CallClock } from './call-clock.ts';

/** A call that is under way on a connection. */
export interface CallInFlight {
  readonly clock: CallClock;
  readonly onInput: InputOptions['onInput'];
  readonly userId: string | undefined;
  /** The questions of the server during this call. */
  questions: number;
}

/** The calls that are under way on the connections of one server. */
export interface CallsInFlight {
  /** Adds a call. Waits for its turn if the server gets one call at a time. Raises the reason of the signal. */
  enter(call: CallInFlight): Promise<void> | undefined;
  leave(call: CallInFlight): void;
  /** Returns the only call that is under way; undefined if there is none, or more than one. */
  only(): CallInFlight | undefined;
  /**
   * Resolves to the only call that is under way, when the others have ended: a call that asks cannot end before. Resolves to nothing when
   * they belong to several users, when all of them ask, and when the signal aborts.
   */
  whenOnly(signal: AbortSignal): Promise<CallInFlight | undefined>;
  count(): number;
  /** From now on, the server gets one call at a time. */
  serialize(): void;
}

/**
 * Creates the calls of one server. Questions of servers before 2026-07-28 do not name their call. A server that asks gets one call at
 * a time, so that no question reaches another user.
 */
export function createCallsInFlight(): CallsInFlight {
  const calls = new Set<CallInFlight>();
  const waiting: (() => void)[] = [];
  /** The questions that wait for the end of other calls. */
  const kept = new Set<(call: CallInFlight | undefined) => void>();
  const only = () => (calls.size === 1 ? [...calls][0] : undefined);
  const lookAtKept = () => {
    if (calls.size > 1 && kept.size < calls.size) return;
    for (const settle of [...kept]) settle(only());
  };
  let isSerial = false;
  const turn = async (call: CallInFlight): Promise<void> => {
    const { signal } = call.clock;
    while (calls.size > 0) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.push(wake);
        signal.addEventListener('abort', wake);
      });
      // It may have got the turn of another call.
      if (signal.aborted) waiting.shift()?.();
      signal.throwIfAborted();
    }
    calls.add(call);
  };
  return {
    enter(call) {
      if (isSerial && calls.size > 0) return call.clock.pauseFor(() => turn(call));
      calls.add(call);
      return undefined;
    },
    leave(call) {
      calls.delete(call);
      if (kept.size > 0) lookAtKept();
      if (calls.size === 0) waiting.shift()?.();
    },
    only,
    whenOnly(signal) {
      const users = new Set([...calls].map(({ userId }) => userId));
      if (calls.size < 2 || users.size > 1 || signal.aborted) return Promise.resolve(only());
      return new Promise((resolve) => {
        const settle = (call: CallInFlight | undefined) => {
          kept.delete(settle);
          resolve(call);
        };
        kept.add(settle);
        signal.addEventListener('abort', () => settle(undefined), { once: true });
        lookAtKept();
      });
    },
    count: () => calls.size,
    serialize() {
      isSerial = true;
    },
  };
}
