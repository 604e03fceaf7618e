import { ToolwrightError } from '@toolwright/core';
import { type ClaimContext, claim } from './running/claim-task.ts';
import type { RunningTask } from './running/running-task.ts';
import { type TaskState, taskOf } from './state.ts';
import type { SubmitTask, Task } from './task.ts';

/**
 * Passes a task on that waits for a process. When that fails, `onFailure` writes the reason, and the error is thrown; a task that a
 * process runs already goes on.
 */
export async function submitTask(
  state: TaskState,
  context: ClaimContext & { readonly submit: SubmitTask },
  onFailure: (live: RunningTask, error: { readonly code: string; readonly message: string }) => void,
): Promise<Task> {
  const { id, userId, sessionId } = state.record;
  try {
    await context.submit(id, { userId, sessionId });
  } catch (error) {
    const claimed = await claim(id, context, { isRun: false });
    if (claimed) {
      const code = error instanceof ToolwrightError ? error.code : 'INTERNAL';
      onFailure(claimed, { code, message: 'The task could not be passed to a worker. Start it again later.' });
      await claimed.close();
      throw error;
    }
  }
  return taskOf(state);
}
