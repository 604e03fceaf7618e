import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { inSpan } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core';
import type { Model, ModelAnswer, ModelRequest } from '../../models/model.ts';

/** Retries of requests to a model. */
export interface RetrySettings {
  /** Maximum requests for one answer, including the first. */
  readonly attempts: number;
  /** Pause before the second request. It doubles for each further request, minus a random part (jitter). */
  readonly baseMs: number;
  /** The longest pause, unless the provider names a longer one. */
  readonly maxMs: number;
  /** A request is aborted after this time without received data. */
  readonly idleMs: number;
}

export const DEFAULT_RETRY: RetrySettings = { attempts: 6, baseMs: 1_000, maxMs: 30_000, idleMs: 120_000 };

export interface AskOptions {
  readonly retry: RetrySettings;
  /** Deadline of the task on the clock of `performance.now()`, in milliseconds. */
  readonly endsAt: number;
  /** Called before each pause. */
  readonly onRetry: (reason: string, afterMs: number) => void;
}

/**
 * Requests one answer from a model. Retries after temporary failures: 429, 5xx, a cut or silent stream. A retry repeats
 * no effects, because programs run only after a complete answer. Raises the last error when attempts or time are used up.
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
      if (attempt >= retry.attempts) throw unavailable(error, `Toolwright sent ${attempt} requests.`);
      if (performance.now() + afterMs >= endsAt)
        throw unavailable(error, 'The time limit of the task leaves no time for a retry.');
      onRetry(error.message, afterMs);
      await sleep(afterMs, undefined, { signal: request.signal }).catch(() => request.signal.throwIfAborted());
    }
  }
}

/** Runs one attempt in a span of the OpenTelemetry conventions for models. The span has neither request nor answer. */
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

/** Provider names of the conventions, where they differ from ours. */
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

/** Returns the pause with jitter, in milliseconds. It is never shorter than the pause that the provider requested. */
function pauseMs(attempt: number, { baseMs, maxMs }: RetrySettings, asked: unknown): number {
  const whole = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  const jittered = whole * (0.5 + Math.random() / 2);
  return Math.round(typeof asked === 'number' ? asked + jittered / 4 : jittered);
}

function unavailable(error: ToolwrightError, why: string): ToolwrightError {
  const detail = error.message.replace(/[.\s]*$/, '.');
  return new ToolwrightError(error.code, `${detail} ${why}`, { cause: error, details: error.details });
}
