import type { RunningGuest } from '@toolwright/sandbox';
import type { RecordedReply } from '../../journal/recording/recording.ts';

/** The recorded answers of a fork, which its program receives in the recorded order. */
export interface ForkAnswers {
  /** Returns the first answer that fits and that no request has; undefined if there is none. */
  take(fits: (reply: RecordedReply) => boolean): RecordedReply | undefined;
  /** Resolves when it is the turn of an answer. */
  turn(reply: RecordedReply): Promise<void>;
  /** Names the guest, which knows whether its program only waits. */
  watch(guest: RunningGuest): void;
}

/**
 * Creates the answers of a fork. An answer waits for those before it, as long as the program may still ask for them: a changed program
 * may make fewer requests.
 */
export function createForkAnswers(replies: readonly RecordedReply[]): ForkAnswers {
  /** Answers that no request has. */
  const free = [...replies];
  /** Answers that are not delivered, in the recorded order. */
  const left = new Set(replies);
  const waiting = new Map<RecordedReply, () => void>();
  let guest: RunningGuest | undefined;
  let looks = 0;

  const release = (reply: RecordedReply) => {
    const resolve = waiting.get(reply);
    waiting.delete(reply);
    left.delete(reply);
    resolve?.();
  };
  const look = () => {
    for (const reply of left) {
      if (!waiting.has(reply)) break;
      release(reply);
    }
    const own = ++looks;
    if (waiting.size === 0) return;
    void guest?.whenIdle().then(() => {
      const next = [...left].find((reply) => waiting.has(reply));
      if (own !== looks || !next) return;
      release(next);
      look();
    });
  };
  return {
    take(fits) {
      const index = free.findIndex(fits);
      return index === -1 ? undefined : free.splice(index, 1)[0];
    },
    turn(reply) {
      if (reply.request === 0) {
        // The program stands still until it has the module.
        left.delete(reply);
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        waiting.set(reply, resolve);
        look();
      });
    },
    watch(running) {
      guest = running;
    },
  };
}
