import {
  type ExecutionError,
  type ExecutionResult,
  type Executions,
  type PendingQuestion,
  ToolwrightError,
} from '@toolwright/core';
import { keptLines } from '@toolwright/core/internal';
import { messageOf } from '@toolwright/sandbox/internal';
import { readMedia } from '../../media/read-media.ts';
import type { MediaBlock } from '../../models/model.ts';

/** The response of a Toolwright tool: a complete text for the model, and the same content as data for clients that ask for it. */
export interface ToolResponse {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  /** Images and recordings, for a model that reads them. */
  readonly media?: readonly MediaBlock[];
  /** Files that the program shows and that no model reads. */
  readonly links?: readonly FileLink[];
  /** Ids and costs, for clients that ask for data. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A file that an execution shows. */
export interface FileLink {
  readonly executionId: string;
  /** Its session, if it has one. */
  readonly sessionId?: string | undefined;
  /** Path for programs of the session. */
  readonly path: string;
  /** The name that the program gave the file, if it gave one. */
  readonly name?: string | undefined;
  readonly mimeType: string;
  readonly bytes: number;
}

/** Bytes of logs that a response has as they are: usually at most 2,000 tokens. */
export const MAX_LOG_BYTES = 4_000;
/** Bytes of longer logs, half from the start and half from the end. Even dense text has at most 2,000 tokens then. */
const PREVIEW_LOG_BYTES = 2_400;
/** Number of unanswered tools that a response names. */
const MAX_UNANSWERED = 5;
/** The key in `_meta` of the id, the calls and the costs of an execution. */
export const EXECUTION_META = 'toolwright/execution';

/** Added only to responses with placeholders. A program that computes with their text is shown the functions that read them. */
const PLACEHOLDER_NOTE = '[EMAIL_1] hides a value; pass it on unchanged.';
const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{1,23}_\d{1,9}\]/;
/** Error names that add nothing to the message. */
const PLAIN_NAMES: ReadonlySet<string> = new Set(['Error', 'ToolwrightError', '']);

/** The session of an execution. Its text names only a session that the model does not know yet. */
export interface ResponseSession {
  readonly id: string;
  readonly isNew: boolean;
}

/** Creates the response of an execution: its value, or its error with the place and a hint. */
export function executionResponse(result: ExecutionResult, session?: ResponseSession): ToolResponse {
  const logs = shownLogs(result);
  const unanswered = unansweredTools(result);
  const text = outcomeText(result);
  const kept = keptLines(result);
  const hasPlaceholders = [text ?? '', ...kept, ...logs].some((line) => PLACEHOLDER.test(line));
  const rest = {
    logs: logs.length > 0 ? logs : undefined,
    unanswered: unanswered.length > 0 ? unanswered : undefined,
    sessionId: session?.id,
    note: hasPlaceholders ? PLACEHOLDER_NOTE : undefined,
  };
  const { executionId, status, calls, stats } = result;
  return {
    text: [
      ...(text === undefined ? [] : [text]),
      ...kept,
      ...(logs.length > 0 ? [`logs:\n${logs.join('\n')}`] : []),
      ...(unanswered.length > 0
        ? [`no answer from ${unanswered.join(', ')}: whether they took effect is unknown`]
        : []),
      ...(session?.isNew ? [`sessionId: ${session.id}`] : []),
      ...(hasPlaceholders ? [PLACEHOLDER_NOTE] : []),
    ].join('\n'),
    structured: { ...outcome(result), ...rest },
    isError: status === 'completed' ? undefined : true,
    meta: { [EXECUTION_META]: { executionId, status, calls, stats } },
  };
}

/** The executions of a user, from which files are read that another machine has. */
export interface ResponseSource {
  readonly executions: Executions;
  readonly userId: string;
}

/**
 * Creates the response of an execution like {@link executionResponse}, with the images and recordings that it shows. Raises
 * `STORE_UNAVAILABLE`.
 */
export async function shownResponse(
  result: ExecutionResult,
  { executions, userId }: ResponseSource,
  session?: ResponseSession,
): Promise<ToolResponse> {
  const response = executionResponse(result, session);
  const { media = [] } = result;
  if (media.length === 0) return response;
  const {
    blocks,
    notes,
    links: files,
  } = await readMedia(media, (path) => executions.file(result.executionId, path, userId));
  const { executionId } = result;
  const links = files.map(({ path, name, mimeType, bytes }) => ({
    ...{ executionId, sessionId: session?.id, path, name, mimeType, bytes },
  }));
  const shown = { media: blocks.length > 0 ? blocks : undefined, links: links.length > 0 ? links : undefined };
  return { ...response, text: [response.text, ...notes].join('\n'), ...shown };
}

/** Creates the response of a failed call. An error that is not a `ToolwrightError` is a defect in Toolwright. */
export function errorResponse(error: unknown): ToolResponse {
  const code = error instanceof ToolwrightError ? error.code : 'INTERNAL';
  const message = messageOf(error);
  return { text: `${code}: ${message}`, structured: { error: { code, message } }, isError: true };
}

/** Returns the text of the outcome; undefined for a program without a value that kept values or printed lines. */
function outcomeText(result: ExecutionResult): string | undefined {
  if (result.status === 'failed') return errorText(result.error);
  if (result.status === 'stopped') return `${result.limit}: ${result.message}`;
  if (result.status === 'suspended') return suspendedText(result.executionId, result.waitingFor, result.wakeAt);
  if (result.value === undefined) {
    const isSilent = !result.kept && result.logs.length === 0;
    return result.note ?? (isSilent ? 'The program returned nothing.' : undefined);
  }
  const value = typeof result.value === 'string' ? result.value : JSON.stringify(result.value);
  return result.note === undefined ? value : `${value}\n${result.note}`;
}

