import { fdatasync } from 'node:fs';
import { promisify } from 'node:util';
import { ToolwrightError } from './errors.ts';

/**
 * When an entry of a journal is safe before the next effect. `process`: when the operating system has it, so that it survives a crash of
 * the process. `fsync`: when the disk has it, so that it survives a power cut.
 */
export type Durability = (typeof DURABILITIES)[number];

export const DURABILITIES = ['process', 'fsync'] as const;

/** Waits for the disk. */
export interface Flusher {
  /** Resolves when the disk has every write before. Calls at one time share one wait. */
  flushed(): Promise<void>;
  /** Raises the error of a wait that failed. The operating system may have dropped data, and another wait would not notice. */
  check(): void;
}

/** Creates the flusher of an open file. */
export function createFlusher(file: number, sync: (file: number) => Promise<void> = promisify(fdatasync)): Flusher {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failure: ToolwrightError | undefined;
  const check = () => {
    if (failure) throw failure;
  };
  const start = async () => {
    check();
    try {
      await sync(file);
    } catch (cause) {
      const message = `The disk of the data folder did not confirm a journal: ${(cause as Error).message}. Check the disk, then run the program again.`;
      failure = new ToolwrightError('JOURNAL_UNSAFE', message, { cause });
      throw failure;
    }
  };
  const run = () => {
    const own = start().finally(() => {
      if (running === own) running = undefined;
    });
    running = own;
    return own;
  };
  return {
    check,
    flushed() {
      if (!running) return run();
      // The running wait may have begun before the last entry.
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return run();
        });
      return next;
    },
  };
}
