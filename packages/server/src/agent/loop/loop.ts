import { ToolwrightError } from '@toolwright/core';
import { loadTokenizer } from '@toolwright/core/internal';
import type { Model, ModelAnswer, ModelMessage, ModelRequest, ModelUsage } from '../../models/model.ts';
import { limitReached } from '../limits.ts';
import type { TaskLimits, TaskUsage } from '../task.ts';
import { ask, type RetrySettings } from './ask-model.ts';
import { runCall, TOOLS, type ToolboxOptions } from './toolbox.ts';
import { addUsage } from './usage.ts';

export interface LoopOptions extends ToolboxOptions {
  readonly model: Model;
  readonly system: string;
  /** The conversation so far. Its last message needs an answer, and each call in it has its result. */
  readonly messages: readonly ModelMessage[];
  readonly used: TaskUsage;
  readonly limits: TaskLimits;
  /** Deadline on the clock of `performance.now()`, in milliseconds. */
  readonly endsAt: number;
  readonly retry: RetrySettings;
  /** Shortens a conversation to its budget, in place. */
  readonly shrink: (messages: ModelMessage[]) => Promise<void>;
  /** Called with each new message before the loop acts on it. */
  readonly onMessage: (message: ModelMessage) => void;
}

export type LoopEnd =
  | { readonly status: 'completed'; readonly answer: string }
  | { readonly status: 'stopped'; readonly limit: keyof TaskLimits };

/** Maximum calls in one answer. The limit `steps` counts answers, so it does not bound calls. */
const MAX_CALLS = 100;
const CONTINUE_TEXT =
  'The provider cut your answer off at its length limit. Continue at the point where it ends, in smaller parts.';
const EMPTY_ANSWER_TEXT = 'Your answer was empty. Continue the work, or answer the user.';

/**
 * Runs a model and its calls, one after another, until the model answers or a limit is reached. Calls of an answer that
 * reaches a limit do not run, because the model would never read their results. Rejects with fatal errors, with errors of
 * the model and with the reason of the signal.
 */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const { model, limits, signal, onEvent, onMessage, shrink } = options;
  const messages = [...options.messages];
  let { used } = options;
  let partial = '';
  const add = (message: ModelMessage) => {
    messages.push(message);
    onMessage(message);
  };
  for (;;) {
    const before = limitReached(used, limits);
    if (before) return { status: 'stopped', limit: before };
    await shrink(messages);
    const answer = await askModel(messages, options);
    checkCallCount(answer.message.calls.length, model.name);
    used = addUsage(used, answer.usage ?? (await estimate(messages, answer)), model.price);
    add(answer.message);
    onEvent({ type: 'usage', usage: used });
    if (answer.end === 'refused') {
      throw new ToolwrightError(
        'MODEL_FAILED',
        `The content filter of ${model.name} blocked the answer. Change the wording of the task.`,
      );
    }
    const { text, calls } = answer.message;
    if (calls.length === 0) {
      const whole = partial + text;
      if (answer.end !== 'length' && whole.trim() !== '') return { status: 'completed', answer: whole };
      if (answer.end === 'length') partial = whole;
      add({ role: 'user', text: answer.end === 'length' ? CONTINUE_TEXT : EMPTY_ANSWER_TEXT });
      continue;
    }
    partial = '';
    const reached = limitReached(used, limits);
    if (reached) return { status: 'stopped', limit: reached };
    for (const call of calls) {
      const result = await runCall(call, options);
      add({ role: 'tool', call: call.id, tool: call.tool, ...result });
      signal.throwIfAborted();
    }
  }
}

function checkCallCount(calls: number, model: string): void {
  if (calls <= MAX_CALLS) return;
  const message = `The answer of ${model} has ${calls} calls, the limit is ${MAX_CALLS}. None of them ran. Start the task again.`;
  throw new ToolwrightError('MODEL_FAILED', message);
}

function askModel(messages: readonly ModelMessage[], options: LoopOptions): Promise<ModelAnswer> {
  const { model, system, signal, retry, endsAt, onEvent } = options;
  const request: ModelRequest = {
    system,
    // A copy, because a model may keep the request while the loop adds messages.
    messages: [...messages],
    tools: TOOLS,
    signal,
    onText: (text) => onEvent({ type: 'text-delta', text }),
  };
  return ask(model, request, {
    retry,
    endsAt,
    onRetry: (reason, afterMs) => onEvent({ type: 'retry', reason, afterMs }),
  });
}

/** Counts the request and the answer in o200k_base tokens, for providers that do not report usage. */
async function estimate(messages: readonly ModelMessage[], { message }: ModelAnswer): Promise<ModelUsage> {
  const count = await loadTokenizer();
  const inputTokens = messages.reduce((sum, sent) => sum + count(JSON.stringify(sent)), 0);
  return { inputTokens, outputTokens: count(JSON.stringify([message.text, message.calls])), cachedTokens: 0 };
}
