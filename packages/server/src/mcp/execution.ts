import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerContext } from '@modelcontextprotocol/server';
import { type ExecuteOptions, ToolwrightError } from '@toolwright/core';
import { firstAbort } from '@toolwright/core/internal';
import type { LogLine } from '@toolwright/sandbox';
import { readExecuteArguments } from '../agent/loop/execute-arguments.ts';
import { openQuestionsResponse, shownResponse } from '../agent/loop/tool-response.ts';
import { clientHeadersOf } from '../http/client-headers.ts';
import type { Caller, HandlerResult } from './call.ts';
import type { ApprovalState } from './questions/approval-state.ts';
import type { Requester } from './questions/approvals.ts';
import { decideAndFollow, digestOf, type Run, runOrAsk, type Step } from './questions/approvals.ts';
import { NEW_SESSION, openSession } from './sessions/sessions.ts';
import { createdTask } from './tasks/execution-tasks.ts';
import { acceptsTasks, type CreatedTask } from './tasks/serve-tasks.ts';
import { counted } from './usage/counted.ts';

/** Milliseconds between two progress notifications of one execution. Notifications in between are skipped. */
const PROGRESS_INTERVAL_MS = 100;
/** The longest progress message. Longer messages are cut. */
const MAX_MESSAGE_CHARACTERS = 500;

/** Milliseconds without news after which a client gets a notification: many wait for 60 s only. */
const HEARTBEAT_MS = 15_000;

/** Progress notifications of one request. */
interface ProgressReporter {
  readonly report: (message: string) => void;
  /** Passes on the progress report of a tool, with its numbers. */
  tool(report: unknown): void;
  close(): void;
}

/**
 * Runs a program for a client. The session id `new` creates a session. The client receives logs and progress, and may
 * cancel the execution. Where the program needs an approval, and the client can show a form, the user decides in the client. A long
 * program of a client with the tasks extension goes on as a task. `isDirect`: the program is a direct call of the client.
 */
export async function executeCode(
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  context: ServerContext,
  { isDirect = false }: { readonly isDirect?: boolean } = {},
): Promise<HandlerResult> {
  const state = context.mcpReq.requestState<ApprovalState>();
  const asked = { caller, context };
  return state ? continueExecution(state, input, asked) : startExecution(input, { ...asked, isDirect });
}

async function startExecution(
  input: Readonly<Record<string, unknown>>,
  { isDirect, ...asked }: Requester & { readonly isDirect: boolean },
): Promise<HandlerResult> {
  const { caller, context } = asked;
  const { toolwright, user } = caller;
  const { code, sessionId: requested, ...options } = readExecuteArguments(input);
  const sessionId = requested === undefined ? undefined : await openSession(requested, caller);
  const client = attachedClient(context, isDirect);
  let onStart: (id: string) => void = () => undefined;
  const started = new Promise<string>((resolve) => {
    onStart = resolve;
  });
  const settings = {
    ...options,
    ...client.options,
    userId: user,
    sessionId,
    canSample: canSample(asked),
    onStart,
    isDirect,
    request: requestOf(context),
    // The model chooses the session, and a client has other servers.
    hasSeenPublicData: true,
    clientHeaders: clientHeadersOf(toolwright, context.http?.req?.headers),
  };
  const run: Run = (onApproval) =>
    counted(() => toolwright.execute(code, { ...settings, onApproval }), caller, sessionId);
  const step = runOrAsk(run, { ...asked, request: digestOf(input), sessionId, round: 1 });
  const isNew = requested === NEW_SESSION;
  const ended = orTask(step, { ...asked, started, isNew, onTask: client.detach });
  return responseOf(await ended, { caller, sessionId, isNew }).finally(client.detach);
}

/** Continues an execution with the answer of the user. */
async function continueExecution(
  state: ApprovalState,
  input: Readonly<Record<string, unknown>>,
  asked: Requester,
): Promise<HandlerResult> {
  const { toolwright, user } = asked.caller;
  const { executionId, sessionId, round } = state;
  const clientHeaders = clientHeadersOf(toolwright, asked.context.http?.req?.headers);
  const settings = { userId: user, canSample: canSample(asked), clientHeaders };
  const resume: Run = (onApproval) =>
    counted(() => toolwright.executions.resume(executionId, { ...settings, onApproval }), asked.caller, sessionId);
  const asking = { ...asked, request: digestOf(input), sessionId, round: round + 1 };
  const step = decideAndFollow(state, asking, resume);
  const isNew = sessionId !== undefined;
  const ended = orTask(step, { ...asked, started: Promise.resolve(executionId), isNew });
  return responseOf(await ended, { caller: asked.caller, sessionId, isNew });
}

function canSample({ caller, context }: Requester): boolean {
  return caller.mayDecide && caller.capabilitiesOf(context)?.sampling !== undefined;
}

interface TaskOptions extends Requester {
  /** Resolves to the id of the execution, once it has one. */
  readonly started: Promise<string>;
  /** Whether the result of the task names its session. */
  readonly isNew: boolean;
  readonly onTask?: () => void;
}

