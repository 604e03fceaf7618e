import { ToolwrightError } from '@toolwright/core';
import { loadTokenizer } from '@toolwright/core/internal';
import type { Model, ModelAnswer, ModelMessage, ModelRequest, ModelUsage } from '../models/model.ts';
import { ask, type RetrySettings } from './ask-model.ts';
import { limitReached } from './limits.ts';
import type { TaskLimits, TaskUsage } from './task.ts';
import { carryOut, TOOLS, type ToolboxOptions } from './toolbox.ts';
import { addUsage } from './usage.ts';

export interface LoopOptions extends ToolboxOptions {
  readonly model: Model;
  readonly system: string;
  /** The conversation so far, which ends with what the model is to answer; every call in it has its result. */
  readonly messages: readonly ModelMessage[];
  readonly used: TaskUsage;
  readonly limits: TaskLimits;
  /** When the time is over; milliseconds as `performance.now()` counts them. */
  readonly endsAt: number;
  readonly retry: RetrySettings;
  /** Brings a conversation into its budget, in place. */
  readonly shrink: (messages: ModelMessage[]) => Promise<void>;
  /** Hears each message that the loop adds, before anything follows from it. */
  readonly onMessage: (message: ModelMessage) => void;
}

export type LoopEnd =
  | { readonly status: 'completed'; readonly answer: string }
  | { readonly status: 'stopped'; readonly limit: keyof TaskLimits };

/** Calls of one answer: a step is one answer, whatever is in it. */
const MAX_CALLS = 100;
const GO_ON = 'Your answer was cut off at the length limit of the provider. Go on where it ends, in smaller parts.';
const SAY_SOMETHING = 'You said nothing. Go on, or give the user your answer.';

/**
 * Lets a model work until it answers, or a limit is reached. What it asks for is carried out call by call; a call of an
 * answer that used up a limit is not, since nobody would read its result. Rejects with fatal errors, those of the model,
 * and the reason of the signal.
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
    requireFew(answer.message.calls.length, model.name);
    used = addUsage(used, answer.usage ?? (await estimate(messages, answer)), model.price);
    add(answer.message);
    onEvent({ type: 'usage', usage: used });
    if (answer.end === 'refused') {
      throw new ToolwrightError(
        'MODEL_FAILED',
        `${model.name} held its answer back (content filter). Word the task differently.`,
      );
    }
    const { text, calls } = answer.message;
    if (calls.length === 0) {
      const whole = partial + text;
      if (answer.end !== 'length' && whole.trim() !== '') return { status: 'completed', answer: whole };
      if (answer.end === 'length') partial = whole;
      add({ role: 'user', text: answer.end === 'length' ? GO_ON : SAY_SOMETHING });
      continue;
    }
    partial = '';
    const reached = limitReached(used, limits);
    if (reached) return { status: 'stopped', limit: reached };
    for (const call of calls) {
      const result = await carryOut(call, options);
      add({ role: 'tool', call: call.id, tool: call.tool, ...result });
      signal.throwIfAborted();
    }
  }
}

function requireFew(calls: number, model: string): void {
  if (calls <= MAX_CALLS) return;
  const message = `${model} asked for ${calls} calls at once, at most ${MAX_CALLS} are carried out. None of them was.`;
  throw new ToolwrightError('MODEL_FAILED', message);
}

function askModel(messages: readonly ModelMessage[], options: LoopOptions): Promise<ModelAnswer> {
  const { model, system, signal, retry, endsAt, onEvent } = options;
  const request: ModelRequest = {
    system,
    // It grows while the answer is still read by whoever keeps the request.
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

/** For providers that do not count: o200k_base of what went out and came back. */
async function estimate(messages: readonly ModelMessage[], { message }: ModelAnswer): Promise<ModelUsage> {
  const count = await loadTokenizer();
  const inputTokens = messages.reduce((sum, sent) => sum + count(JSON.stringify(sent)), 0);
  return { inputTokens, outputTokens: count(JSON.stringify([message.text, message.calls])), cachedTokens: 0 };
}
