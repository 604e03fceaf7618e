import { ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';

/** The facts about a model that error messages need. */
export interface FailureContext {
  /** The model, `provider/name`. */
  readonly name: string;
  /** Texts that messages must not contain. */
  readonly secrets: readonly string[];
  /** The environment variable of the key, for the fix in the message. */
  readonly keyVariable?: string;
}

const MAX_CHARACTERS = 500;
/** Texts that look like a key, or like a key that the provider has masked. */
const KEY = /\b(?:sk-|AIza|ABSK)[\w*.-]{6,}|\bBearer\s+[\w*.-]+/g;
/** Statuses of temporary failures. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Converts an error of the AI SDK or of the network to a `ToolwrightError`. */
export function modelFailure(error: unknown, context: FailureContext): ToolwrightError {
  if (error instanceof ToolwrightError) return error;
  const { status, headers } = responseOf(error);
  const reason = redactKeys(messageOf(error), context.secrets);
  if (status === undefined) {
    return new ToolwrightError('MODEL_UNAVAILABLE', `${context.name} did not answer: ${reason}`);
  }
  if (status === 401 || status === 403) {
    const fix = context.keyVariable === undefined ? 'Check the credentials.' : `Check ${context.keyVariable}.`;
    return new ToolwrightError('ACCESS_DENIED', `${context.name} was refused (HTTP ${status}): ${reason}. ${fix}`);
  }
  if (status >= 500 || TEMPORARY.has(status)) {
    const retryAfterMs = retryAfter(headers);
    return new ToolwrightError('MODEL_UNAVAILABLE', `${context.name} answered HTTP ${status}: ${reason}`, {
      details: { status, retryAfterMs },
    });
  }
  const fix = status === 404 ? ' Check the name of the model and the base URL.' : '';
  return new ToolwrightError('MODEL_FAILED', `${context.name} refused the request (HTTP ${status}): ${reason}.${fix}`);
}

/** Replaces keys in a text of a provider, and shortens the text. */
export function redactKeys(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[key]');
  return clean.replaceAll(KEY, '[key]').slice(0, MAX_CHARACTERS);
}

/** Returns the status and the headers of a failed response, from the error or one of its causes. */
function responseOf(error: unknown): { status?: number; headers: Readonly<Record<string, string>> } {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { statusCode, responseHeaders } = at as { statusCode?: unknown; responseHeaders?: Record<string, string> };
    if (typeof statusCode === 'number' && statusCode >= 400)
      return { status: statusCode, headers: responseHeaders ?? {} };
  }
  return { headers: {} };
}

/** Returns the milliseconds of `retry-after-ms`, or of `Retry-After` (seconds or a date). */
function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