/** Creates the response of an execution whose questions are decided elsewhere. */
export function openQuestionsResponse(
  executionId: string,
  pending: readonly PendingQuestion[],
  sessionId: string | undefined,
): ToolResponse {
  const status = 'suspended';
  const waitingFor = [...new Set(pending.map(({ kind }) => kind))];
  const [wakeAt] = pending.map(({ expiresAt }) => expiresAt).sort();
  return {
    text: suspendedText(executionId, waitingFor, wakeAt),
    structured: {
      status,
      executionId,
      waitingFor,
      pending: shownQuestions(pending),
      wakeAt,
      sessionId,
    },
    isError: true,
    meta: { [EXECUTION_META]: { executionId, status } },
  };
}

/** A model only reads: a person decides. */
function suspendedText(executionId: string, waitingFor: readonly string[], wakeAt: string | undefined): string {
  const until = wakeAt === undefined ? '' : `, at the latest at ${wakeAt}`;
  const later = `Do not run the program again: get its value later with "return await execution('${executionId}')".`;
  if (waitingFor.every((kind) => kind === 'timer'))
    return `Execution ${executionId} waits, and goes on by itself${until}. ${later}`;
  return `Execution ${executionId} waits for: ${waitingFor.join(', ') || 'its next step'}. A person decides outside of this conversation, with "toolwright executions ${commandFor(waitingFor)} ${executionId}" or over HTTP. It goes on by itself${until}. ${later}`;
}

/** Returns the command that decides about questions of these kinds. */
function commandFor(waitingFor: readonly string[]): string {
  return waitingFor.some((kind) => kind === 'input' || kind === 'authorization') ? 'answer' : 'approve';
}

function outcome(result: ExecutionResult): Record<string, unknown> {
  if (result.status === 'completed') {
    const { value = null, file, kept } = result;
    return { value, file: file?.path, kept };
  }
  const { status } = result;
  if (result.status === 'failed') {
    const { stack: _stack, ...error } = result.error;
    return { status, error };
  }
  if (result.status === 'suspended') {
    const { executionId, waitingFor, pending, wakeAt } = result;
    return { status, executionId, waitingFor, pending: shownQuestions(pending), wakeAt };
  }
  const { limit, message, line } = result;
  return { status, limit, error: { code: limit, message, line } };
}

/** Returns questions without their bindings and origins, which only a person needs: the rule has the reason. */
function shownQuestions(
  questions: readonly PendingQuestion[],
): readonly Omit<PendingQuestion, 'binding' | 'origins'>[] {
  return questions.map(({ binding: _binding, origins: _origins, ...shown }) => shown);
}

/** Names the tool that failed, and the code, or the class of an error that the program threw. */
function errorText({ name, code, message, line, hint, tool }: ExecutionError): string {
  const label = code === 'GUEST_ERROR' ? name : code;
  const words = tool === undefined ? message : `${tool}: ${message}`;
  const whole = PLAIN_NAMES.has(label) ? words : `${label}: ${words}`;
  const place = line === undefined || new RegExp(`\\bline ${line}\\b`, 'i').test(message) ? '' : ` (line ${line})`;
  return `${whole}${place}${hint === undefined ? '' : `\nhint: ${hint}`}`;
}

/** Returns the log lines. Long logs lose their middle, which another program can read. */
function shownLogs({ executionId, logs, stats }: ExecutionResult): string[] {
  const lines = logs.map(({ level, text }) => (level === 'info' ? text : `${level}: ${text}`));
  if (stats.droppedLogBytes > 0) lines.push(`… ${stats.droppedLogBytes} bytes of logs were over the limit`);
  const whole = lines.join('\n');
  const bytes = Buffer.from(whole);
  if (bytes.length <= MAX_LOG_BYTES) return lines;
  const [start, end] = [bytes.subarray(0, PREVIEW_LOG_BYTES / 2), bytes.subarray(-PREVIEW_LOG_BYTES / 2)].map(
    wholeCharacters,
  );
  const left = `${bytes.length - PREVIEW_LOG_BYTES} bytes left out`;
  return [
    `${start}\n… ${left}; in the next program, await execution("${executionId}", "logs") returns all lines …\n${end}`,
  ];
}

/** Decodes bytes without the partial characters at both ends. */
function wholeCharacters(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll(/^\uFFFD+|\uFFFD+$/g, '');
}

function unansweredTools(result: ExecutionResult): string[] {
  const counts = new Map<string, number>();
  const add = (tool: string, count: number) => counts.set(tool, (counts.get(tool) ?? 0) + count);
  for (const { tool, status } of result.calls) if (status === 'unanswered') add(tool, 1);
  // A call that waits for a person has its own text, and was not sent before its approval.
  if (result.status === 'suspended') for (const { tool } of result.pending) add(tool, -1);
  const named = [...counts]
    .filter(([, count]) => count > 0)
    .map(([tool, count]) => (count > 1 ? `${tool} (${count} calls)` : tool));
  const more = named.length - MAX_UNANSWERED;
  return more > 0 ? [...named.slice(0, MAX_UNANSWERED), `${more} more tools`] : named;
}
