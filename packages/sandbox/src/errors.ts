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
  'INVALID_ARGUMENTS',
  'ARGUMENTS_TOO_LARGE',
  'RESULT_TOO_LARGE',
  'BRIDGE_PROTOCOL',
  'NOT_SUPPORTED',
  'TOOL_FAILED',
  'INTERNAL',
] as const;

/** Stable codes of the errors that this package raises. Match on these, never on messages. */
export type SandboxErrorCode = (typeof ERROR_CODES)[number];

/** Returns whether a text is the code of an error that this package raises. */
export function isErrorCode(code: string): code is SandboxErrorCode {
  return ERROR_CODES.some((known) => known === code);
}

/** Marks the errors of all Toolwright packages, so that copies of a package recognise each other's errors. */
const MARK = Symbol.for('toolwright.error');

/** An error that a Toolwright package raised. The author, the caller or the operator can act on its message. */
export interface KnownError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Raised by sandboxes, languages, checkers and the bridge. The message states the problem, the value and the limit, and the fix. */
export class SandboxError extends Error implements KnownError {
  override readonly name: string = 'SandboxError';
  readonly code: SandboxErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: SandboxErrorCode,
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

Object.defineProperty(SandboxError.prototype, MARK, { value: true });

/** Returns whether a Toolwright package raised this error. Any other error is a defect. */
export function isKnownError(thrown: unknown): thrown is KnownError {
  return thrown instanceof Error && MARK in thrown;
}

/** Returns the message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
