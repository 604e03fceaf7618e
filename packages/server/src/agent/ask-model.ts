import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { ToolwrightError } from '@toolwright/core';
import { inSpan } from '@toolwright/core/internal';
import type { Model, ModelAnswer, ModelRequest } from '../models/model.ts';

/** How a model that does not answer is asked again. */
export interface RetrySettings {
  /** Requests for one answer, the first included. */
  readonly attempts: number;
  /** Pause before the second request, which doubles each time; a random part of it is left out. */
  readonly baseMs: number;
  /** The longest pause, unless the provider names a longer one. */
  readonly maxMs: number;
  /** A request is given up when nothing came for so long. */
  readonly idleMs: number;
}

export const DEFAULT_RETRY: RetrySettings = { attempts: 6, baseMs: 1_000, maxMs: 30_000, idleMs: 120_000 };

export interface AskOptions {
  readonly retry: RetrySettings;
  /** When the task's time is over; milliseconds as `performance.now()` counts them. */
  readonly endsAt: number;
  /** Before each pause. */
  readonly onRetry: (reason: string, afterMs: number) => void;
}

/**
 * Asks a model for one answer, again after what may pass: 429, 5xx, a cut or silent stream. Only the question is repeated;
 * nothing that it led to has run yet. Raises what the model raises when attempts or time are used up.
 */
export async function ask(model: Model, request: ModelRequest, options: AskOptions): Promise<ModelAnswer> {
  const { retry, endsAt, onRetry } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await traced(model, () => askOnce(model, request, retry.idleMs));
    } catch (error) {
      request.signal.throwIfAborted();
      const isRetryable = error instanceof ToolwrightError && error.code === 'MODEL_UNAVAILABLE';
      if (!isRetryable) throw error;
      const afterMs = pauseMs(attempt, retry, error.details.retryAfterMs);
      if (attempt >= retry.attempts) throw unavailable(error, `It was asked ${attempt} times.`);
      if (performance.now() + afterMs >= endsAt) throw unavailable(error, 'No time is left to ask again.');
      onRetry(error.message, afterMs);
      await sleep(afterMs, undefined, { signal: request.signal }).catch(() => request.signal.throwIfAborted());
    }
  }
}

/** Asks within a span of the conventions for models: each attempt is one. What was asked and answered is not in it. */
function traced(model: Model, work: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
  const [provider = '', ...rest] = model.name.split('/');
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': PROVIDER_NAMES[provider] ?? provider,
    'gen_ai.request.model': rest.join('/'),
  };
  return inSpan(`chat ${rest.join('/')}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    const answer = await work();
    const { usage } = answer;
    if (usage) {
      span.setAttribute('gen_ai.usage.input_tokens', usage.inputTokens);
      span.setAttribute('gen_ai.usage.output_tokens', usage.outputTokens);
    }
    return answer;
  });
}

/** What the conventions call providers, where it is not what we do. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
};

async function askOnce(model: Model, request: ModelRequest, idleMs: number): Promise<ModelAnswer> {
  const silence = new AbortController();
  const giveUp = () => {
    const message = `${model.name} sent nothing for ${idleMs} ms.`;
    silence.abort(new ToolwrightError('MODEL_UNAVAILABLE', message));
  };
  const timer = setTimeout(giveUp, idleMs);
  try {
    return await model.answer({
      ...request,
      signal: AbortSignal.any([request.signal, silence.signal]),
      onActivity: () => timer.refresh(),
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds to wait: between half and all of a pause that doubles, and never less than the provider asked for. */
function pauseMs(attempt: number, { baseMs, maxMs }: RetrySettings, asked: unknown): number {
  const whole = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  const jittered = whole * (0.5 + Math.random() / 2);
  return Math.round(typeof asked === 'number' ? asked + jittered / 4 : jittered);
}

function unavailable(error: ToolwrightError, why: string): ToolwrightError {
  const detail = error.message.replace(/[.\s]*$/, '.');
  return new ToolwrightError(error.code, `${detail} ${why}`, { cause: error, details: error.details });
}
