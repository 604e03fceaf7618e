import { ToolwrightError } from '../errors.ts';
import type { Toolwright } from '../toolwright.ts';

/** Executions that clients have under way at once, those that wait for a sandbox included; more are refused. */
export const MAX_EXECUTIONS = 256;

/** Says what work is taken on, and knows what is under way: for refusing more than there is room for, and for ending. */
export interface Admission {
  /** Whether the server is about to stop and takes no new work. */
  readonly isDraining: boolean;
  /** Pieces of work under way. */
  readonly running: number;
  /** Does work that needs a place. Raises `BUSY` when all are taken, and `CLOSED` while draining. */
  admit<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for work that has its place elsewhere, when the server ends. */
  track(work: Promise<unknown>): void;
  /** Takes no more work from now on. */
  drain(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** Opens the door. */
export function createAdmission({ maxExecutions = MAX_EXECUTIONS }: { maxExecutions?: number } = {}): Admission {
  const works = new Set<Promise<unknown>>();
  let taken = 0;
  let isDraining = false;
  const track = (work: Promise<unknown>): void => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    works.add(settled);
    void settled.then(() => works.delete(settled));
  };
  return {
    get isDraining() {
      return isDraining;
    },
    get running() {
      return works.size;
    },
    async admit(work) {
      if (isDraining)
        throw new ToolwrightError('CLOSED', 'The server is about to stop and takes no new work. Try again.');
      if (taken >= maxExecutions) {
        const message = `${taken} executions are under way, which is all there is room for. Try again in a moment.`;
        throw new ToolwrightError('BUSY', message);
      }
      taken++;
      const done = work().finally(() => {
        taken--;
      });
      track(done);
      return done;
    },
    track,
    drain() {
      isDraining = true;
    },
    async idle() {
      while (works.size > 0) await Promise.all(works);
    },
  };
}

/** A Toolwright whose executions need a place. */
export function withAdmission(toolwright: Toolwright, admission: Admission): Toolwright {
  return { ...toolwright, execute: (source, options) => admission.admit(() => toolwright.execute(source, options)) };
}
