import type { Dispatcher } from './dispatcher.ts';

interface Listener {
  readonly onReady: () => Promise<void>;
  isPaused: boolean;
}

/** The longest delay of a timer of Node, in milliseconds. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Creates a dispatcher for the workers of this process. Workers of other processes find the work when they look at the queue. */
export function memoryDispatcher(): Dispatcher {
  const listeners = new Set<Listener>();
  const timers = new Set<NodeJS.Timeout>();
  const report = () => {
    const listener = [...listeners].find(({ isPaused }) => !isPaused);
    if (!listener) return;
    // The listeners take turns.
    listeners.delete(listener);
    listeners.add(listener);
    void listener.onReady().catch(() => undefined);
  };
  return {
    name: 'memory',
    isConnected: true,
    notify(work) {
      for (const { delayMs = 0 } of work) {
        if (delayMs <= 0) setImmediate(report);
        else if (delayMs <= MAX_DELAY_MS) {
          const timer = setTimeout(() => {
            timers.delete(timer);
            report();
          }, delayMs).unref();
          timers.add(timer);
        }
      }
    },
    listen(onReady) {
      const listener: Listener = { onReady, isPaused: false };
      listeners.add(listener);
      return {
        pause() {
          listener.isPaused = true;
        },
        resume() {
          listener.isPaused = false;
        },
        close: async () => void listeners.delete(listener),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      listeners.clear();
    },
  };
}
