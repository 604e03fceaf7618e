import { type ExecutionResult, type Toolwright, ToolwrightError } from '@toolwright/core';
import type { Caller } from '../call.ts';
import { callLine } from './call-line.ts';
import { MAX_RECENT, type RecentTool } from './recent-tools.ts';

/** Notes the tools that a completed program called with success, the last one first. */
export async function noteTools(
  { status, calls }: ExecutionResult,
  { recent, toolwright, user }: Caller,
): Promise<void> {
  if (status !== 'completed') return;
  const answered = calls.filter((call) => call.status === 'answered').map(({ tool }) => tool);
  const last = [...new Set(answered.reverse())].slice(0, MAX_RECENT);
  const noted = await Promise.all(last.map((id) => recentTool(id, toolwright, user)));
  if (noted.length > 0) await recent.add(user, noted.flat());
}

/** Returns nothing for a tool whose server has left since the call. */
async function recentTool(id: string, toolwright: Toolwright, user: string): Promise<readonly RecentTool[]> {
  try {
    return [{ id, call: await callLine(toolwright, id, user) }];
  } catch (error) {
    if (error instanceof ToolwrightError) return [];
    throw error;
  }
}
