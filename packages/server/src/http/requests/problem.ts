import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '@toolwright/core';

/** Codes of HTTP errors, in addition to the error codes of the library. */
export type HttpCode =
  | ErrorCode
  | 'BAD_REQUEST'
  | 'MALFORMED_JSON'
  | 'INVALID_REQUEST'
  | 'FORBIDDEN'
  | 'UNAUTHENTICATED'
  | 'NOT_FOUND'
  | 'UNKNOWN_PAGE'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_ACCEPTABLE'
  | 'REQUEST_TIMEOUT'
  | 'BODY_TOO_LARGE'
  | 'HEADERS_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'EXPECTATION_FAILED'
  | 'IDEMPOTENCY_CONFLICT'
  | 'IDEMPOTENCY_MISMATCH'
  | 'INTERRUPTED'
  | 'STORAGE_FULL';

export interface ProblemOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem details. */
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
/** Seconds after which a client may retry when the server is overloaded or shutting down. */
export const RETRY_AFTER_SECONDS = 2;

/** Returns problem details by RFC 9457, as JSON. `instance` is the id of the request. */
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

/** Returns the response of a refused or failed request. */
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
