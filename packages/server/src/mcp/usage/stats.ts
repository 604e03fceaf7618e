import { executionResponse, openQuestionsResponse, type ToolResponse } from '../../agent/loop/tool-response.ts';
import type { Caller } from '../call.ts';

interface StatsArguments {
  readonly sessionId?: string;
  readonly executionId?: string;
}

/**
 * Returns the costs of the user's executions: since the start of the server, or in a cluster those of the last 30 days. With the id of an execution, returns its result or its
 * status: a model asks so for the result of one that was suspended.
 */
export async function executionStats(
  { sessionId, executionId }: StatsArguments,
  caller: Caller,
): Promise<ToolResponse> {
  if (executionId !== undefined) return responseOf(executionId, caller);
  const costs = await caller.usage.of(caller.user, sessionId);
  return { text: JSON.stringify(costs), structured: { ...costs } };
}

async function responseOf(executionId: string, { toolwright: { executions }, user }: Caller): Promise<ToolResponse> {
  const { status, result, sessionId } = await executions.get(executionId, user);
  if (result) return executionResponse(result, sessionId === undefined ? undefined : { id: sessionId, isNew: true });
  if (status === 'suspended') {
    return openQuestionsResponse(executionId, await executions.questions(executionId, user), sessionId);
  }
  return {
    text: `Execution ${executionId} has no result: its status is "${status}".`,
    structured: { executionId, status },
  };
}
