import type { Guard } from '@toolwright/pii/internal';
import type { LogLine } from '@toolwright/sandbox';

export interface OutboundOptions {
  readonly guard: Guard;
  readonly onLog?: ((line: LogLine) => void) | undefined;
  readonly onProgress?: ((value: unknown) => void) | undefined;
  readonly onCall?: ((call: CallStart) => void) | undefined;
}

/** A tool call that begins. */
interface CallStart {
  readonly number: number;
  readonly tool: string;
}

/** What a program tells while it runs, on its way to whoever listens: in order, and guarded as for a model. */
export interface Outbound {
  readonly log: (line: LogLine) => void;
  readonly progress: (value: unknown) => void;
  readonly call: (call: CallStart) => void;
  /** All log lines. Rejects when something could not be guarded: it was not told then, and nothing after it. */
  end(): Promise<readonly LogLine[]>;
}

type Told = LogLine | CallStart | { readonly value: unknown };

/** Values of progress that wait at once: while more come, the last one is always the newest. */
const MAX_PROGRESS = 1_000;

/** Guards many lines at once: what comes while some are being guarded waits for the next turn. */
export function createOutbound({ guard, onLog, onProgress, onCall }: OutboundOptions): Outbound {
  const lines: LogLine[] = [];
  let waiting: Told[] = [];
  let progressWaiting = 0;
  let newest = 0;
  let working: Promise<void> | undefined;

  const work = async () => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      progressWaiting = 0;
      for (const told of await guard.forModel(batch)) {
        if ('value' in told) onProgress?.(told.value);
        else if ('tool' in told) onCall?.(told);
        else {
          lines.push(told);
          onLog?.(told);
        }
      }
    }
    working = undefined;
  };
  const tell = (told: Told) => {
    waiting.push(told);
    if (working) return;
    working = work();
    working.catch(() => undefined);
  };
  return {
    log: tell,
    progress(value) {
      if (progressWaiting === MAX_PROGRESS) {
        waiting[newest] = { value };
        return;
      }
      progressWaiting++;
      newest = waiting.length;
      tell({ value });
    },
    call: tell,
    async end() {
      await working;
      return lines;
    },
  };
}
