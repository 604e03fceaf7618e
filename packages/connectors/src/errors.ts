export { messageOf } from '@toolwright/sandbox/errors';

/** Stable codes of all errors that Toolwright raises. Compare codes, never messages. */
export type ErrorCode = (typeof ERROR_CODES)[number];

const ERROR_CODES = [
  'CONFIG_INVALID',
  'SANDBOX_UNAVAILABLE',
  'SANDBOX_LOST',
  'BUSY',
  'CANCELLED',
  'CLOSED',
  'SYNTAX',
  'SOURCE_TOO_COMPLEX',
  'LANGUAGE_SERVICE_BUSY',
  'TYPE_ERROR',
  'SOURCE_TOO_LARGE',
  'GUEST_ERROR',
  'RESULT_NOT_JSON',
  'RESULT_TOO_LARGE',
  'NEVER_SETTLES',
  'UNKNOWN_TOOL',
  'TOOL_QUARANTINED',
  'TOOL_NOT_NAMED',
  'UNKNOWN_SERVER',
  'UNKNOWN_MODULE',
  'UNKNOWN_SESSION',
  'INVALID_ARGUMENTS',
  'ARGUMENTS_TOO_LARGE',
  'TOOL_RESULT_TOO_LARGE',
  'TOOL_FAILED',
  'TOOL_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_PROTOCOL',
  'ACCESS_DENIED',
  'AUTHORIZATION_REQUIRED',
  'NOT_SUPPORTED',
  'NOT_ALLOWED',
  'POLICY_DENIED',
  'FILE_ERROR',
  'WORKSPACE_FULL',
  'WORKSPACE_LOST',
  'JOURNAL_FULL',
  'JOURNAL_UNSAFE',
  'UNKNOWN_SKILL',
  'SKILL_INVALID',
  'SKILL_REPLAY_MISMATCH',
  'UNKNOWN_EXECUTION',
  'JOURNAL_DAMAGED',
  'REPLAY_MISMATCH',
  'EXECUTION_ENDED',
  'EXECUTION_RUNNING',
  'EXECUTION_SUSPENDED',
  'EXECUTION_FAILED',
  'OWNERSHIP_LOST',
  'OUTCOME_UNKNOWN',
  'APPROVAL_DENIED',
  'APPROVAL_EXPIRED',
  'NOT_APPROVED',
  'DRY_RUN_MISMATCH',
  'ALREADY_DECIDED',
  'QUESTION_CHANGED',
  'UNKNOWN_TASK',
  'TASK_RUNNING',
  'TASK_TAKEN_OVER',
  'MODEL_UNAVAILABLE',
  'MODEL_FAILED',
  'BRIDGE_PROTOCOL',
  'STORE_UNAVAILABLE',
  'VAULT_LOCKED',
  'VAULT_CORRUPT',
  'UNKNOWN_PLACEHOLDER',
  'PII_DENIED',
  'PII_LIMIT',
  'PATTERN_INVALID',
  'UNAUTHENTICATED',
  'AUTH_UNAVAILABLE',
  'QUOTA_EXCEEDED',
  'INTERNAL',
] as const;
const KNOWN_CODES: ReadonlySet<string> = new Set(ERROR_CODES);

/**
 * The cause of an error. `user`: a mistake of the author or a refusal of a tool; the message is for the author,
 * verbatim. `upstream`: a server is down, hangs or breaks its protocol. `internal`: a defect of Toolwright; callers
 * receive an id, and the log has the details.
 */
export type ErrorKind = 'user' | 'upstream' | 'internal';

const UPSTREAM_CODES: ReadonlySet<string> = new Set([
  'TOOL_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_PROTOCOL',
  'ACCESS_DENIED',
  'NOT_SUPPORTED',
  'MODEL_UNAVAILABLE',
  'MODEL_FAILED',
]);
const INTERNAL_CODES: ReadonlySet<string> = new Set([
  'INTERNAL',
  'SANDBOX_LOST',
  'SANDBOX_UNAVAILABLE',
  'BRIDGE_PROTOCOL',
  'BUSY',
  'LANGUAGE_SERVICE_BUSY',
  'CLOSED',
  'OWNERSHIP_LOST',
  'WORKSPACE_LOST',
  'STORE_UNAVAILABLE',
  'JOURNAL_UNSAFE',
  'VAULT_LOCKED',
  'VAULT_CORRUPT',
  'AUTH_UNAVAILABLE',
]);

/** Marks the errors of all Toolwright packages, so that copies of a package recognise each other's errors. */
const MARK = Symbol.for('toolwright.error');

/**
 * The base class of all errors. A message reports the event with its numbers, then the fix. The errors of
 * `@toolwright/sandbox` and `@toolwright/pii` are instances too: `instanceof ToolwrightError` recognises the mark that
 * all of them have.
 */
export class ToolwrightError extends Error {
  override readonly name: string = 'ToolwrightError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }

  static override [Symbol.hasInstance](thrown: unknown): boolean {
    // biome-ignore-start lint/complexity/noThisInStatic: a class that extends this one has only its own instances
    if (this !== ToolwrightError) return Function.prototype[Symbol.hasInstance].call(this, thrown);
    // biome-ignore-end lint/complexity/noThisInStatic: as above
    return thrown instanceof Error && MARK in thrown;
  }
}

Object.defineProperty(ToolwrightError.prototype, MARK, { value: true });

/** Returns the kind of an error code. */
export function errorKind(code: string): ErrorKind {
  if (UPSTREAM_CODES.has(code)) return 'upstream';
  return INTERNAL_CODES.has(code) ? 'internal' : 'user';
}

/** Returns whether an error means that a text is too complex to be read. */
export function isComplexityError(thrown: unknown): thrown is ToolwrightError {
  return thrown instanceof ToolwrightError && thrown.code === 'SOURCE_TOO_COMPLEX';
}

/** Returns whether a text is an error code of Toolwright. */
export function isErrorCode(text: string): boolean {
  return KNOWN_CODES.has(text);
}
