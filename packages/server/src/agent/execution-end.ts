import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionRecord, type Executions, type PendingQuestion, ToolwrightError } from '@toolwright/core';

export interface ExecutionEndOptions {
  readonly executions: Pick<Executions, 'get' | 'questions' | 'resume' | 'cancel' | 'continueExecutions'>;
  readonly userId: string;
  /** Ends the wait. The execution is cancelled, unless the process of the task ends. */
  readonly signal: AbortSignal;
  /** Called when the execution waits, and again when it waits for something else. */
  readonly onWaiting: (wait: ExecutionWait) => void;
}

/** The questions and the time for which an execution waits. */
export interface ExecutionWait {
  readonly waitingFor: readonly string[];
  readonly questions: readonly PendingQuestion[];
  readonly wakeAt?: string;
}

/** Milliseconds between two looks at an execution. */
const LOOK_MS = 250;

/**
 * Waits for the end of an execution that is suspended, or that a crash interrupted: it goes on from its journal. Returns its record,
 * or `undefined` when it cannot go on. Rejects with the reason of the signal.
 */
export async function executionEnd(id: string, options: ExecutionEndOptions): Promise<ExecutionRecord | undefined> {
  const { executions, userId, signal, onWaiting } = options;
  using _continuing = executions.continueExecutions();
  let shown = '';
  for (;;) {
    const record = await executions.get(id, userId);
    if (record.status === 'interrupted' && !(await continues(id, options))) return undefined;
    if (record.status === 'suspended') {
      const { waitingFor = [], wakeAt } = record;
      const wait = { waitingFor, questions: await executions.questions(id, userId), ...(wakeAt ? { wakeAt } : {}) };
      if (JSON.stringify(wait) !== shown) onWaiting(wait);
      shown = JSON.stringify(wait);
    } else if (record.status !== 'running' && record.status !== 'interrupted') return record;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) continue;
    if (signal.reason !== 'interrupted') await executions.cancel(id, userId).catch(() => undefined);
    throw signal.reason;
  }
}

/** Continues an interrupted execution. Returns false if it cannot be continued. */
async function continues(id: string, { executions, userId, signal }: ExecutionEndOptions): Promise<boolean> {
  try {
    await executions.resume(id, { userId, signal });
    return true;
  } catch (error) {
    // Another process continues it.
    return error instanceof ToolwrightError && ['EXECUTION_RUNNING', 'EXECUTION_ENDED'].includes(error.code);
  }
}
