import type { ServerContext } from '@modelcontextprotocol/server';
import type { LanguageName, LogLine } from '@toolwright/sandbox';
import { executionResponse, type ToolResponse } from '../agent/tool-response.ts';
import type { Caller } from './call.ts';
import { progressReporter } from './progress.ts';
import { sessionId } from './sessions.ts';

export interface ExecuteArguments {
  readonly code: string;
  readonly language?: LanguageName;
  /** A handle, or `new` for a fresh one. */
  readonly session?: string;
  readonly timeoutMs?: number;
  readonly check?: boolean;
}

/** Runs a program for a client, who may watch and cancel it. */
export async function executeCode(
  { code, language, session: word, timeoutMs, check }: ExecuteArguments,
  caller: Caller,
  context: ServerContext,
): Promise<ToolResponse> {
  const { toolwright, user, usage } = caller;
  const session = word === undefined ? undefined : await sessionId(word, caller);
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

/** What the user's executions have cost since the start of this server. */
export async function executionStats(
  { session }: { readonly session?: string },
  { usage, user }: Caller,
): Promise<ToolResponse> {
  const costs = usage.of(user, session);
  return { text: JSON.stringify(costs), structured: { ...costs } };
}

/** Aborted when the client cancels the call, or hangs up on the HTTP request that carries it. */
function endOf({ mcpReq, http }: ServerContext): AbortSignal {
  return http?.req ? AbortSignal.any([mcpReq.signal, http.req.signal]) : mcpReq.signal;
}

function sendLog({ mcpReq }: ServerContext, { level, text }: LogLine): void {
  mcpReq.log(level === 'warn' ? 'warning' : level, text, 'execute_code').catch(() => undefined);
}
