import type { LogLine } from '@toolwright/sandbox';
import { ToolwrightError } from '../../errors.ts';

/** Log lines of a running execution that are kept for those who look at it. */
const MAX_LINES = 500;

/** Receives the redacted log lines of a program while it runs. */
export type LogListener = (line: LogLine) => void;

/** The running executions of a Toolwright. */
export interface ActiveExecutions {
  /** Starts work that its caller's signal, or {@link cancelAll}, cancels. `start` also gets a listener for its redacted log lines. */
  run<T>(
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal, onLog: LogListener) => Promise<T>,
    executionId?: string,
  ): Promise<T>;
  /** Returns the last 500 log lines of an execution; undefined when it does not run here. */
  logs(executionId: string): readonly LogLine[] | undefined;
  /** Cancels one execution. Returns false when it does not run here. */
  cancel(executionId: string): boolean;
  /** Returns whether no work runs. */
  isIdle(): boolean;
  /** Raises `CLOSED` after {@link cancelAll}. */
  requireOpen(): void;
  /** Cancels all work. The returned promise resolves when all of it has ended. */
  cancelAll(): Promise<unknown>;
}

/** Joins the listener of a caller and another one. The caller's is the last: it may raise an error. */
export function bothListeners(first: LogListener, second: LogListener | undefined): LogListener {
  return (line) => {
    first(line);
    second?.(line);
  };
}

/** Creates the register of running executions. */
export function createActiveExecutions(): ActiveExecutions {
  const active = new Map<AbortController, Promise<unknown>>();
  const byId = new Map<string, { readonly ending: AbortController; readonly lines: LogLine[] }>();
  let isClosed = false;
  const cancelRunning = () => {
    for (const ending of active.keys()) ending.abort();
  };
  return {
    async run(signal, start, executionId) {
      const ending = new AbortController();
      const cancel = () => ending.abort();
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      const lines: LogLine[] = [];
      const work = start(ending.signal, (line) => {
        lines.push(line);
        if (lines.length > MAX_LINES) lines.shift();
      });
      active.set(ending, work);
      if (executionId !== undefined) byId.set(executionId, { ending, lines });
      return work.finally(() => {
        active.delete(ending);
        if (executionId !== undefined) byId.delete(executionId);
        signal?.removeEventListener('abort', cancel);
      });
    },
    cancel(executionId) {
      byId.get(executionId)?.ending.abort();
      return byId.has(executionId);
    },
    isIdle: () => active.size === 0,
    logs: (executionId) => byId.get(executionId)?.lines,
    requireOpen() {
      if (isClosed) throw new ToolwrightError('CLOSED', 'This Toolwright is closed. Create a new one.');
    },
    cancelAll() {
      isClosed = true;
      cancelRunning();
      return Promise.allSettled(active.values());
    },
  };
}
