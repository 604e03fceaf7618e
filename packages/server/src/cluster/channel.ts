import { randomUUID } from 'node:crypto';
import type { Bus } from '@toolwright/storage/internal';
import type { WorkResult } from './requests.ts';

/** An event of running work, for the process whose caller waits. `index` counts the events of a type in one run, from 1. */
export type WorkEvent =
  | { readonly type: 'log' | 'progress' | 'call'; readonly index: number; readonly data: unknown }
  | { readonly type: 'question' }
  /** The row has a result. `ended` is that of work that has ended, if it is small. */
  | { readonly type: 'result'; readonly ended?: WorkResult };

/** The messages of a cluster about work, over its bus. All of them may be lost. */
export interface Channel extends Disposable {
  /** The address of this process. */
  readonly address: string;
  /** Whether the messages of other processes arrive. */
  readonly isShared: boolean;
  send(address: string, id: string, event: WorkEvent): void;
  onEvent(listener: (id: string, event: WorkEvent) => void): () => void;
  /** Asks the worker of a work to cancel it. */
  cancel(id: string): void;
  onCancel(listener: (id: string) => void): () => void;
  /** Calls a listener after messages may have been lost. */
  onGap(listener: () => void): () => void;
}

const CANCEL_TOPIC = 'work.cancel';

/** Opens the messages of this process. */
export function openChannel(bus: Bus): Channel {
  const address = randomUUID();
  const ends: (() => void)[] = [];
  const keep = (end: () => void) => {
    ends.push(end);
    return end;
  };
  const topicOf = (process: string) => `work.to.${process}`;
  return {
    address,
    isShared: bus.name !== 'memory',
    send(to, id, event) {
      bus.publish(topicOf(to), JSON.stringify([id, event]));
    },
    onEvent: (listener) =>
      keep(
        bus.subscribe(topicOf(address), (message) => {
          const [id, event]: [string, WorkEvent] = JSON.parse(message);
          listener(id, event);
        }),
      ),
    cancel: (id) => bus.publish(CANCEL_TOPIC, id),
    onCancel: (listener) => keep(bus.subscribe(CANCEL_TOPIC, listener)),
    onGap: (listener) => keep(bus.onGap(listener)),
    [Symbol.dispose]() {
      for (const end of ends) end();
    },
  };
}
