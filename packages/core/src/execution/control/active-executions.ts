import { ToolwrightError } from '../../errors.ts';

/** The running executions of a Toolwright. */
export interface ActiveExecutions {
  /** Starts work that its caller's signal, or {@link cancelAll}, cancels. */
  run<T>(signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>, executionId?: string): Promise<T>;
  /** Cancels one execution. Returns false when it does not run here. */
  cancel(executionId: string): boolean;
  /** Raises `CLOSED` after {@link cancelAll}. */
  requireOpen(): void;
  /** Cancels all work. The returned promise resolves when all of it has ended. */
  cancelAll(): Promise<unknown>;
}

/** Creates the register of running executions. */
export function createActiveExecutions(): ActiveExecutions {
  const active = new Map<AbortController, Promise<unknown>>();
  const byId = new Map<string, AbortController>();
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
      const work = start(ending.signal);
      active.set(ending, work);
      if (executionId !== undefined) byId.set(executionId, ending);
      return work.finally(() => {
        active.delete(ending);
        if (executionId !== undefined) byId.delete(executionId);
        signal?.removeEventListener('abort', cancel);
      });
    },
    cancel(executionId) {
      byId.get(executionId)?.abort();
      return byId.has(executionId);
    },
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
