import type { ExecutionResult } from '@toolwright/core';
import type { Caller } from '../call.ts';
import { noteTools } from '../instructions/note-tools.ts';

/** Counts an execution until its end, also when its client shows a question or polls a task meanwhile. */
export async function counted(
  run: () => Promise<ExecutionResult>,
  caller: Caller,
  sessionId: string | undefined,
): Promise<ExecutionResult> {
  const leave = caller.enter();
  try {
    const result = await run();
    await caller.usage.add(caller.user, sessionId, result);
    await noteTools(result, caller);
    return result;
  } finally {
    leave();
  }
}
