import { ToolwrightError } from '../errors.ts';

/** Why a request is not answered, as RFC 9457 tells it. */
export interface Refusal {
  readonly status: 400 | 401 | 429 | 503;
  /** What went wrong, in a few words that are always the same. */
  readonly title: string;
  /** What went wrong this time, and what to do. Never holds what the client sent. */
  readonly detail: string;
  /** Stable code, as in `docs/errors.md`. */
  readonly code: string;
  /** URI of the problem's type; `about:blank`, the default, says no more than the status. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Type of a problem that the draft of the RateLimit headers registers. */
export const QUOTA_PROBLEM = 'https://iana.org/assignments/http-problem-types#quota-exceeded';
/** Seconds after which a client may try again what failed for lack of room, or of something behind us. */
export const RETRY_AFTER_SECONDS = 5;

/** Makes the answer of a refused request: problem details that no cache keeps. */
export function refuse({ status, title, detail, code, type = 'about:blank', headers = {} }: Refusal): Response {
  return new Response(JSON.stringify({ type, title, status, detail, code }), {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  });
}

/**
 * The answer for an error that means "not now": 429 for a used up quota, 503 for no room (`BUSY`), a drained process
 * (`CLOSED`) and a store that does not answer, each with `Retry-After`. `undefined` for every other error.
 */
export function refusalOf(error: unknown): Response | undefined {
  if (!(error instanceof ToolwrightError)) return undefined;
  const { code, details } = error;
  if (code === 'QUOTA_EXCEEDED') {
    const headers = { 'retry-after': String(details.retryAfterSeconds ?? RETRY_AFTER_SECONDS) };
    return refuse({
      status: 429,
      title: 'Quota exceeded',
      detail: error.message,
      code,
      type: QUOTA_PROBLEM,
      headers,
    });
  }
  const detail = UNAVAILABLE[code];
  if (detail === undefined) return undefined;
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return refuse({ status: 503, title: 'Service unavailable', detail, code, headers });
}

/** What a client is told; the error's own words may name paths and hosts. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  BUSY: 'All sandboxes are busy and the queue is full. Try again later.',
  CLOSED: 'The server is going down. Try again later.',
  STORE_UNAVAILABLE: 'The store of the server does not answer. Try again later.',
};
