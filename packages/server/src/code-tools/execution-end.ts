import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionRecord, type Executions, type PendingQuestion, ToolwrightError } from '@toolwright/core';

/** The executions of a user. */
interface ExecutionSource {
  readonly executions: Executions;
  readonly userId: string;
}

/** The executions of a user, and the listener for their waits. */
interface QuestionWatchOptions extends ExecutionSource {
  /** Called with each look at the wait of the execution; `undefined` while it goes on. */
  readonly onWait: (wait: ExecutionWait | undefined) => void;
}

export interface ExecutionEndOptions extends QuestionWatchOptions {
  /** Ends the wait. The execution is cancelled, unless the process of the task ends. */
  readonly signal: AbortSignal;
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
  const { executions, userId, signal, onWait } = options;
  using _continuing = executions.continueExecutions();
  for (;;) {
    const record = await executions.get(id, userId);
    if (record.status === 'interrupted' && !(await continues(id, options))) return undefined;
    const isOpen = ['suspended', 'running', 'interrupted'].includes(record.status);
    onWait(isOpen ? await waitOf(record, options) : undefined);
    if (!isOpen) return record;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) continue;
    if (signal.reason !== 'interrupted') await executions.cancel(id, userId).catch(() => undefined);
    throw signal.reason;
  }
}

async function waitOf(
  { id, status, waitingFor = [], wakeAt }: ExecutionRecord,
  { executions, userId }: ExecutionSource,
): Promise<ExecutionWait | undefined> {
  if (status === 'suspended') {
    return { waitingFor, questions: await executions.questions(id, userId), wakeAt: wakeAt || undefined };
  }
  // The index knows whether a program waits in memory: its journal may be long.
  const { executions: asking } = await executions.find({ id, userId, hasQuestions: true, limit: 1 });
  return asking.length === 0 ? undefined : questionsOf(id, { executions, userId });
}

async function questionsOf(id: string, { executions, userId }: ExecutionSource): Promise<ExecutionWait | undefined> {
  const questions = await executions.questions(id, userId);
  if (questions.length === 0) return undefined;
  return { waitingFor: [...new Set(questions.map(({ kind }) => kind))], questions };
}

/** Looks at the questions of an execution that runs here, from `begin` on until none is open. */
export interface QuestionWatch extends Disposable {
  begin(): void;
}

/** Creates a watch for an execution that waits in memory for a person. */
export function watchQuestions(id: string, { onWait, ...options }: QuestionWatchOptions): QuestionWatch {
  const ended = new AbortController();
  const { signal } = ended;
  let isLooking = false;
  const look = async () => {
    for (;;) {
      // The journal may be out of reach for a moment.
      const wait = await questionsOf(id, options).catch(() => null);
      if (signal.aborted) return;
      if (wait !== null) onWait(wait);
      if (wait === undefined) return;
      await sleep(LOOK_MS, undefined, { signal, ref: false });
    }
  };
  return {
    begin() {
      if (isLooking || signal.aborted) return;
      isLooking = true;
      void look()
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
        });
    },
    [Symbol.dispose]: () => ended.abort(),
  };
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
