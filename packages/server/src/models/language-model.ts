import { ToolwrightError } from '@toolwright/core';
import type { JSONValue, LanguageModel, LanguageModelUsage, ModelMessage as SdkMessage, ToolSet } from 'ai';
import { type FailureContext, modelFailure } from './failure.ts';
import type { Model, ModelAnswer, ModelCall, ModelMessage, ModelRequest, ModelUsage } from './model.ts';
import { priceOf } from './prices.ts';

type ProviderOptions = Record<string, Record<string, JSONValue>>;

export interface LanguageModelOptions extends FailureContext {
  readonly model: LanguageModel;
  /** Sent with every request, by provider. */
  readonly providerOptions?: ProviderOptions;
  /** Marks the end of what the provider is to cache: on the instructions and on the last message. */
  readonly cacheMark?: ProviderOptions;
}

/** Characters of one answer, with its thoughts and the programs in it: no model that ends writes so many. */
const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024;

/** A model of the AI SDK as ours: one streamed answer for each request, and errors of our own. */
export function languageModel(options: LanguageModelOptions): Model {
  const { name } = options;
  const price = priceOf(name);
  return { name, ...(price === undefined ? {} : { price }), answer: (request) => answer(options, request) };
}

async function answer(options: LanguageModelOptions, request: ModelRequest): Promise<ModelAnswer> {
  const { name, model, providerOptions, cacheMark } = options;
  const { jsonSchema, streamText } = await import('ai');
  // It would write to stdout, where results go.
  (globalThis as { AI_SDK_LOG_WARNINGS?: unknown }).AI_SDK_LOG_WARNINGS ??= false;
  // Who only stops reading leaves the SDK reading on, into memory.
  const leaving = new AbortController();
  const tools: ToolSet = Object.fromEntries(
    request.tools.map(({ name: tool, description, inputSchema }) => [
      tool,
      { description, inputSchema: jsonSchema(structuredClone(inputSchema)) },
    ]),
  );
  const mark = cacheMark === undefined ? {} : { providerOptions: cacheMark };
  const messages = request.messages.map((message) => sdkMessage(message, name));
  const last = messages.pop();
  try {
    const stream = streamText({
      model,
      tools,
      system: { role: 'system', content: request.system, ...mark },
      messages: last ? [...messages, { ...last, ...mark }] : messages,
      // Who calls us knows how much time is left.
      maxRetries: 0,
      abortSignal: AbortSignal.any([request.signal, leaving.signal]),
      onError: () => undefined,
      ...(providerOptions === undefined ? {} : { providerOptions }),
    });
    const calls: ModelCall[] = [];
    let text = '';
    let finish: { reason: string; raw: string | undefined; usage: ModelUsage | undefined } | undefined;
    let characters = 0;
    for await (const part of stream.fullStream) {
      request.onActivity?.();
      characters += 'text' in part ? part.text.length : 'delta' in part ? part.delta.length : 0;
      if (characters > MAX_ANSWER_CHARACTERS) {
        leaving.abort();
        const message = `${name} sent more than ${MAX_ANSWER_CHARACTERS} characters in one answer, which is the limit. Choose another model.`;
        throw new ToolwrightError('MODEL_FAILED', message);
      }
      if (part.type === 'error') throw part.error;
      if (part.type === 'abort') request.signal.throwIfAborted();
      if (part.type === 'text-delta') {
        text += part.text;
        request.onText?.(part.text);
      }
      if (part.type === 'tool-call') {
        const problem = part.invalid === true ? String((part.error as Error | undefined)?.message ?? 'unreadable') : '';
        calls.push({
          id: part.toolCallId,
          tool: part.toolName,
          input: part.input,
          ...(problem === '' ? {} : { problem }),
        });
      }
      if (part.type === 'finish-step') {
        finish = { reason: part.finishReason, raw: part.rawFinishReason, usage: usageOf(part.usage) };
      }
    }
    request.signal.throwIfAborted();
    // Every provider says why it ended; the SDK calls it `other` when the stream was cut before.
    if (finish === undefined || (finish.reason === 'other' && finish.raw === undefined)) {
      throw new ToolwrightError('MODEL_UNAVAILABLE', `The answer of ${name} broke off before its end.`);
    }
    // Asked for only now: after a failure it would be a rejection that nobody hears.
    const content = (await stream.response).messages.find(({ role }) => role === 'assistant')?.content;
    const message = { role: 'assistant' as const, text, calls, ...nativeOf(name, content, calls) };
    return { message, end: endOf(finish.reason, calls), ...(finish.usage ? { usage: finish.usage } : {}) };
  } catch (error) {
    request.signal.throwIfAborted();
    throw modelFailure(error, options);
  }
}

/** Kept as the SDK has it, unless a call in it is broken: that one would be refused the next time. */
function nativeOf(model: string, content: unknown, calls: readonly ModelCall[]): Pick<AssistantMessage, 'native'> {
  if (!Array.isArray(content) || calls.some(({ problem }) => problem !== undefined)) return {};
  return { native: { model, content: JSON.parse(JSON.stringify(content)) } };
}

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

function sdkMessage(message: ModelMessage, model: string): SdkMessage {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') {
    const { call: toolCallId, tool: toolName, text: value, isError } = message;
    const output = { type: isError ? ('error-text' as const) : ('text' as const), value };
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
  }
  if (message.native?.model === model) {
    return { role: 'assistant', content: message.native.content } as SdkMessage;
  }
  const calls = message.calls.map(({ id: toolCallId, tool: toolName, input }) => ({
    type: 'tool-call' as const,
    toolCallId,
    toolName,
    input: typeof input === 'object' && input !== null ? input : {},
  }));
  const texts = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }];
  // An empty message is refused by some.
  return { role: 'assistant', content: calls.length + texts.length > 0 ? [...texts, ...calls] : '…' };
}

function usageOf({ inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage): ModelUsage | undefined {
  // No request has no tokens: servers of one's own send zeros when they do not count.
  if (!inputTokens || outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, cachedTokens: inputTokenDetails?.cacheReadTokens ?? 0 };
}

function endOf(reason: string, calls: readonly ModelCall[]): ModelAnswer['end'] {
  if (reason === 'content-filter') return 'refused';
  if (reason === 'length') return 'length';
  return calls.length > 0 ? 'calls' : 'stop';
}
