import { channel } from 'node:diagnostics_channel';

/**
 * One thing that happens, which who does it tells and whoever wants to know listens to: a named channel of
 * `node:diagnostics_channel`, with its type. Neither side knows the other, and telling costs nothing where nobody
 * listens. Channels are those of the process: all Toolwrights of it are heard.
 */
export interface Topic<T> {
  publish(message: T): void;
  /** Hears all that is told from now on. Returns what ends that. A listener that throws is warned of, and harms nobody. */
  subscribe(listener: (message: T) => void): () => void;
}

/** Makes the topic of a channel name. */
export function topic<T>(name: string): Topic<T> {
  const target = channel(name);
  return {
    publish: (message) => target.publish(message),
    subscribe(listener) {
      // What Node does with an error of a listener is to end the process.
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

/** How full a pool of guests is. */
export interface PoolReport {
  /** The sandbox that has it. */
  readonly sandbox: string;
  readonly idle: number;
  readonly busy: number;
  /** Executions that wait for a guest. */
  readonly waiting: number;
}

/** A request for the state of all pools: each answers at once. */
export const poolsAsked: Topic<(report: PoolReport) => void> = topic('toolwright.pools.asked');
