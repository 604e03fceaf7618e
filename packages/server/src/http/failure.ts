import { type ErrorCode, errorKind, type Logger, ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';
import { HTTPException } from 'hono/http-exception';
import { type HttpCode, HttpProblem, RETRY_AFTER_SECONDS } from './problem.ts';

/** The status of each code that is not the default of its kind. */
const STATUS: Readonly<Record<string, number>> = {
  BUSY: 503,
  CLOSED: 503,
  SANDBOX_UNAVAILABLE: 503,
  STORE_UNAVAILABLE: 503,
  UNKNOWN_TOOL: 404,
  UNKNOWN_SERVER: 404,
  UNKNOWN_MODULE: 404,
  UNKNOWN_SESSION: 404,
  UNKNOWN_SKILL: 404,
  UNKNOWN_TASK: 404,
  UNKNOWN_EXECUTION: 404,
  NOT_ALLOWED: 403,
  NOT_SUPPORTED: 501,
  TOOL_TIMEOUT: 504,
  SOURCE_TOO_LARGE: 413,
  WORKSPACE_FULL: 507,
};
/** What a file operation is refused for. */
const FILE_STATUS: Readonly<Record<string, number>> = {
  ENOENT: 404,
  EACCES: 403,
  ELOOP: 403,
  EPERM: 403,
  EINVAL: 400,
  ENAMETOOLONG: 400,
  EFBIG: 413,
  EEXIST: 409,
  EISDIR: 409,
  ENOTDIR: 409,
  ENOTEMPTY: 409,
  EXDEV: 409,
};
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** Statuses that the router and its parts raise themselves. */
const HTTP_CODES: Readonly<Record<number, HttpCode>> = {
  400: 'BAD_REQUEST',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};
const MAX_CAUSES = 5;
const HOST_PATH = /(?<![\w.])\/[\w.@/-]+/g;

/** What nobody gets to read, since who asked has gone. */
export function goneProblem(): HttpProblem {
  return new HttpProblem(400, 'BAD_REQUEST', 'The client went away before the answer was there.');
}

/** The problem that an error is told as. A defect of ours goes to the log, under the id of the request alone. */
export function problemOf(error: unknown, requestId: string, logger: Pick<Logger, 'error'>): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (isDiskFull(error)) {
    logger.error({ requestId, err: error }, 'the disk is full');
    const detail = 'The disk of the server is full: nothing was written. Reading works; try again once there is room.';
    return new HttpProblem(507, 'STORAGE_FULL', detail, { headers: { 'retry-after': '60' } });
  }
  if (error instanceof HTTPException && HTTP_CODES[error.status]) {
    return new HttpProblem(error.status, HTTP_CODES[error.status] ?? 'BAD_REQUEST', error.message || 'Bad request.');
  }
  if (error instanceof ToolwrightError && !isOpaque(error)) return toolwrightProblem(error);
  logger.error({ requestId, err: error }, 'internal error');
  const message = `Internal error [${requestId}]. The log of the server has the details.`;
  return new HttpProblem(500, 'INTERNAL', message);
}

function toolwrightProblem(error: ToolwrightError): HttpProblem {
  const { code, details } = error;
  // What a sandbox lacks is told with paths of this machine.
  const message = code === 'SANDBOX_UNAVAILABLE' ? error.message.replaceAll(HOST_PATH, '…') : error.message;
  const status =
    code === 'FILE_ERROR' ? (FILE_STATUS[String(details.errno)] ?? 500) : (STATUS[code] ?? defaultStatus(code));
  const headers = status === 503 ? { 'retry-after': `${RETRY_AFTER_SECONDS}` } : undefined;
  return new HttpProblem(status, code, message, headers ? { headers } : {});
}

function defaultStatus(code: ErrorCode): number {
  const kind = errorKind(code);
  if (kind === 'upstream') return 502;
  return kind === 'internal' ? 500 : 422;
}

/** Whether a message may hold what is of this machine: paths of its disk, what was found on it. */
function isOpaque({ code, cause }: ToolwrightError): boolean {
  return code === 'INTERNAL' || (code === 'CONFIG_INVALID' && cause !== undefined);
}

/** Whether the disk was full, as the library tells it (`details.errno`) or as Node does (`code`), at any depth. */
export function isDiskFull(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if (FULL.has((current as NodeJS.ErrnoException).code)) return true;
    if (current instanceof ToolwrightError && FULL.has(current.details.errno)) return true;
    current = current.cause;
  }
  return false;
}

/** The message of what the HTTP parser, or the listener before any route, refuses. */
export function refusal(error: unknown): HttpProblem {
  return new HttpProblem(400, 'BAD_REQUEST', `The request cannot be read: ${messageOf(error).slice(0, 100)}.`);
}
