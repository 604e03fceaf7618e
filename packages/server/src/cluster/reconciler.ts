import { randomUUID } from 'node:crypto';
import { workReconciled } from '../diagnostics.ts';
import { BACKGROUND_PRIORITY, type UnqueuedExecution, type WorkQueue } from '../queue/queue.ts';
import type { Dispatcher } from './dispatchers/dispatcher.ts';
import type { ExecutionRequest } from './requests.ts';

/** Milliseconds between two rounds: of the process with the lead, and of the others. */
const ROUND_MS = { leader: 1_000, others: 1_500 };
/** Works that are reported per round. Workers find the rest when they look. */
const MAX_REPORTED = 1_000;

/** Adds the work that continues an execution. Nobody waits for its result: the journal has it. */
async function continueExecution({ id, user, session }: UnqueuedExecution, queue: WorkQueue): Promise<void> {
  const listens = { log: false, progress: false, call: false, question: false };
  const request: ExecutionRequest = { run: 'resume', options: {}, user, replyTo: '', listens, trace: {} };
  const priority = BACKGROUND_PRIORITY;
  if (await queue.submit({ id, kind: 'execution', user, session, priority, request })) return;
  await queue.reopen(id, user, request, priority);
}

/**
 * Reports ready work again and again, so that a Redis that was emptied loses nothing, and makes the work of dead workers ready. Adds work for
 * executions that can go on and have none. One process of the cluster does so at a time; the others look whether it lives.
 */
export function startReconciler(queue: WorkQueue, dispatcher: Dispatcher): Disposable {
  const process = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  const round = async () => {
    const found = await queue.reconcile(process, MAX_REPORTED).catch(() => undefined);
    if (!isOpen) return;
    if (found) {
      const { ready, revived, unqueued } = found;
      for (const execution of unqueued) await continueExecution(execution, queue).catch(() => undefined);
      dispatcher.notify([...ready, ...unqueued.map(({ id }) => id)].map((id) => ({ id })));
      if (ready.length > 0 || revived > 0) workReconciled.publish({ jobs: ready.length, revived });
    }
    timer = setTimeout(round, found ? ROUND_MS.leader : ROUND_MS.others);
  };
  timer = setTimeout(round, ROUND_MS.leader);
  return {
    [Symbol.dispose]() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}
