import { type OnSampling, ToolwrightError } from '@toolwright/core';
import type { Model, ModelMessage, OpenModel } from './model.ts';

/** Reasons for the end of an answer, as `sampling/createMessage` names them. */
const STOP_REASONS = { stop: 'endTurn', calls: 'endTurn', length: 'maxTokens', refused: 'endTurn' } as const;

/**
 * Returns a function that answers requests of servers with configured models, for `onSampling` of `createToolwright`. It answers text
 * with text: a request with tools, images or recordings raises `TOOL_FAILED`.
 */
export function modelSampler(open: OpenModel): OnSampling {
  return async ({ server, model: name, maxTokens, params, signal }) => {
    const { messages, systemPrompt, tools } = params;
    if (Array.isArray(tools) && tools.length > 0) throw notAnswered(server, 'it has tools for the model');
    const model: Model = await open(name);
    const { message, end } = await model.answer({
      system: typeof systemPrompt === 'string' ? systemPrompt : '',
      messages: (messages as readonly unknown[]).map((each) => messageOf(server, each)),
      tools: [],
      maxTokens,
      signal,
    });
    return {
      role: 'assistant',
      content: { type: 'text', text: message.text },
      model: model.name,
      stopReason: STOP_REASONS[end],
    };
  };
}

function messageOf(server: string, message: unknown): ModelMessage {
  const { role, content } = Object(message);
  const text = (Array.isArray(content) ? content : [content])
    .map((block) => {
      if (Object(block).type !== 'text') throw notAnswered(server, 'it has other content than text');
      return String(block.text);
    })
    .join('\n');
  return role === 'assistant' ? { role, text, calls: [] } : { role: 'user', text };
}

function notAnswered(server: string, reason: string): ToolwrightError {
  const message = `The request of ${server} for an answer of a model was refused: ${reason}, and the configured model answers text only.`;
  return new ToolwrightError('TOOL_FAILED', message, { details: { server } });
}
