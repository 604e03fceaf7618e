import { messageOf } from '../../../errors.ts';

/** Raised when a request to the API server fails. */
export class ApiError extends Error {
  /** HTTP status, if the API server answered. */
  readonly status: number | undefined;
  /** The reason of Kubernetes, such as `AlreadyExists`, or the code of the failed connection. */
  readonly reason: string | undefined;

  constructor(
    message: string,
    options: { readonly status?: number; readonly reason?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.reason = options.reason;
  }

  /** Converts an answer with the status of a failure. Its body is a `Status` of Kubernetes, or the text of a proxy. */
  static fromAnswer(status: number, body: string): ApiError {
    const { message, reason } = statusOf(body);
    const text = typeof message === 'string' ? message : body.trim().slice(0, MAX_TEXT) || `status ${status}`;
    return new ApiError(text, { status, reason: typeof reason === 'string' ? reason : undefined });
  }

  /** Converts the error of a connection. */
  static from(thrown: unknown): ApiError {
    if (thrown instanceof ApiError) return thrown;
    const { code } = Object(thrown);
    // Node reports several refused addresses as one error without a message.
    const message = messageOf(thrown) || String(code ?? 'the connection failed');
    return new ApiError(message, { reason: typeof code === 'string' ? code : undefined, cause: thrown });
  }
}

const MAX_TEXT = 300;

function statusOf(body: string): { readonly message?: unknown; readonly reason?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

/** Returns whether a failure means that the resource does not exist. */
export function isMissing(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status === 404;
}
