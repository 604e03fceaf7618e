/** One line that the guest logged. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

const LEVELS: readonly unknown[] = ['debug', 'info', 'warn', 'error'] satisfies LogLine['level'][];

/** Collects a guest's log lines up to a number of bytes; what is over it is dropped and counted. */
export interface GuestLog {
  readonly lines: readonly LogLine[];
  /** Takes whatever the guest sent as level and text. */
  add(level: unknown, text: unknown): void;
  dropped(): number;
}

/** Makes the log of one execution; `onLine` hears every line that was kept. */
export function createGuestLog(maxBytes: number, onLine?: (line: LogLine) => void): GuestLog {
  const lines: LogLine[] = [];
  let kept = 0;
  let dropped = 0;
  return {
    lines,
    add(level, text) {
      const line = { level: (LEVELS.includes(level) ? level : 'info') as LogLine['level'], text: String(text) };
      // The line's end counts too, or empty lines would be free.
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
