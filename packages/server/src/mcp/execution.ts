import type { ServerContext } from '@modelcontextprotocol/server';
import type { LanguageName, LogLine } from '@toolwright/sandbox';
import { executionResponse, type ToolResponse } from '../agent/tool-response.ts';
import type { Caller } from './call.ts';
import { progressReporter } from './progress.ts';
import { openSession } from './sessions.ts';

export interface ExecuteArguments {
  readonly code: string;
  readonly language?: LanguageName;
  /** The id of a session, or `new` for a fresh one. */
  readonly sessionId?: string;
  readonly limits?: { readonly timeoutMs?: number };
  readonly check?: boolean;
}

/** Runs a program for a client. The client receives logs and progress, and may cancel the execution. */
export async function executeCode(
  { code, language, sessionId: requested, limits: { timeoutMs } = {}, check }: ExecuteArguments,
  caller: Caller,
  context: ServerContext,
): Promise<ToolResponse> {
  const { toolwright, user, usage } = caller;
  const session = requested === undefined ? undefined : await openSession(requested, caller);
  const report = progressReporter(context);
  const result = await toolwright.execute(code, {
    userId: user,
    ...(check === undefined ? {} : { check }),
    ...(language === undefined ? {} : { language }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(timeoutMs === undefined ? {} : { limits: { timeoutMs } }),
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
