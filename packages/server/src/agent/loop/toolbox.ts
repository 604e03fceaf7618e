import { randomUUID } from 'node:crypto';
import { type ExecuteOptions, type ExecutionResult, type Toolwright, ToolwrightError } from '@toolwright/core';
import { languageOf } from '@toolwright/core/internal';
import type { LanguageName } from '@toolwright/sandbox';
import { LOOP_TOOLS } from '../../code-tools/definitions.ts';
import { type ExecutionWait, executionEnd, watchQuestions } from '../../code-tools/execution-end.ts';
import { invalidArguments } from '../../code-tools/read-arguments.ts';
import type { MediaBlock, ModelCall, ModelTool } from '../../models/model.ts';
import type { NewEvent, TaskExecution } from '../task.ts';
import { waitEvents } from '../wait-events.ts';
import { type ExecuteArguments, readExecuteArguments } from './execute-arguments.ts';
import { lookUp } from './look-up.ts';
import { errorResponse, shownResponse } from './tool-response.ts';

export interface ToolboxOptions {
  readonly toolwright: Toolwright;
  readonly userId: string;
  readonly sessionId: string;
  /** The language of calls without `language`. */
  readonly language: LanguageName;
  /** The user's own words. */
  readonly request: string;
  /** The sandbox in the request of the task. */
  readonly sandbox?: string | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: NewEvent) => void;
  /** Called before a program runs, with the id of its execution. The program runs when it resolves. */
  readonly onStart: (call: string, execution: string) => Promise<void>;
  /** Called immediately before a program calls a tool or writes a file. An error that it throws refuses it. */
  readonly beforeCall: () => void;
}

/** The result of a call, for the model. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
  /** Images and recordings for the model. */
  readonly media?: readonly MediaBlock[];
}

/** Errors that end the task, because no other program can fix them. */
const FATAL: ReadonlySet<string> = new Set(['CLOSED', 'SANDBOX_UNAVAILABLE', 'UNKNOWN_SESSION']);
/** Progress events of one execution. The limit prevents that a loop fills the disk. */
const MAX_PROGRESS = 1_000;
const MAX_PROGRESS_CHARACTERS = 4_000;

/** The tools of the model, with the definitions of the MCP server. */
export const TOOLS: readonly ModelTool[] = Object.entries(LOOP_TOOLS).map(([name, { description, inputSchema }]) => ({
  name,
  description,
  inputSchema: { ...inputSchema },
}));

/** Runs one call of the model. Rejects only with a fatal error or the reason of the signal, which end the task. */
export async function runCall(call: ModelCall, options: ToolboxOptions): Promise<CallResult> {
  const owner = { userId: options.userId, sessionId: options.sessionId };
  try {
    if (call.problem !== undefined) throw invalidArguments(`The call of ${call.tool} cannot be read: ${call.problem}`);
    const input = call.input ?? {};
    if (call.tool === 'execute_code') return await runCode(call.id, readExecuteArguments(input), options);
    options.onEvent({ type: 'tool-call', call: call.id, tool: call.tool });
    const found = await lookUp(call.tool, input, options);
    const text = await options.toolwright.pii.redact(found, owner);
    options.signal.throwIfAborted();
    options.onEvent({ type: 'result', call: call.id, text });
    return { text, isError: false };
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof ToolwrightError) || FATAL.has(error.code)) throw error;
    const { text } = await options.toolwright.pii.redact(errorResponse(error), owner);
    options.onEvent({ type: 'result', call: call.id, text });
    return { text, isError: true };
  }
}

async function runCode(call: string, input: ExecuteArguments, options: ToolboxOptions): Promise<CallResult> {
  const { toolwright, userId, sessionId, request, sandbox, signal, onEvent, onStart, beforeCall } = options;
  const { code, check, limits } = input;
  // A task of TypeScript may have a program that can only be Python.
  const other =
    options.language === 'python' ? options.language : await languageOf(code, userId).catch(() => options.language);
  const { language = other } = input;
  onEvent({ type: 'code', call, language, code });
  let progressed = 0;
  const executionId = randomUUID();
  const { executions } = toolwright;
  const onWait = waitEvents(onEvent, { call, execution: executionId });
  const watch = watchQuestions(executionId, { executions, userId, onWait });
  const settings: ExecuteOptions = {
    executionId,
    userId,
    sessionId,
    request,
    language,
    sandbox,
    check,
    limits,
    signal,
    beforeCall,
    onCall: ({ tool }) => onEvent({ type: 'tool-call', call, tool }),
    onLog: ({ level, text }) => onEvent({ type: 'log', call, level, text }),
    // Others decide: the task shows the question.
    onApproval() {
      watch.begin();
      return undefined;
    },
    onProgress: (value) => {
      if (++progressed <= MAX_PROGRESS) onEvent({ type: 'progress', call, value: brief(value) });
    },
  };
  await onStart(call, executionId);
  const started = await toolwright.execute(code, settings).finally(() => watch[Symbol.dispose]());
  const result = started.status === 'suspended' ? await resultOf(started, options, onWait) : started;
  onWait(undefined);
  const { text, isError = false, media = [] } = await shownResponse(result, { executions, userId });
  onEvent({ type: 'result', call, execution: taskExecution(result), text });
  signal.throwIfAborted();
  return { text, isError, media: media.length > 0 ? media : undefined };
}

/** Waits for the end of a suspended execution, and returns its result. */
async function resultOf(
  suspended: ExecutionResult,
  { toolwright: { executions }, userId, signal }: ToolboxOptions,
  onWait: (wait: ExecutionWait | undefined) => void,
): Promise<ExecutionResult> {
  const ended = await executionEnd(suspended.executionId, { executions, userId, signal, onWait });
  return ended?.result ?? suspended;
}

/** Returns an execution as the events of a task have it. */
export function taskExecution({ executionId: id, status, stats }: ExecutionResult): TaskExecution {
  return { id, status, toolCalls: stats.toolCalls, ms: Math.round(stats.totalMs) };
}

function brief(value: unknown): unknown {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_PROGRESS_CHARACTERS ? `${text.slice(0, MAX_PROGRESS_CHARACTERS)}…` : value;
}
