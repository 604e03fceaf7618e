import { type ExecutionError, type ExecutionResult, ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';

/** What one of our tools answers: a text for the model, and the same as data for programs, and no more than that. */
export interface ToolResponse {
  readonly text: string;
  /** Some clients hand this to the model in place of the text, so it holds nothing that the model need not read. */
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  /** Facts for the client that no model reads. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Characters of logs that an answer shows, half from the start and half from the end. */
export const MAX_LOG_CHARACTERS = 8_000;
/** Tools without an answer that are named. */
const MAX_UNANSWERED = 5;
/** The key of `_meta` under which an execution's id, calls and costs are. */
export const EXECUTION_META = 'toolwright/execution';

/** Told where it matters, and not in every definition: most work meets no personal data. */
const PLACEHOLDER_NOTE = 'Note: [EMAIL_1] and its like stand for personal data. Give them to tools as they are.';
const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{1,23}_\d{1,7}\]/;
/** Names that say nothing beside the message. */
const PLAIN_NAMES: ReadonlySet<string> = new Set(['Error', 'ToolwrightError', '']);

/** How an execution is told: the value alone when all went well, else what went wrong, where, and what to do. */
export function executionResponse(result: ExecutionResult, sessionId?: string): ToolResponse {
  const logs = shownLogs(result);
  const unanswered = unansweredTools(result);
  const text = outcomeText(result);
  const hasPlaceholders = [text, ...logs].some((line) => PLACEHOLDER.test(line));
  const rest = {
    ...(logs.length > 0 ? { logs } : {}),
    ...(unanswered.length > 0 ? { unanswered } : {}),
    // The deprecated "session" goes after version 0.1.
    ...(sessionId === undefined ? {} : { sessionId, session: sessionId }),
    ...(hasPlaceholders ? { note: PLACEHOLDER_NOTE } : {}),
  };
  const { executionId: id, status, calls, stats } = result;
  return {
    text: [
      text,
      ...(logs.length > 0 ? [`logs:\n${logs.join('\n')}`] : []),
      ...(unanswered.length > 0
        ? [`no answer from ${unanswered.join(', ')}: whether they took effect is unknown`]
        : []),
      ...(sessionId === undefined ? [] : [`sessionId: ${sessionId}`]),
      ...(hasPlaceholders ? [PLACEHOLDER_NOTE] : []),
    ].join('\n'),
    structured: { ...outcome(result), ...rest },
    ...(status === 'completed' ? {} : { isError: true }),
    meta: { [EXECUTION_META]: { executionId: id, id, status, calls, stats } },
  };
}

/** How a call that could not be carried out is told. What is no ToolwrightError is a defect of ours. */
export function errorResponse(error: unknown): ToolResponse {
  const code = error instanceof ToolwrightError ? error.code : 'INTERNAL';
  const message = messageOf(error);
  return { text: message, structured: { error: { code, message } }, isError: true };
}

function outcomeText(result: ExecutionResult): string {
  if (result.status === 'failed') return errorText(result.error);
  if (result.status === 'stopped') return result.message;
  if (result.value === undefined) return 'No value: the program returned nothing.';
  return typeof result.value === 'string' ? result.value : JSON.stringify(result.value);
}

function outcome(result: ExecutionResult): Record<string, unknown> {
  if (result.status === 'completed') {
    return { value: result.value ?? null, ...(result.file ? { file: result.file.path } : {}) };
  }
  const { status } = result;
  if (result.status === 'failed') {
    const { stack: _stack, ...error } = result.error;
    return { status, error };
  }
  const { limit, message, line } = result;
  return { status, limit, error: { code: limit, message, ...(line === undefined ? {} : { line }) } };
}

function errorText({ name, message, line, hint }: ExecutionError): string {
  const whole = PLAIN_NAMES.has(name) ? message : `${name}: ${message}`;
  const place = line === undefined || new RegExp(`\\bline ${line}\\b`, 'i').test(message) ? '' : ` (line ${line})`;
  return `${whole}${place}${hint === undefined ? '' : `\nhint: ${hint}`}`;
}

/** The log lines, of which the middle is left out when they are long. */
function shownLogs({ logs, stats }: ExecutionResult): string[] {
  const lines = logs.map(({ level, text }) => (level === 'info' ? text : `${level}: ${text}`));
  if (stats.droppedLogBytes > 0) lines.push(`… ${stats.droppedLogBytes} bytes of logs were over the limit`);
  const whole = lines.join('\n');
  if (whole.length <= MAX_LOG_CHARACTERS) return lines;
  const half = MAX_LOG_CHARACTERS / 2;
  const left = whole.length - MAX_LOG_CHARACTERS;
  return [`${whole.slice(0, half)}\n… ${left} characters left out …\n${whole.slice(-half)}`];
}

function unansweredTools({ calls }: ExecutionResult): string[] {
  const counts = new Map<string, number>();
  for (const { tool, status } of calls) if (status === 'unanswered') counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const named = [...counts]
    .slice(0, MAX_UNANSWERED)
    .map(([tool, count]) => (count > 1 ? `${tool} (${count} calls)` : tool));
  return counts.size > MAX_UNANSWERED ? [...named, `${counts.size - MAX_UNANSWERED} more tools`] : named;
}
