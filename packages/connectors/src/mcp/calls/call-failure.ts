import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { excerpt } from '../../content/excerpt.ts';
import { ToolwrightError } from '../../errors.ts';
import { isConnectionRefused, networkReason } from '../../network/network-reason.ts';
import { HttpRefusal } from '../http/refusal.ts';
import { STREAM_BROKEN } from '../http/transports.ts';
import { TOTAL } from '../input/calls-in-flight.ts';
import { UNREAD } from '../messages/envelope.ts';
import { dataOfError, wordsOfBody, wordsOfError } from '../messages/words.ts';

/** A failed call, and the facts about its server. */
export interface CallContext {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number;
  /** Milliseconds with reports of progress. */
  readonly maxTimeoutMs?: number;
  readonly signal: AbortSignal | undefined;
  /** Sentences about the server's process, without secrets; may be empty. */
  readonly evidence: string;
  /** The part of it about output that is not valid JSON-RPC. */
  readonly unreadable?: string;
  /** Redacts configured secrets in text of the server. */
  readonly redact: (text: string) => string;
}

const NOT_REPEATED = 'the call may have taken effect, and was not repeated';

/**
 * Converts the error of a call to a `ToolwrightError`. The original error is not the cause, because logs show causes, and
 * the message of a server may contain its secrets.
 */
export function callFailure(error: unknown, context: CallContext): ToolwrightError {
  const { server, tool, signal, evidence } = context;
  const redact = (text: string): string => excerpt(context.redact(text));
  const make = (code: ToolwrightError['code'], text: string, more: object = {}): ToolwrightError =>
    new ToolwrightError(code, text, { details: { server, tool, ...more } });
  if (error instanceof ToolwrightError) {
    const message = context.redact(error.message);
    return message === error.message ? error : new ToolwrightError(error.code, message, { details: error.details });
  }
  if (signal?.aborted) return make('CANCELLED', `The call of ${tool} on ${server} was cancelled, also on the server.`);
  if (error instanceof ProtocolError) {
    if (error.data === STREAM_BROKEN) {
      return make('UPSTREAM_UNAVAILABLE', `${server} ended its answer to ${tool} early: ${NOT_REPEATED}.`);
    }
    if (error.code === ProtocolErrorCode.MissingRequiredClientCapability)
      return make('TOOL_FAILED', needsUser(tool, server));
    if (error.data === UNREAD) {
      const words = redact(error.message);
      return make(
        'UPSTREAM_PROTOCOL',
        `${server} answered the call of ${tool}, but ${words} About ${tool}: ${NOT_REPEATED}.`,
      );
    }
    const reserved = error.code >= -32768 && error.code <= -32000;
    const refused = TOOL_ERRORS.has(error.code) || !reserved;
    const words = redact(wordsOfError(error));
    const data = dataOfError(error.data, context.redact);
    return refused
      ? make('TOOL_FAILED', words, { data })
      : make('UPSTREAM_PROTOCOL', `${server} answered the call of ${tool} with error ${error.code}: ${words}`);
  }
  if (error instanceof SdkHttpError || error instanceof HttpRefusal) {
    const effect =
      error.status < 500
        ? `The server rejected the call of ${tool}, which had no effect`
        : `About ${tool}: ${NOT_REPEATED}`;
    return make('UPSTREAM_UNAVAILABLE', `${server}: ${httpText(server, error, redact)} ${effect}.`);
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout) {
      const [setting, ms] =
        error.data === TOTAL ? ['maxTimeoutMs', context.maxTimeoutMs] : ['timeoutMs', context.timeoutMs];
      const advice = `Raise mcpServers.${server}.${setting}, or ask for less`;
      return make(
        'TOOL_TIMEOUT',
        `${tool} on ${server} did not answer within ${ms} ms and was cancelled. ${advice}.${context.unreadable ?? ''}`,
      );
    }
    if (error.code === SdkErrorCode.UnsupportedResultType) {
      return make('TOOL_FAILED', needsUser(tool, server));
    }
    if (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected) {
      return make('UPSTREAM_UNAVAILABLE', `${server} died during the call of ${tool}: ${NOT_REPEATED}.${evidence}`);
    }
    return make(
      'UPSTREAM_PROTOCOL',
      `${server} answered the call of ${tool} with an invalid result: ${redact(withoutDump(error.message))}; ${NOT_REPEATED}.`,
    );
  }
  // Over HTTP: the answer is not JSON, or not a message.
  if (error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')) {
    return make(
      'UPSTREAM_PROTOCOL',
      `${server} answered the call of ${tool} with an invalid JSON-RPC message: ${NOT_REPEATED}.`,
    );
  }
  const effect = isConnectionRefused(error) ? `the call of ${tool} was not sent` : NOT_REPEATED;
  return make(
    'UPSTREAM_UNAVAILABLE',
    `${server} could not be reached (${networkReason(error)}): ${effect}.${evidence}`,
  );
}

