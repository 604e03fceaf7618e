import { channel } from 'node:diagnostics_channel';

/**
 * A typed event: a named channel of `node:diagnostics_channel`. Publishers and subscribers do not know each other, and an event
 * without subscribers costs nothing. Channels are global to the process, so subscribers receive the events of all instances.
 */
export interface Topic<T> {
  publish(message: T): void;
  /** Adds a listener and returns a function that removes it. An error of the listener becomes a process warning. */
  subscribe(listener: (message: T) => void): () => void;
}

/** Creates the topic for a channel name. */
export function topic<T>(name: string): Topic<T> {
  const target = channel(name);
  return {
    publish: (message) => target.publish(message),
    subscribe(listener) {
      // Node ends the process on an error of a listener.
      const safeSubscriber = (message: unknown) => {
        try {
          listener(message as T);
        } catch (error) {
          process.emitWarning(error instanceof Error ? error : String(error));
        }
      };
      target.subscribe(safeSubscriber);
      return () => void target.unsubscribe(safeSubscriber);
    },
  };
}

/** The load of a pool of guests. */
export interface PoolReport {
  /** Name of the sandbox. */
  readonly sandbox: string;
  readonly idle: number;
  readonly busy: number;
  /** Executions that wait for a guest. */
  readonly waiting: number;
}

/** Requests the load of all pools; each calls the function synchronously. */
export const poolsAsked: Topic<(report: PoolReport) => void> = topic('toolwright.pools.asked');
