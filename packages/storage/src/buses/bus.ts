/**
 * Short messages between the processes of one cluster. A message may be lost, for instance while Redis restarts, and may arrive twice: it only
 * reports that durable state has changed. Each reader also looks at that state from time to time.
 */
export interface Bus extends AsyncDisposable {
  /** Shown in errors: `memory`, `postgres`, `redis`. */
  readonly name: string;
  /** Sends a message to the listeners of a topic in all processes, also in this one. Never throws. */
  publish(topic: string, message: string): void;
  /** Calls a listener with each message of a topic. Returns the function that ends this. */
  subscribe(topic: string, listener: (message: string) => void): () => void;
  /** Calls a listener after messages may have been lost: when the connection is back. Returns the function that ends this. */
  onGap(listener: () => void): () => void;
}

/** The listeners of this process, by topic. */
export interface Listeners {
  /** Returns whether the topic had no listener before. */
  add(topic: string, listener: (message: string) => void): boolean;
  /** Returns whether the topic has no listener any more. */
  remove(topic: string, listener: (message: string) => void): boolean;
  deliver(topic: string, message: string): void;
  clear(): void;
}

/** Creates the listeners of one bus. A listener that throws does not stop the others. */
export function createListeners(): Listeners {
  const listeners = new Map<string, Set<(message: string) => void>>();
  return {
    add(topic, listener) {
      const known = listeners.get(topic);
      if (known) known.add(listener);
      else listeners.set(topic, new Set([listener]));
      return known === undefined;
    },
    remove(topic, listener) {
      const known = listeners.get(topic);
      if (!known?.delete(listener) || known.size > 0) return false;
      listeners.delete(topic);
      return true;
    },
    deliver(topic, message) {
      for (const listener of [...(listeners.get(topic) ?? [])]) {
        try {
          listener(message);
        } catch {
          // The listener finds the change with its next look at the durable state.
        }
      }
    },
    clear: () => listeners.clear(),
  };
}
