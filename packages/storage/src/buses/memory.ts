import { type Bus, createListeners } from './bus.ts';

/** Creates a bus for one process. Messages arrive in a later turn, like those of other processes. */
export function memoryBus(): Bus {
  const listeners = createListeners();
  return {
    name: 'memory',
    publish: (topic, message) => void setImmediate(() => listeners.deliver(topic, message)),
    subscribe(topic, listener) {
      // The same function may subscribe twice.
      const own = (message: string) => listener(message);
      listeners.add(topic, own);
      return () => void listeners.remove(topic, own);
    },
    onGap: () => () => undefined,
    async [Symbol.asyncDispose]() {
      listeners.clear();
    },
  };
}
