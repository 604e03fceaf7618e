import type { Redactor } from '@toolwright/pii/internal';
import type { LogLine } from '@toolwright/sandbox';

export interface OutputEventsOptions {
  readonly redactor: Redactor;
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
export interface OutputEvents {
  readonly log: (line: LogLine) => void;
  readonly progress: (value: unknown) => void;
  readonly call: (call: CallStart) => void;
  /** All log lines. Rejects when something could not be guarded: it was not told then, and nothing after it. */
  end(): Promise<readonly LogLine[]>;
}

type OutputEvent = LogLine | CallStart | { readonly value: unknown };

/** Values of progress that wait at once: while more come, the last one is always the newest. */
const MAX_PROGRESS = 1_000;

/** Guards many lines at once: what comes while some are being guarded waits for the next turn. */
export function createOutputEvents({ redactor, onLog, onProgress, onCall }: OutputEventsOptions): OutputEvents {
  const lines: LogLine[] = [];
  let waiting: OutputEvent[] = [];
  let progressWaiting = 0;
  let newest = 0;
  let working: Promise<void> | undefined;

  const work = async () => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      progressWaiting = 0;
      for (const event of await redactor.redact(batch)) {
        if ('value' in event) onProgress?.(event.value);
        else if ('tool' in event) onCall?.(event);
        else {
          lines.push(event);
          onLog?.(event);
        }
      }
    }
    working = undefined;
  };
  const enqueue = (event: OutputEvent) => {
    waiting.push(event);
    if (working) return;
    working = work();
    working.catch(() => undefined);
  };
  return {
    log: enqueue,
    progress(value) {
      if (progressWaiting === MAX_PROGRESS) {
        waiting[newest] = { value };
        return;
      }
      progressWaiting++;
      newest = waiting.length;
      enqueue({ value });
    },
    call: enqueue,
    async end() {
      await working;
      return lines;
    },
  };
}
