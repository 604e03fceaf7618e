import { ToolwrightError } from '@toolwright/core';
import type { JSONValue, LanguageModel, LanguageModelUsage, ModelMessage as SdkMessage, ToolSet } from 'ai';
import { type FailureContext, modelFailure } from './failure.ts';
import type { Model, ModelAnswer, ModelCall, ModelMessage, ModelPrice, ModelRequest, ModelUsage } from './model.ts';

type ProviderOptions = Record<string, Record<string, JSONValue>>;

interface LanguageModelOptions extends FailureContext {
  readonly model: LanguageModel;
  /** Sent with every request, by provider. */
  readonly providerOptions?: ProviderOptions;
  /** Marks the end of the cacheable part: on the instructions and on the last message. */
  readonly cacheMark?: ProviderOptions;
}

/** The most characters of one answer, including reasoning and programs. Only endless answers reach it. */
const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024;

/**
 * List prices in US dollars for a million tokens, copied from models.dev (github.com/anomalyco/models.dev, `providers/`) on
 * 2026-11-22. The table has no prices for long prompts, cache writes and batches. Prices change, so costs are estimates.
 */
const PRICES: Readonly<Record<string, ModelPrice>> = {
  'anthropic/claude-haiku-4-5': { input: 1, output: 5, cachedInput: 0.1 },
  'anthropic/claude-opus-4-5': { input: 5, output: 25, cachedInput: 0.5 },
  'anthropic/claude-opus-5': { input: 5, output: 25, cachedInput: 0.5 },
  'anthropic/claude-sonnet-4-5': { input: 3, output: 15, cachedInput: 0.3 },
  'anthropic/claude-sonnet-5': { input: 2, output: 10, cachedInput: 0.2 },
  'google/gemini-2.5-flash': { input: 0.3, output: 2.5, cachedInput: 0.03 },
  'google/gemini-2.5-pro': { input: 1.25, output: 10, cachedInput: 0.125 },
  'mistral/mistral-large-latest': { input: 0.5, output: 1.5 },
  'mistral/mistral-small-latest': { input: 0.1, output: 0.3 },
  'openai/gpt-5': { input: 1.25, output: 10, cachedInput: 0.125 },
  'openai/gpt-5-mini': { input: 0.25, output: 2, cachedInput: 0.025 },
};

/** The date of a version at the end of a name: `-20250929`, `-2025-08-07`. */
const DATE = /-(?:\d{8}|\d{4}-\d\d-\d\d)$/;

/** Adapts a model of the AI SDK to the `Model` port. It streams answers and raises `ToolwrightError`. */
export function languageModel(options: LanguageModelOptions): Model {
  const { name } = options;
  const price = priceOf(name);
  return { name, price, answer: (request) => answer(options, request) };
}

async function answer(options: LanguageModelOptions, request: ModelRequest): Promise<ModelAnswer> {
  const { name, model, providerOptions, cacheMark } = options;
  const { jsonSchema, streamText } = await import('ai');
  // The SDK would write warnings to stdout, which carries results.
  (globalThis as { AI_SDK_LOG_WARNINGS?: unknown }).AI_SDK_LOG_WARNINGS ??= false;
  // Without an abort, the SDK would continue to read an abandoned stream into memory.
  const abandoning = new AbortController();
  const tools: ToolSet = Object.fromEntries(
    request.tools.map(({ name: tool, description, inputSchema }) => [
      tool,
      { description, inputSchema: jsonSchema(structuredClone(inputSchema)) },
    ]),
  );
  const mark = cacheMark && { providerOptions: cacheMark };
  const messages = request.messages.map((message) => sdkMessage(message, name));
  const last = messages.pop();
  try {
    const stream = streamText({
      model,
      tools,
      system: { role: 'system', content: request.system, ...mark },
      messages: last ? [...messages, { ...last, ...mark }] : messages,
      maxOutputTokens: request.maxTokens,
      // The caller retries within the time limit of the task.
      maxRetries: 0,
      abortSignal: AbortSignal.any([request.signal, abandoning.signal]),
      onError: () => undefined,
      providerOptions,
    });
    const calls: ModelCall[] = [];
    let text = '';
    let finish: { reason: string; raw: string | undefined; usage: ModelUsage | undefined } | undefined;
    let characters = 0;
    for await (const part of stream.fullStream) {
      request.onActivity?.();
      characters += 'text' in part ? part.text.length : 'delta' in part ? part.delta.length : 0;
      if (characters > MAX_ANSWER_CHARACTERS) {
        abandoning.abort();
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
          ...(problem && { problem }),
        });
      }
      if (part.type === 'finish-step') {
        finish = { reason: part.finishReason, raw: part.rawFinishReason, usage: usageOf(part.usage) };
      }
    }
    request.signal.throwIfAborted();
    // Every provider sends a finish reason. For a cut stream, the SDK reports `other` without a raw reason.
    if (finish === undefined || (finish.reason === 'other' && finish.raw === undefined)) {
      throw new ToolwrightError('MODEL_UNAVAILABLE', `The answer of ${name} ended before it was complete.`);
    }
    // Read only after a success: after a failure it would be an unhandled rejection.
    const content = (await stream.response).messages.find(({ role }) => role === 'assistant')?.content;
    const message = { role: 'assistant' as const, text, calls, ...nativeOf(name, content, calls) };
    return { message, end: endOf(finish.reason, calls), usage: finish.usage };
  } catch (error) {
    request.signal.throwIfAborted();
    throw modelFailure(error, options);
  }
}

/**
 * Returns the message in the form of the SDK. Returns nothing when a call in it is invalid, because the provider would refuse
 * that call in the next request.
 */
function nativeOf(model: string, content: unknown, calls: readonly ModelCall[]) {
  if (!Array.isArray(content) || calls.some(({ problem }) => problem !== undefined)) return {};
  return { native: { model, content: JSON.parse(JSON.stringify(content)) } };
}

function sdkMessage(message: ModelMessage, model: string): SdkMessage {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') {
    const { call: toolCallId, tool: toolName } = message;
    const output = toolOutput(message);
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
  // Some providers refuse an empty message.
  return { role: 'assistant', content: calls.length + texts.length > 0 ? [...texts, ...calls] : '…' };
}

/** Returns the result of a tool; with images, as parts that the provider's SDK converts. */
function toolOutput({ text, isError, media = [] }: Extract<ModelMessage, { role: 'tool' }>) {
  if (media.length === 0) return { type: isError ? ('error-text' as const) : ('text' as const), value: text };
  const shown = media.map(({ type, data, mimeType: mediaType }) => ({
    type: type === 'image' ? ('image-data' as const) : ('file-data' as const),
    data,
    mediaType,
  }));
  return { type: 'content' as const, value: [{ type: 'text' as const, text }, ...shown] };
}

function usageOf({ inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage): ModelUsage | undefined {
  // Every request has input tokens. Some self-hosted servers send zeros when they do not count.
  if (!inputTokens || outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, cachedTokens: inputTokenDetails?.cacheReadTokens ?? 0 };
}

function endOf(reason: string, calls: readonly ModelCall[]): ModelAnswer['end'] {
  if (reason === 'content-filter') return 'refused';
  if (reason === 'length') return 'length';
  return calls.length > 0 ? 'calls' : 'stop';
}

/** Returns the price of a model or of its dated version, or `undefined` for a model outside of the table. */
function priceOf(name: string): ModelPrice | undefined {
  const known = (key: string) => (Object.hasOwn(PRICES, key) ? PRICES[key] : undefined);
  return known(name) ?? known(name.replace(DATE, ''));
}