/** Returns the message of an error without the list of a validator, which helps no reader of it. */
function withoutDump(message: string): string {
  return message.split(/[[{\n]/, 1)[0]?.replace(/[:\s]+$/, '') ?? '';
}

function needsUser(tool: string, server: string): string {
  return `${tool} on ${server} asks for input from a user, which is not supported. Pass the input as an argument, if the tool has one.`;
}

/** The codes of JSON-RPC errors that reject a call or report an exception of the tool. */
const TOOL_ERRORS: ReadonlySet<number> = new Set([
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InternalError,
  -32000,
  -32001,
  -32002,
]);

/** Returns whether the connection is unusable after this error. */
export function losesConnection(error: unknown): boolean {
  // A server answers 404 when it does not know the session.
  if (error instanceof SdkHttpError || error instanceof HttpRefusal) return error.status === 404;
  if (error instanceof SdkError)
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected;
  return error instanceof TypeError;
}

/** Returns the HTTP status of a transport's error; undefined for other errors. */
export function httpStatus(error: unknown): number | undefined {
  return error instanceof SdkHttpError || error instanceof HttpRefusal ? error.status : undefined;
}

/** Returns the reason of a failed connection in one sentence, with text of the server redacted. */
export function connectReason(error: unknown, server: string, redact: (text: string) => string): string {
  if (error instanceof SdkHttpError || error instanceof HttpRefusal) return httpText(server, error, redact);
  const isDump = error instanceof Error && (error.name === 'ZodError' || /^Invalid result for /.test(error.message));
  const words = networkReason(error);
  const reason = `${excerpt(redact(isDump ? withoutDump(words) : words))}.`.replace(/\.\.$/, '.');
  const [, code = ''] = /^network error (\w+)\.$/.exec(reason) ?? [];
  const advice = Object.hasOwn(NETWORK_ADVICE, code) ? NETWORK_ADVICE[code] : undefined;
  return advice === undefined ? reason : `${reason} ${advice} fix mcpServers.${server}.url.`;
}

/** Explanations of network errors that a wrong address causes. */
const NETWORK_ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'No server listens there: start the server, or',
  ENOTFOUND: 'The host does not exist:',
  EAI_AGAIN: 'The lookup of the host failed: try again, or',
};

function httpText(server: string, error: SdkHttpError | HttpRefusal, redact: (text: string) => string): string {
  const { status } = error;
  const words = redact(wordsOfBody(error instanceof HttpRefusal ? error.body : String(Object(error.data).text ?? '')));
  const said = words === '' ? '' : ` The server says: ${words.replace(/\.$/, '')}.`;
  if (status === 401 || status === 403) {
    return `HTTP ${status}: check the credentials in mcpServers.${server}.headers.${said}`;
  }
  if (status === 404) return `HTTP 404: the address is wrong or the session has ended.${said}`;
  if (error instanceof HttpRefusal && error.retryAfterMs !== undefined)
    return `HTTP ${status}: try again after ${Math.ceil(error.retryAfterMs / 1_000)} s.${said}`;
  return `HTTP ${status}.${said}`;
}
