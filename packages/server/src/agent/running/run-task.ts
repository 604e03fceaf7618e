import { randomUUID } from 'node:crypto';
import { inProfile, type Logger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { executionEnd } from '../../code-tools/execution-end.ts';
import type { ModelCall, ModelMessage, OpenModel } from '../../models/model.ts';
import type { RetrySettings } from '../loop/ask-model.ts';
import { fitContext } from '../loop/context.ts';
import { type LoopEnd, runLoop } from '../loop/loop.ts';
import { executionResponse } from '../loop/tool-response.ts';
import { type CallResult, taskExecution } from '../loop/toolbox.ts';
import type { SystemPrompt } from '../prompts/prompt.ts';
import { hasEnded, type TaskState } from '../state.ts';
import type { TaskExecution } from '../task.ts';
import type { TaskStates } from '../task-states.ts';
import { waitEvents } from '../wait-events.ts';
import { interruptedText, openCalls } from './interrupted.ts';
import type { EndReason, RunningTask } from './running-task.ts';

export interface RunContext {
  readonly toolwright: Toolwright;
  readonly models: OpenModel;
  readonly prompt: SystemPrompt;
  readonly states: TaskStates;
  readonly retry: RetrySettings;
  readonly contextTokens: number;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Runs a task to its end, from its first message or from the end of its transcript. Never rejects: the last event has the
 * outcome. An interrupted task has no such event and can be resumed.
 */
export async function runTask(live: RunningTask, given: RunContext): Promise<void> {
  const { limits, profile } = live.state.record;
  const { timeoutMs } = limits;
  const context = profile === undefined ? given : { ...given, toolwright: inProfile(given.toolwright, profile) };
  const timer = setTimeout(() => live.stop('timeoutMs'), timeoutMs);
  const endsAt = performance.now() + timeoutMs;
  try {
    live.checkOwner();
    live.emit({ type: 'status', status: 'running' });
    live.end(await runModel(live, context, endsAt));
  } catch (error) {
    if (live.isTakenOver)
      context.logger.error({ taskId: live.state.record.id, err: live.signal.reason }, 'a task was taken over');
    if (live.signal.aborted) endFromOutside(live, live.signal.reason);
    else if (goesOnElsewhere(live, error)) endFromOutside(live, 'interrupted');
    else live.end({ status: 'failed', error: failureOf(error, live, context.logger) });
  } finally {
    clearTimeout(timer);
  }
}

/** Writes the outcome of a task that was stopped from outside. */
export function endFromOutside(live: RunningTask, reason: EndReason): void {
  if (reason === 'interrupted' || goesOnElsewhere(live, reason)) {
    live.emit({ type: 'status', status: 'interrupted' });
    if (live.handsOver) live.emit({ type: 'status', status: 'queued' });
  } else if (reason === 'timeoutMs') live.end({ status: 'stopped', limit: 'timeoutMs' });
  else if (reason === 'cancelled') live.end({ status: 'cancelled' });
  else live.end({ status: 'failed', error: errorInfo(reason) });
}

/** Returns whether a worker of the cluster continues the task: its database was away, as while it restarts. */
function goesOnElsewhere({ handsOver }: RunningTask, error: unknown): boolean {
  return handsOver && error instanceof ToolwrightError && error.code === 'STORE_UNAVAILABLE';
}

async function runModel(live: RunningTask, context: RunContext, endsAt: number): Promise<LoopEnd> {
  const { toolwright, models, prompt, retry, contextTokens } = context;
  const { state, signal } = live;
  const { userId, sessionId, language, sandbox, limits } = state.record;
  const model = await models(state.record.model);
  // A program can show its images again by their paths, which the text has.
  const add = (message: ModelMessage) => live.append({ entry: 'message', message: withoutMedia(message) });
  for (const message of await openingMessages(live, context)) add(message);
  const last = state.messages.at(-1);
  // The earlier process ended after the answer and before the event `end`.
  if (last?.role === 'assistant') return { status: 'completed', answer: last.text };
  const system = await toolwright.pii.redact(await prompt(toolwright, { user: userId, language }), {
    userId,
    sessionId,
  });
  signal.throwIfAborted();
  return runLoop({
    model,
    system,
    messages: state.messages,
    used: state.usage,
    limits,
    endsAt,
    retry,
    toolwright,
    userId,
    sessionId,
    request: state.record.task,
    language,
    sandbox,
    signal,
    shrink: (messages) =>
      fitContext(messages, {
        budgetTokens: contextTokens,
        task: state.record.task,
        write: (name, text) => writeOutput(live, context, name, text),
      }),
    onMessage: add,
    onEvent: live.emit,
    async onStart(call, execution) {
      live.append({ entry: 'execution', call, execution });
      await live.flushed();
    },
    beforeCall: live.checkOwner,
  });
}

/** The result of a call that an earlier process began. */
interface LateResult extends CallResult {
  readonly execution?: TaskExecution;
}

/** Returns the first messages of a new conversation, or the missing results of an interrupted one. */
async function openingMessages(live: RunningTask, context: RunContext): Promise<ModelMessage[]> {
  const { state } = live;
  const { id, userId, sessionId, task } = state.record;
  if (state.messages.length === 0) {
    const all = await context.states.ofSession(sessionId, userId);
    const earlier = all.filter(({ record }) => record.id !== id);
    const history = await historyMessages(earlier, (text) => writeOutput(live, context, 'history.txt', text));
    return [...history, { role: 'user', text: task }];
  }
  const messages: ModelMessage[] = [];
  for (const call of openCalls(state.messages)) {
    const { text, isError, execution } =
      (await continuedResult(call, live, context)) ?? (await interruptedResult(call, live, context));
    live.emit({ type: 'result', call: call.id, text, execution });
    messages.push({ role: 'tool', call: call.id, tool: call.tool, text, isError });
  }
  return messages;
}

/** Returns the result of a program that a crash interrupted, after its end: it goes on from its journal. */
async function continuedResult(
  call: ModelCall,
  live: RunningTask,
  { toolwright }: RunContext,
): Promise<LateResult | undefined> {
  const execution = live.state.started.get(call.id);
  if (execution === undefined) return undefined;
  const ended = await executionEnd(execution, {
    executions: toolwright.executions,
    userId: live.state.record.userId,
    signal: live.signal,
    onWait: waitEvents(live.emit, { call: call.id, execution }),
  }).catch((error: unknown) => {
    live.signal.throwIfAborted();
    if (error instanceof ToolwrightError) return undefined;
    throw error;
  });
  // The end of its process cancelled it: the model gets its calls.
  if (!ended?.result || ended.status === 'cancelled') return undefined;
  const { text, isError = false } = executionResponse(ended.result);
  return { text, isError, execution: taskExecution(ended.result) };
}

/** Returns the record of a program that cannot go on. */
async function interruptedResult(call: ModelCall, live: RunningTask, context: RunContext): Promise<LateResult> {
  const { userId, sessionId } = live.state.record;
  const plain = await interruptedText(call, live.state, context.toolwright.executions);
  return { text: await context.toolwright.pii.redact(plain, { userId, sessionId }), isError: true };
}

async function writeOutput(live: RunningTask, { toolwright }: RunContext, name: string, text: string): Promise<string> {
  const { id, userId, sessionId } = live.state.record;
  const files = await toolwright.sessions.files(sessionId, { userId });
  await files.makeFolder('/workspace/outputs', true);
  const path = `/workspace/outputs/${id.slice(0, 8)}-${name}`;
  await files.write(path, Buffer.from(text), 'replace');
  return path;
}

function failureOf(error: unknown, live: RunningTask, logger: RunContext['logger']): { code: string; message: string } {
  if (error instanceof ToolwrightError) return errorInfo(error);
  const id = randomUUID();
  logger.error({ id, taskId: live.state.record.id, err: error }, 'internal error');
  return errorInfo(new ToolwrightError('INTERNAL', `Internal error [${id}]. The log has the details.`));
}

function errorInfo(error: Error): { code: string; message: string } {
  return { code: error instanceof ToolwrightError ? error.code : 'INTERNAL', message: error.message };
}

function withoutMedia(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message;
  const { media: _media, ...text } = message;
  return text;
}

/** Earlier tasks of a session that a conversation contains. */
export const MAX_TURNS = 20;

/**
 * Returns the earlier tasks of a session and their answers, redacted, as the start of a conversation. The log of the
 * session has the details. Passes the tasks before the last `MAX_TURNS` to `keep`, which returns the path of a file.
 */
export async function historyMessages(
  earlier: readonly TaskState[],
  keep: (text: string) => Promise<string>,
): Promise<ModelMessage[]> {
  const turns = earlier.filter(({ status }) => hasEnded(status)).map(turnOf);
  const left = turns.slice(0, -MAX_TURNS);
  const turnMessages = turns.slice(-MAX_TURNS).flat();
  if (left.length === 0) return turnMessages;
  const text = left.flat().map((message) => `${message.role}: ${message.text}`);
  const path = await keep(text.join('\n\n'));
  const note = `(${left.length} earlier tasks of this session and their answers are in ${path}.)`;
  return [
    { role: 'user', text: note },
    { role: 'assistant', text: 'I will read that file when I need it.', calls: [] },
    ...turnMessages,
  ];
}

function turnOf({ record, status, end }: TaskState): [ModelMessage, ModelMessage] {
  const outcome = end?.limit === undefined ? '' : ` at its limit (${end.limit})`;
  const answer = end?.answer ?? `(No answer: this task was ${status}${outcome}.)`;
  return [
    { role: 'user', text: record.task },
    { role: 'assistant', text: answer, calls: [] },
  ];
}
