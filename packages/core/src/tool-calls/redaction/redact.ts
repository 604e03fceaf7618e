import type { Tool } from '@toolwright/connectors';
import { exactText, type Operation } from '@toolwright/sandbox/internal';
import type { ResolvedTool } from '../../catalog/resolved-tool.ts';
import { type ErrorCode, ToolwrightError } from '../../errors.ts';
import type { LimitedResult, ToolCallContext } from '../call.ts';
import { UnredactedError } from './unredacted-error.ts';

type Redactor = ToolCallContext['redactor'];

/** A result without the personal data that its reader may not see. */
export interface RedactedResult {
  /** JSON for the program. It contains values if the server is configured as `clear`. */
  readonly guestText: string;
  /** The data for the journal and for everything that outlives the execution. */
  readonly journalValue: unknown;
  /** JSON of `journalValue`. */
  readonly journalText: string;
}

/** An error without the personal data that its reader may not see. */
export interface RedactedError {
  /** The error for the program. */
  readonly error: unknown;
  /** JSON for the journal. */
  readonly journalText: string;
}

/** Redacts the data that a tool returned. Raises an error of the redactor if that fails. */
export async function redactResult(
  { data, text }: LimitedResult,
  { tool }: ResolvedTool,
  { redactor, isRaw }: ToolCallContext,
): Promise<RedactedResult> {
  const { server, definition } = tool;
  const source = { server, schema: definition.outputSchema, isLocal: definition.isLocal };
  const { guestValue, journalValue } = await redactor.redactResult(data, isRaw ? rawSourceOf(tool) : source);
  const guestText = guestValue === data ? text : exactText(guestValue);
  const journalText = journalValue === guestValue ? guestText : exactText(journalValue);
  return { guestText, journalValue, journalText };
}

/**
 * Redacts an error of any stage, or of a look-up. The text of a tool is treated like its results: a part that looks like a
 * placeholder is escaped. Other messages keep their placeholders. If the redaction fails, its error replaces the given one.
 */
export async function redactError(thrown: unknown, redactor: Redactor): Promise<RedactedError> {
  const { error, source } = thrown instanceof UnredactedError ? thrown : { error: thrown, source: undefined };
  if (!(error instanceof ToolwrightError)) return { error, journalText: journalText(undefined, 'Internal error') };
  const { code, message, details } = error;
  try {
    const { guestValue, journalValue } = await redactWords({ message, details }, source, redactor);
    const redacted = new ToolwrightError(code, guestValue.message, { details: guestValue.details });
    return { error: redacted, journalText: journalText(code, journalValue.message) };
  } catch (failure) {
    return withJournalText(failure, redactor);
  }
}

/**
 * Returns the operations of a guest with redacted errors. A server may have written a part of the message, and a file name may be
 * a value.
 */
export function withRedactedErrors(
  operations: Readonly<Record<string, Operation>>,
  redactor: Redactor,
): Readonly<Record<string, Operation>> {
  const redacting =
    (run: Operation): Operation =>
    async (...parameters) => {
      try {
        return await run(...parameters);
      } catch (error) {
        throw (await redactError(error, redactor)).error;
      }
    };
  return Object.fromEntries(Object.entries(operations).map(([name, run]) => [name, redacting(run)]));
}

type Words = Pick<ToolwrightError, 'message' | 'details'>;
type RedactedWords = { readonly guestValue: Words; readonly journalValue: Words };

async function redactWords(words: Words, source: Tool | undefined, redactor: Redactor): Promise<RedactedWords> {
  if (source) return redactor.redactResult(words, sourceOf(source)) as Promise<RedactedWords>;
  const redacted = await redactor.redact(words);
  return { guestValue: redacted, journalValue: redacted };
}

async function withJournalText(error: unknown, redactor: Redactor): Promise<RedactedError> {
  if (!(error instanceof ToolwrightError)) return { error, journalText: journalText(undefined, 'Internal error') };
  const message = await redactor.redactForJournal(error.message).catch(() => 'The message could not be redacted.');
  return { error, journalText: journalText(error.code, message) };
}

function journalText(code: ErrorCode | undefined, message: string): string {
  return JSON.stringify({ code, message });
}

/** The source of a whole result: the schema describes a part of it. */
function rawSourceOf(tool: Tool) {
  const { schema, ...source } = sourceOf(tool);
  return { ...source, schema: schema === undefined ? undefined : { properties: { structuredContent: schema } } };
}

function sourceOf({ server, definition }: Tool) {
  return { server, schema: definition.outputSchema, isLocal: definition.isLocal };
}
