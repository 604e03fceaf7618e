import { type ErrorCode, errorKind, type Logger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { hasNoInodes, isDiskFull } from '@toolwright/core/internal';
import { messageOf } from '@toolwright/sandbox/internal';
import { descriptorShortage, isDescriptorShortage } from '@toolwright/sandbox/processes';
import { HTTPException } from 'hono/http-exception';
import { type HttpCode, HttpProblem, RETRY_AFTER_SECONDS } from './problem.ts';

/** The status of codes that differ from the default of their kind. */
const STATUS: Readonly<Record<string, number>> = {
  BUSY: 503,
  LANGUAGE_SERVICE_BUSY: 503,
  CLOSED: 503,
  SANDBOX_UNAVAILABLE: 503,
  OWNERSHIP_LOST: 503,
  WORKSPACE_LOST: 503,
  STORE_UNAVAILABLE: 503,
  UNKNOWN_TOOL: 404,
  UNKNOWN_SERVER: 404,
  UNKNOWN_MODULE: 404,
  UNKNOWN_SESSION: 404,
  UNKNOWN_SKILL: 404,
  UNKNOWN_TASK: 404,
  UNKNOWN_EXECUTION: 404,
  EXECUTION_ENDED: 409,
  EXECUTION_RUNNING: 409,
  ALREADY_DECIDED: 409,
  QUESTION_CHANGED: 409,
  NOT_APPROVED: 409,
  TASK_RUNNING: 409,
  NOT_ALLOWED: 403,
  POLICY_DENIED: 403,
  NOT_SUPPORTED: 501,
  TOOL_TIMEOUT: 504,
  SOURCE_TOO_LARGE: 413,
  WORKSPACE_FULL: 507,
};
/** The status of each errno of a file operation. */
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
/** The code of each status that the router raises. */
const HTTP_CODES: Readonly<Record<number, HttpCode>> = {
  400: 'BAD_REQUEST',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};
const NO_SPACE = 'The disk of the data folder is full: nothing was written. Free space there';
const DATABASE_FULL =
  'The disk of the database is full: nothing was written. Free space there, then retry. Reading works.';
const NO_INODES = 'The disk of the data folder has no free inodes: nothing was written. Delete files there';
const WITHHELD = 'The message is withheld, because it could not be redacted. The log of the server has the reason.';
const HOST_PATH = /(?<![\w.])\/[\w.@/-]+/g;

/** Returns the problem of a request whose client has disconnected. */
export function disconnectedProblem(): HttpProblem {
  return new HttpProblem(400, 'BAD_REQUEST', 'The client disconnected before the response.');
}

/** Returns an error of the core with a redacted message: an upstream server may have written a part of it. */
export async function redactedFailure(error: unknown, pii: Toolwright['pii'], userId?: string): Promise<unknown> {
  if (!(error instanceof ToolwrightError)) return error;
  const { code, details, cause } = error;
  const message = await pii.redact(error.message, { userId }).catch(() => WITHHELD);
  return new ToolwrightError(code, message, { details, cause });
}

/** The request that failed, and the facts for the log that no client receives. */
export interface FailureContext {
  readonly requestId: string;
  readonly logger: Logger;
  /** The data folder of the server. */
  readonly dataDir?: string | undefined;
}

/** Returns the problem of an error. Internal errors are logged in full; the client receives the request id alone. */
export function problemOf(error: unknown, { requestId, logger, dataDir }: FailureContext): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ToolwrightError && error.details.disk === 'database') {
    logger.error({ requestId, err: error }, 'the disk of the database is full: free space there (see "df -h")');
    return storageFull(DATABASE_FULL);
  }
  if (isDescriptorShortage(error)) {
    logger.error({ requestId, err: error }, 'no free file descriptors: raise their limit (ulimit -n, LimitNOFILE)');
    return toolwrightProblem(descriptorShortage(error));
  }
  if (isDiskFull(error)) {
    const fix = 'free space or inodes there (see "df -h" and "df -i"), or set dataDir';
    logger.error({ requestId, folder: dataDir, err: error }, `the disk of the data folder is full: ${fix}`);
    const what = dataDir !== undefined && hasNoInodes(dataDir) ? NO_INODES : NO_SPACE;
    return storageFull(`${what}, then retry: the log of the server names the folder. Reading works.`);
  }
  const folder = dataFolderProblem(error);
  if (folder) {
    logger.error({ requestId, folder: dataDir, err: error }, 'the data folder cannot be used');
    return folder;
  }
  if (error instanceof HTTPException && HTTP_CODES[error.status]) {
    return new HttpProblem(error.status, HTTP_CODES[error.status] ?? 'BAD_REQUEST', error.message || 'Bad request.');
  }
  if (error instanceof ToolwrightError && !isOpaque(error)) return toolwrightProblem(error);
  logger.error({ requestId, err: error }, 'internal error');
  const message = `Internal error [${requestId}]. The log of the server has the details.`;
  return new HttpProblem(500, 'INTERNAL', message);
}

/** The message of the error names paths of this machine, which only the log has. */
function dataFolderProblem(error: unknown): HttpProblem | undefined {
  if (!(error instanceof ToolwrightError) || error.details.part !== 'dataFolder') return undefined;
  const { errno, file } = error.details;
  const detail =
    typeof file === 'string'
      ? `The file ${file} in the data folder is damaged. The log of the server has the fix.`
      : `The data folder cannot be written to${typeof errno === 'string' ? ` (${errno})` : ''}. The log of the server names it. Reading works.`;
  return new HttpProblem(503, error.code, detail, { headers: { 'retry-after': '60' } });
}

function storageFull(detail: string): HttpProblem {
  return new HttpProblem(507, 'STORAGE_FULL', detail, { headers: { 'retry-after': '60' } });
}

function toolwrightProblem(error: ToolwrightError): HttpProblem {
  const { code, details } = error;
  // The message of a missing sandbox contains paths of this machine.
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

/** Returns whether the message may contain paths or file contents of this machine. */
function isOpaque({ code, cause }: ToolwrightError): boolean {
  return code === 'INTERNAL' || (code === 'CONFIG_INVALID' && cause !== undefined);
}

/** Returns the problem of a request that fails before any route. */
export function refusal(error: unknown): HttpProblem {
  return new HttpProblem(400, 'BAD_REQUEST', `The request cannot be read: ${messageOf(error).slice(0, 100)}.`);
}
