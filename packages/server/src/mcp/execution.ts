import type { ServerContext } from '@modelcontextprotocol/server';
import type { LogLine } from '@toolwright/sandbox';
import { readExecuteArguments } from '../agent/execute-arguments.ts';
import { executionResponse, type ToolResponse } from '../agent/tool-response.ts';
import type { Caller } from './call.ts';
import { progressReporter } from './progress.ts';
import { openSession } from './sessions.ts';

/**
 * Runs a program for a client. The session id `new` creates a session. The client receives logs and progress, and may
 * cancel the execution.
 */
export async function executeCode(
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  context: ServerContext,
): Promise<ToolResponse> {
  const { toolwright, user, usage } = caller;
  const { code, sessionId: requested, ...options } = readExecuteArguments(input);
  const session = requested === undefined ? undefined : await openSession(requested, caller);
  const report = progressReporter(context);
  const result = await toolwright.execute(code, {
    ...options,
    userId: user,
    sessionId: session,
    signal: endOf(context),
    onLog: (line) => sendLog(context, line),
    onProgress: (value) => report(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
    onCall: ({ number, tool }) => report(`call ${number}: ${tool}`),
  });
  usage.add(user, session, result);
  return executionResponse(result, session);
}

/** Returns the costs of the user's executions since the start of the server. */
export async function executionStats(
  { sessionId }: { readonly sessionId?: string },
  { usage, user }: Caller,
): Promise<ToolResponse> {
  const costs = usage.of(user, sessionId);
  return { text: JSON.stringify(costs), structured: { ...costs } };
}

/** Returns a signal that aborts when the client cancels the call or closes its HTTP request. */
function endOf({ mcpReq, http }: ServerContext): AbortSignal {
  return http?.req ? AbortSignal.any([mcpReq.signal, http.req.signal]) : mcpReq.signal;
}

function sendLog({ mcpReq }: ServerContext, { level, text }: LogLine): void {
  mcpReq.log(level === 'warn' ? 'warning' : level, text, 'execute_code').catch(() => undefined);
}
