import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '@toolwright/core';

/** Codes of what is wrong with a request, or with the moment of it, beside those of the library. */
export type HttpCode =
  | ErrorCode
  | 'BAD_REQUEST'
  | 'MALFORMED_JSON'
  | 'INVALID_REQUEST'
  | 'FORBIDDEN'
  | 'UNAUTHENTICATED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_ACCEPTABLE'
  | 'REQUEST_TIMEOUT'
  | 'BODY_TOO_LARGE'
  | 'HEADERS_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'EXPECTATION_FAILED'
  | 'IDEMPOTENCY_CONFLICT'
  | 'IDEMPOTENCY_MISMATCH'
  | 'RATE_LIMITED'
  | 'INTERRUPTED'
  | 'STORAGE_FULL';

export interface ProblemOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Members beside those that every problem has. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Raised by a route or a middleware to answer with problem details. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly code: HttpCode;
  readonly options: ProblemOptions;

  constructor(status: number, code: HttpCode, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.options = options;
  }
}

export const PROBLEM_TYPE = 'application/problem+json';
/** Seconds after which to try again what was refused for want of room. */
export const RETRY_AFTER_SECONDS = 2;

/** Problem details as RFC 9457 has them; `instance` is the id of the request. */
export function problemBody({ status, code, message, options }: HttpProblem, instance: string): string {
  return JSON.stringify({
    type: `urn:toolwright:error:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code,
    detail: message,
    instance,
    ...options.extensions,
  });
}

/** The answer to a request that cannot be met. */
export function problemResponse(problem: HttpProblem, instance: string): Response {
  const { status, options } = problem;
  const headers = {
    'content-type': PROBLEM_TYPE,
    'cache-control': 'no-store',
    'x-request-id': instance,
    ...options.headers,
  };
  return new Response(problemBody(problem, instance), { status, headers });
}
