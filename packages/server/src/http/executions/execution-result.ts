import { type ExecutionCall, type Executions, ToolwrightError } from '@toolwright/core';
import { MAX_PAGE_CALLS, withoutHostPaths } from '@toolwright/core/internal';

/** Messages about executions that have not ended. */
const MESSAGES: Readonly<Record<string, string>> = {
  interrupted:
    'The process of the server ended before the program. Within a day, the server continues it from its journal, and repeats no call. Read it later.',
  suspended: 'The program waits, and goes on by itself after the decision or at its time. Read it later.',
};

/** Returns the result of an earlier execution from its journal: as its client received it; without one, its calls. */
export async function recordedResult(
  executions: Executions,
  id: string,
  user: string,
): Promise<{ readonly value: Record<string, unknown> } | 'running' | 'unknown'> {
  try {
    const { status, result, waitingFor, wakeAt } = await executions.get(id, user);
    if (status === 'running') return status;
    if (result) return { value: withoutHostPaths(result) };
    const waits = status === 'suspended' ? { waitingFor, wakeAt, pending: await executions.questions(id, user) } : {};
    const calls = await executions.calls(id, user, { limit: MAX_PAGE_CALLS });
    const place = `/executions/${id}`;
    return {
      value: {
        executionId: id,
        status: status === 'cancelled' ? 'stopped' : status,
        ...waits,
        message: MESSAGES[status] ?? 'The program has ended. Its result is too large for the journal.',
        logs: [],
        calls: calls.map(callView),
        links: { execution: place, calls: `${place}/calls` },
      },
    };
  } catch (error) {
    if (error instanceof ToolwrightError && error.code === 'UNKNOWN_EXECUTION') return 'unknown';
    throw error;
  }
}

function callView({ number, tool, outcome, argumentBytes }: ExecutionCall): Record<string, unknown> {
  return {
    number,
    tool,
    status: outcome === 'unknown' || outcome === 'pending' ? 'unanswered' : outcome,
    outcome,
    argumentBytes,
  };
}
