import type { EndedOutcome } from '../history/result.ts';
import type { ToolCallRecord } from '../journal/call-record.ts';

/** One execution in the log of a session. Long texts are shortened, and state the missing length. */
export interface SessionEntry {
  /** Time of its end. ISO 8601, UTC. */
  readonly at: string;
  /** Id of the execution, and the name of its journal. */
  readonly execution: string;
  readonly language: string;
  /** The program, at most 8,000 characters. Empty for an interrupted execution, whose journal has it. */
  readonly code: string;
  /** `interrupted`: the process ended before the program. */
  readonly status: 'completed' | 'failed' | 'stopped' | 'interrupted';
  /** The value, as text or as JSON text, at most 2,000 characters. */
  readonly result?: string;
  /** Why it did not complete; `code` is the code of the error, or the limit that stopped it. */
  readonly error?: { readonly code: string; readonly message: string };
  /** The first 100 tool calls. */
  readonly calls: readonly LoggedCall[];
  /** Number of all tool calls. */
  readonly callCount: number;
  /** Guest paths of written, renamed and removed files; the first 100. */
  readonly files: readonly string[];
  /** Duration, milliseconds. */
  readonly ms: number;
}

/** A tool call in the log of a session. */
export interface LoggedCall {
  readonly tool: string;
  /** False for a call that failed or was not answered. */
  readonly ok: boolean;
  /** Set for a call that was sent before a crash and not answered: it may have taken effect. */
  readonly isUnknown?: boolean;
  /** Duration, milliseconds. */
  readonly ms: number;
}

/** An ended execution, redacted, for the log of its session. */
export interface EndedExecution {
  readonly executionId: string;
  readonly language: string;
  readonly source: string;
  readonly outcome: EndedOutcome;
  readonly calls: readonly ToolCallRecord[];
  readonly files: readonly string[];
  readonly ms: number;
}

const MAX_CODE_CHARACTERS = 8_000;
const MAX_RESULT_CHARACTERS = 2_000;
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_CALLS = 100;

/** Returns the log entry of an execution that ends now. */
export function sessionEntry(ended: EndedExecution): SessionEntry {
  const { executionId, language, source, outcome, calls, files, ms } = ended;
  const logged: LoggedCall[] = [];
  for (const { tool, status, durationMs } of calls.slice(0, MAX_CALLS)) {
    logged.push({ tool, ok: status === 'answered', ms: Math.round(durationMs) });
  }
  return {
    at: new Date().toISOString(),
    execution: executionId,
    language,
    code: shorten(source, MAX_CODE_CHARACTERS),
    status: outcome.status,
    ...outcomeFields(outcome),
    calls: logged,
    callCount: calls.length,
    files,
    ms: Math.round(ms),
  };
}

function outcomeFields(outcome: EndedOutcome) {
  if (outcome.status === 'stopped') return errorOf(outcome.limit, outcome.message);
  if (outcome.status === 'failed') return errorOf(outcome.error.code, outcome.error.message);
  if (outcome.value === undefined) return {};
  const text = typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value);
  if (!outcome.file) return { result: shorten(text, MAX_RESULT_CHARACTERS) };
  const { path, bytes } = outcome.file;
  return { result: `${text.slice(0, MAX_RESULT_CHARACTERS)}… (${bytes} bytes in all, in ${path})` };
}

function errorOf(code: string, message: string) {
  return { error: { code, message: shorten(message, MAX_MESSAGE_CHARACTERS) } };
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (+${text.length - length} characters)` : text;
}