/** Returns the step, or a task when it takes long or waits without a question, and the client accepts tasks. */
async function orTask(
  step: Promise<Step>,
  { caller, context, started, isNew, onTask }: TaskOptions,
): Promise<Step | { readonly task: CreatedTask }> {
  if (!acceptsTasks(caller.capabilitiesOf(context))) return step;
  const ending = new AbortController();
  // A program that is still prepared has no execution to follow.
  const late = sleep(caller.taskAfterMs, undefined, { signal: ending.signal }).then(() => started);
  late.catch(() => undefined);
  const first = await Promise.race([step, late]).finally(() => ending.abort());
  const isLate = typeof first === 'string';
  if (!isLate && !('pending' in first) && !('result' in first && first.result.status === 'suspended')) return first;
  // The journal has the outcome, which the task reads.
  step.catch(() => undefined);
  onTask?.();
  return { task: createdTask(isLate ? first : await started, isNew) };
}

async function responseOf(
  step: Step | { readonly task: CreatedTask },
  {
    caller: { toolwright, user },
    sessionId: id,
    isNew,
  }: { readonly caller: Caller; readonly sessionId: string | undefined; readonly isNew: boolean },
): Promise<HandlerResult> {
  if ('task' in step) return step.task;
  if ('asks' in step) return step.asks;
  const source = { executions: toolwright.executions, userId: user };
  if ('result' in step) return shownResponse(step.result, source, id === undefined ? undefined : { id, isNew });
  return openQuestionsResponse(step.executionId, step.pending, id);
}

/** Returns the options by which an execution belongs to a request. After `detach`, its end leaves the execution alone. */
function attachedClient(
  context: ServerContext,
  isDirect: boolean,
): {
  readonly options: ExecuteOptions;
  detach(): void;
} {
  const { mcpReq, http } = context;
  // The client cancels the call, or closes its HTTP request.
  const ended = firstAbort(http?.req ? [mcpReq.signal, http.req.signal] : [mcpReq.signal]);
  const progress = progressReporter(context);
  let isAttached = true;
  const whileAttached =
    <T>(notify: (value: T) => void) =>
    (value: T) => {
      if (isAttached) notify(value);
    };
  return {
    options: {
      signal: ended.signal,
      onLog: whileAttached((line: LogLine) => sendLog(context, line)),
      onProgress: whileAttached((value) => {
        if (isDirect) progress.tool(value);
        else progress.report(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
      }),
      onCall: whileAttached(({ number, tool }: { readonly number: number; readonly tool: string }) => {
        if (!isDirect) progress.report(`call ${number}: ${tool}`);
      }),
    },
    detach() {
      isAttached = false;
      progress.close();
      ended[Symbol.dispose]();
    },
  };
}

/** The key in `_meta` of a call, and the header, by which a client passes the user's request. No argument has it: a model writes those. */
const REQUEST_META = 'toolwright/request';
const REQUEST_HEADER = 'toolwright-request';

/** Returns the request of the user, as the client passes it: in the header, percent-encoded. */
function requestOf({ mcpReq, http }: ServerContext): string | undefined {
  const given = mcpReq._meta?.[REQUEST_META];
  if (typeof given === 'string') return given;
  try {
    return decodeURIComponent(http?.req?.headers.get(REQUEST_HEADER) ?? '') || undefined;
  } catch {
    throw new ToolwrightError('INVALID_ARGUMENTS', `The header ${REQUEST_HEADER} is not percent-encoded UTF-8.`);
  }
}

function sendLog({ mcpReq }: ServerContext, { level, text }: LogLine): void {
  mcpReq.log(level === 'warn' ? 'warning' : level, text, 'execute_code').catch(() => undefined);
}

/** Notifies the client of progress, also while there is none. Without a progress token in the request, it does nothing. */
export function progressReporter({ mcpReq }: ServerContext, heartbeatMs: number = HEARTBEAT_MS): ProgressReporter {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => undefined, tool: () => undefined, close: () => undefined };
  let progress = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  const send = (message: string, numbers: { readonly progress: number; readonly total?: number }) => {
    lastMs = performance.now();
    const params = { progressToken, ...numbers, ...(message && { message: message.slice(0, MAX_MESSAGE_CHARACTERS) }) };
    // The client may have disconnected. Sending the result detects that.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const isDue = (afterMs: number) => performance.now() - lastMs >= afterMs;
  const heartbeat = setInterval(() => {
    progress++;
    if (isDue(heartbeatMs)) send('still running', { progress });
  }, heartbeatMs);
  heartbeat.unref();
  return {
    report(message) {
      progress++;
      if (isDue(PROGRESS_INTERVAL_MS)) send(message, { progress });
    },
    tool(report) {
      const { progress: reached, total, message } = Object(report);
      if (typeof reached !== 'number') return;
      // The progress of a request must grow: the heartbeat goes on from here.
      progress = Math.max(progress, reached);
      if (!isDue(PROGRESS_INTERVAL_MS)) return;
      send(typeof message === 'string' ? message : '', {
        progress,
        total: typeof total === 'number' ? total : undefined,
      });
    },
    close: () => clearInterval(heartbeat),
  };
}
