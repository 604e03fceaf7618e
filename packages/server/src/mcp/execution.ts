import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { ExecuteOptions, ExecutionResult } from '@toolwright/core';
import type { LogLine } from '@toolwright/sandbox';
import { readExecuteArguments } from '../agent/execute-arguments.ts';
import { openQuestionsResponse, shownResponse, type ToolResponse } from '../agent/tool-response.ts';
import type { ApprovalState } from './approval-state.ts';
import { decideAndFollow, digestOf, type Run, runOrAsk, type Step } from './approvals.ts';
import type { Caller } from './call.ts';
import { noteTools } from './instructions/note-tools.ts';
import { progressReporter } from './progress.ts';
import { NEW_SESSION, openSession } from './sessions.ts';

/**
 * Runs a program for a client. The session id `new` creates a session. The client receives logs and progress, and may
 * cancel the execution. Where the program needs an approval, and the client can show a form, the user decides in the client.
 */
export async function executeCode(
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  context: ServerContext,
): Promise<ToolResponse | InputRequiredResult> {
  const { toolwright, user } = caller;
  const request = digestOf(input);
  const state = context.mcpReq.requestState<ApprovalState>();
  const canSample = caller.mayDecide && caller.capabilitiesOf(context)?.sampling !== undefined;
  if (state) {
    const { executionId, sessionId, round } = state;
    const resume: Run = (onApproval) =>
      counted(
        () => toolwright.executions.resume(executionId, { userId: user, onApproval, canSample }),
        caller,
        sessionId,
      );
    const asking = { caller, context, request, sessionId, round: round + 1 };
    return responseOf(await decideAndFollow(state, asking, resume), sessionId, true);
  }
  const { code, sessionId: requested, ...options } = readExecuteArguments(input);
  const sessionId = requested === undefined ? undefined : await openSession(requested, caller);
  const client = attachedClient(context);
  const run: Run = (onApproval) =>
    counted(
      () => toolwright.execute(code, { ...options, ...client.options, userId: user, sessionId, onApproval, canSample }),
      caller,
      sessionId,
    );
  const step = await runOrAsk(run, { caller, context, request, sessionId, round: 1 });
  client.detach();
  return responseOf(step, sessionId, requested === NEW_SESSION);
}

/** Counts an execution until its end, also when its client shows a question meanwhile. */
async function counted(
  run: () => Promise<ExecutionResult>,
  caller: Caller,
  sessionId: string | undefined,
): Promise<ExecutionResult> {
  const leave = caller.enter();
  try {
    const result = await run();
    caller.usage.add(caller.user, sessionId, result);
    await noteTools(result, caller);
    return result;
  } finally {
    leave();
  }
}

async function responseOf(
  step: Step,
  id: string | undefined,
  isNew: boolean,
): Promise<ToolResponse | InputRequiredResult> {
  if ('asks' in step) return step.asks;
  if ('result' in step) return shownResponse(step.result, id === undefined ? undefined : { id, isNew });
  return openQuestionsResponse(step.executionId, step.pending, id);
}

/** Returns the options by which an execution belongs to a request. After `detach`, its end leaves the execution alone. */
function attachedClient(context: ServerContext): {
  readonly options: Pick<ExecuteOptions, 'signal' | 'onLog' | 'onProgress' | 'onCall'>;
  detach(): void;
} {
  const ended = endOf(context);
  const cancel = new AbortController();
  const onEnd = () => cancel.abort();
  ended.addEventListener('abort', onEnd, { once: true });
  if (ended.aborted) onEnd();
  const report = progressReporter(context);
  let isAttached = true;
  const whileAttached =
    <T>(notify: (value: T) => void) =>
    (value: T) => {
      if (isAttached) notify(value);
    };
  return {
    options: {
      signal: cancel.signal,
      onLog: whileAttached((line: LogLine) => sendLog(context, line)),
      onProgress: whileAttached((value) => report(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))),
      onCall: whileAttached(({ number, tool }: { readonly number: number; readonly tool: string }) =>
        report(`call ${number}: ${tool}`),
      ),
    },
    detach() {
      isAttached = false;
      ended.removeEventListener('abort', onEnd);
    },
  };
}

/** Returns a signal that aborts when the client cancels the call or closes its HTTP request. */
function endOf({ mcpReq, http }: ServerContext): AbortSignal {
  return http?.req ? AbortSignal.any([mcpReq.signal, http.req.signal]) : mcpReq.signal;
}

function sendLog({ mcpReq }: ServerContext, { level, text }: LogLine): void {
  mcpReq.log(level === 'warn' ? 'warning' : level, text, 'execute_code').catch(() => undefined);
}
