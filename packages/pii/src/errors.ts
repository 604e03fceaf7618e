const ERROR_CODES = [
  'CONFIG_INVALID',
  'CLOSED',
  'INTERNAL',
  'INVALID_ARGUMENTS',
  'PATTERN_INVALID',
  'PII_DENIED',
  'PII_LIMIT',
  'STORE_UNAVAILABLE',
  'UNKNOWN_PLACEHOLDER',
  'VAULT_CORRUPT',
  'VAULT_LOCKED',
] as const;

/** Stable codes of the errors that this package raises. Match on these, never on messages. */
export type PiiErrorCode = (typeof ERROR_CODES)[number];

/** Marks the errors of all Toolwright packages, so that two copies of a package recognise each other's errors. */
const MARK = Symbol.for('toolwright.error');

/** Raised by detection, vaults and redaction. The message contains the problem, the values and limits, and the fix. */
export class PiiError extends Error {
  override readonly name: string = 'PiiError';
  readonly code: PiiErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: PiiErrorCode,
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

Object.defineProperty(PiiError.prototype, MARK, { value: true });

/** Returns the message of a thrown value of any type. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
