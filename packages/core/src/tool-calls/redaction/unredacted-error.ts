import type { Tool } from '@toolwright/connectors';
import type { ToolwrightError } from '../../errors.ts';

/**
 * Marks an error whose message or details may contain personal data. Only `redact.ts` unwraps it. An error that is not unwrapped
 * reaches the program as an internal error, without its message.
 */
export class UnredactedError extends Error {
  override readonly name: string = 'UnredactedError';
  /** The error to redact. */
  readonly error: ToolwrightError;
  /** The tool whose text the error contains. Undefined for a message of Toolwright that quotes arguments. */
  readonly source: Tool | undefined;

  constructor(error: ToolwrightError, source?: Tool) {
    super('This error has not been redacted.');
    this.error = error;
    this.source = source;
  }
}
