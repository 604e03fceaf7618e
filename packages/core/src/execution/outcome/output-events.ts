import type { Redactor } from '@toolwright/pii/internal';
import type { LogLine } from '@toolwright/sandbox';

export interface OutputEventsOptions {
  readonly redactor: Redactor;
  readonly onLog?: ((line: LogLine) => void) | undefined;
  readonly onProgress?: ((value: unknown) => void) | undefined;
  readonly onCall?: ((call: CallStart) => void) | undefined;
}

/** A tool call that starts. */
interface CallStart {
  readonly number: number;
  readonly tool: string;
}

/** Logs, progress and tool calls of a running program, redacted and passed to listeners in order. */
export interface OutputEvents {
  readonly log: (line: LogLine) => void;
  readonly progress: (value: unknown) => void;
  /** Present if somebody listens. */
  readonly call: ((call: CallStart) => void) | undefined;
  /** Returns whether the program has logged a line. */
  hasLogs(): boolean;
  /** Returns all log lines. Rejects if an event could not be redacted; that event and all later ones were withheld. */
  end(): Promise<readonly LogLine[]>;
}

type OutputEvent = LogLine | CallStart | { readonly value: unknown };

/** Progress values that wait at once; further values replace the newest waiting one. */
const MAX_PROGRESS = 1_000;

/** Creates the events of one execution. Events that arrive during a redaction are redacted together in the next turn. */
export function createOutputEvents({ redactor, onLog, onProgress, onCall }: OutputEventsOptions): OutputEvents {
  const lines: LogLine[] = [];
  let waiting: OutputEvent[] = [];
  let progressWaiting = 0;
  let newest = 0;
  let working: Promise<void> | undefined;
  let hasLogs = false;

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
    log(line) {
      hasLogs = true;
      enqueue(line);
    },
    hasLogs: () => hasLogs,
    progress(value) {
      if (progressWaiting === MAX_PROGRESS) {
        waiting[newest] = { value };
        return;
      }
      progressWaiting++;
      newest = waiting.length;
      enqueue({ value });
    },
    call: onCall && enqueue,
    async end() {
      await working;
      return lines;
    },
  };
}
