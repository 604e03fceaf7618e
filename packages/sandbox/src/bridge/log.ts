/** One line that the guest logged. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

const LEVELS: readonly unknown[] = ['debug', 'info', 'warn', 'error'] satisfies LogLine['level'][];

/** Collects a guest's log lines up to a number of bytes. Further lines are dropped and counted. */
export interface GuestLog {
  readonly lines: readonly LogLine[];
  /** Adds a line. Level and text come unchecked from the guest. */
  add(level: unknown, text: unknown): void;
  /** Returns the bytes of dropped lines. */
  dropped(): number;
}

/** Creates the log of one execution. Calls `onLine` with each kept line. */
export function createGuestLog(maxBytes: number, onLine?: (line: LogLine) => void): GuestLog {
  const lines: LogLine[] = [];
  let kept = 0;
  let dropped = 0;
  return {
    lines,
    add(level, text) {
      const line = { level: (LEVELS.includes(level) ? level : 'info') as LogLine['level'], text: String(text) };
      // Counts the line break too: otherwise empty lines would be unlimited.
      const bytes = Buffer.byteLength(line.text) + 1;
      if (kept + bytes > maxBytes) {
        dropped += bytes;
        return;
      }
      kept += bytes;
      lines.push(line);
      onLine?.(line);
    },
    dropped: () => dropped,
  };
}
