import { ToolwrightError } from '@toolwright/core';
import type { WorkOutcome, WorkQueue } from '../queue/queue.ts';
import type { Channel, WorkEvent } from './channel.ts';
import type { WorkResult } from './requests.ts';

/** A caller that waits for the result of some work. */
export interface Following {
  /** Whether the work has just been submitted: no message can have the result of an earlier run. */
  readonly isNew: boolean;
  /** Receives the events that arrive: each of a type once, in their order. Some may be missing. */
  onEvent(event: WorkEvent): void;
  /** Receives the number of questions to the caller, when it has grown. */
  onAsked(asked: number): void;
}

/** The works whose results this process waits for. */
export interface Follower extends Disposable {
  /**
   * Receives the events of a work from now on. `outcome` resolves when the work has a result: it has ended, or waits. It rejects with
   * `UNKNOWN_EXECUTION` if its row was deleted, and with `CLOSED` when this process ends.
   */
  follow(id: string, following: Following): { outcome(): Promise<WorkOutcome>; end(): void };
}

interface Waiting extends Following {
  asked: number;
  /** Whether a result was reported before anyone waited for it. */
  isReported: boolean;
  settle: ((outcome: WorkOutcome | ToolwrightError) => void) | undefined;
}

/** Milliseconds between two looks at the rows: with messages of other processes, and without. */
const LOOK_MS = { withMessages: 1_000, alone: 100 };
/** Works per query. */
const MAX_IDS = 500;

/** Creates the follower of a process. All its callers share one query per look. */
export function createFollower(queue: Pick<WorkQueue, 'outcomes'>, channel: Channel): Follower {
  const waiting = new Map<string, Waiting>();
  const isRead = new Set<string>();
  let isReading = false;
  let timer: NodeJS.Timeout | undefined;

  const settle = (id: string, outcome: WorkOutcome | undefined) => {
    const found = waiting.get(id);
    if (!found?.settle) return;
    if (!outcome) return found.settle(unknownWork(id));
    if (outcome.asked > found.asked) {
      found.asked = outcome.asked;
      found.onAsked(outcome.asked);
    }
    if (hasResult(outcome)) found.settle(outcome);
  };
  const readAll = async () => {
    // Callers of the same turn share a query.
    await Promise.resolve();
    while (isRead.size > 0) {
      const ids = [...isRead].slice(0, MAX_IDS);
      for (const id of ids) isRead.delete(id);
      const outcomes = new Map((await queue.outcomes(ids)).map((outcome) => [outcome.id, outcome]));
      for (const id of ids) settle(id, outcomes.get(id));
    }
  };
  const look = (ids: Iterable<string>) => {
    for (const id of ids) isRead.add(id);
    if (isReading || isRead.size === 0) return;
    isReading = true;
    // While the storage does not answer, the next look tries again.
    void readAll()
      .catch(() => undefined)
      .finally(() => {
        isReading = false;
        look([]);
      });
  };
  const lookAtAll = () => look([...waiting].filter(([, { settle: isWaiting }]) => isWaiting).map(([id]) => id));
  const start = () => {
    timer ??= setInterval(lookAtAll, channel.isShared ? LOOK_MS.withMessages : LOOK_MS.alone);
  };
  channel.onEvent((id, event) => {
    const own = waiting.get(id);
    if (event.type !== 'result') own?.onEvent(event);
    else if (own && !takesResult(own, id, event.ended)) look([id]);
  });
  channel.onGap(lookAtAll);
  return {
    follow(id, following) {
      if (waiting.has(id))
        throw new ToolwrightError('EXECUTION_RUNNING', `Another caller waits for execution ${id} here.`);
      const own: Waiting = { ...withoutRepeats(following), asked: 0, isReported: false, settle: undefined };
      waiting.set(id, own);
      start();
      return {
        outcome: () =>
          new Promise((resolve, reject) => {
            own.settle = (outcome) => {
              own.settle = undefined;
              if (outcome instanceof ToolwrightError) reject(outcome);
              else resolve(outcome);
            };
            if (!channel.isShared || own.isReported) look([id]);
          }),
        end() {
          waiting.delete(id);
          if (waiting.size > 0) return;
          clearInterval(timer);
          timer = undefined;
        },
      };
    },
    [Symbol.dispose]() {
      for (const [id, { settle: end }] of waiting) end?.(closed(id));
      waiting.clear();
      clearInterval(timer);
    },
  };
}

function hasResult({ state, result }: WorkOutcome): boolean {
  return state === 'ended' || (state === 'waiting' && result !== undefined);
}

/** Passes the result of a message to its caller. Returns false for a result that must be read from its row. */
function takesResult(own: Waiting, id: string, ended: WorkResult | undefined): boolean {
  if (!own.settle) {
    own.isReported = true;
    return true;
  }
  if (ended === undefined || !own.isNew) return false;
  own.settle({ id, state: 'ended', isCancelled: false, asked: own.asked, result: ended });
  return true;
}

/** A worker that continues an execution sends its past events again. */
function withoutRepeats({ isNew, onEvent, onAsked }: Following): Following {
  const seen = new Map<string, number>();
  return {
    isNew,
    onAsked,
    onEvent(event) {
      if ('index' in event) {
        if (event.index <= (seen.get(event.type) ?? 0)) return;
        seen.set(event.type, event.index);
      }
      onEvent(event);
    },
  };
}

function unknownWork(id: string): ToolwrightError {
  return new ToolwrightError(
    'UNKNOWN_EXECUTION',
    `There is no execution "${id}". It was deleted while its caller waited.`,
  );
}

function closed(id: string): ToolwrightError {
  const message = `This process ends. Execution ${id} goes on: read it by its id from another process.`;
  return new ToolwrightError('CLOSED', message);
}
