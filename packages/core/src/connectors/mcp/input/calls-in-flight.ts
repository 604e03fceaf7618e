import type { InputOptions } from '../../input.ts';
import type { CallClock } from './call-clock.ts';

/** A call that is under way on a connection. */
export interface CallInFlight {
  readonly clock: Pick<CallClock, 'pauseFor' | 'fail' | 'signal'>;
  readonly onInput: InputOptions['onInput'];
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
      if (signal.aborted) next();
      signal.throwIfAborted();
    }
    calls.add(call);
  };
  const next = () => waiting.shift()?.();
  return {
    enter(call) {
      if (isSerial && calls.size > 0) return call.clock.pauseFor(() => turn(call));
      calls.add(call);
      return undefined;
    },
    leave(call) {
      calls.delete(call);
      if (calls.size === 0) next();
    },
    only: () => (calls.size === 1 ? [...calls][0] : undefined),
    count: () => calls.size,
    serialize() {
      isSerial = true;
    },
  };
}
