import type { Bus } from '@toolwright/storage/internal';
import type { CallEvent, CallEvents } from './listed-execution.ts';

/** Carries the calls of executions to the followers of all processes. Calls may be lost: a journal has them all. */
export interface CallRelay {
  /** Sends a call of this process. Cheap. */
  add(executionId: string, userId: string, event: CallEvent): void;
  /** Calls a function with calls of any process. Returns the function that ends this. */
  subscribe(listener: (events: CallEvents) => void): () => void;
}

const TOPIC = 'execution-calls';
/** Milliseconds for which calls are collected. */
const COLLECT_MS = 20;
const MAX_CALLS = { ofExecution: 100, executions: 500 };

/** Collects calls by their executions, as many as it may have. */
export function collectCalls() {
  let calls = new Map<string, { userId: string; calls: CallEvent[]; omitted: number }>();
  return {
    size: () => calls.size,
    add({ executionId, userId, calls: added, omitted = 0 }: CallEvents): void {
      const found = calls.get(executionId);
      if (!found && calls.size >= MAX_CALLS.executions) return;
      const own = found ?? { userId, calls: [], omitted: 0 };
      const kept = added.slice(0, MAX_CALLS.ofExecution - own.calls.length);
      own.calls.push(...kept);
      own.omitted += omitted + added.length - kept.length;
      calls.set(executionId, own);
    },
    take(): CallEvents[] {
      const taken = [...calls].map(([executionId, { omitted, ...rest }]) => ({
        executionId,
        ...rest,
        omitted: omitted > 0 ? omitted : undefined,
      }));
      calls = new Map();
      return taken;
    },
  };
}

/** Carries calls within this process. */
export function localCalls(): CallRelay {
  const listeners = new Set<(events: CallEvents) => void>();
  return {
    add(executionId, userId, event) {
      for (const listener of listeners) listener({ executionId, userId, calls: [event] });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Carries calls between the processes of a cluster. */
export function busCalls(bus: Bus): CallRelay {
  const collected = collectCalls();
  let isWaiting = false;
  const send = () => {
    isWaiting = false;
    bus.publish(TOPIC, JSON.stringify(collected.take()));
  };
  return {
    add(executionId, userId, event) {
      collected.add({ executionId, userId, calls: [event] });
      if (!isWaiting) setTimeout(send, COLLECT_MS).unref();
      isWaiting = true;
    },
    subscribe: (listener) =>
      bus.subscribe(TOPIC, (message) => {
        const events: CallEvents[] = JSON.parse(message);
        for (const each of events) listener(each);
      }),
  };
}
