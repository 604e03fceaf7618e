import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { messageOf, ToolwrightError } from '../../errors.ts';
import { excerpt } from './excerpt.ts';
import { STREAM_BROKEN } from './http/transports.ts';

/** What a failed call was, and what is known about its upstream. */
export interface CallContext {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Sentences about the upstream's process, without secrets; may be empty. */
  readonly evidence: string;
  /** The part of it about what the upstream said and nobody could read. */
  readonly unreadable?: string;
  /** Hides configured secrets in text that came from the upstream. */
  readonly redact: (text: string) => string;
}

const NOT_REPEATED = 'the call may or may not have taken effect; it was not repeated';

/**
 * Says in our words, with our codes, why a call failed. The original is not kept as the cause: what a server sends back
 * may quote the secrets that it was given, and a cause ends up in logs.
 */
export function callFailure(error: unknown, context: CallContext): ToolwrightError {
  const { server, tool, timeoutMs, signal, evidence } = context;
  const redact = (text: string): string => excerpt(context.redact(text));
  const make = (code: ToolwrightError['code'], text: string): ToolwrightError =>
    new ToolwrightError(code, text, { details: { server, tool } });
  if (error instanceof ToolwrightError) {
    const message = context.redact(error.message);
    return message === error.message ? error : new ToolwrightError(error.code, message, { details: error.details });
  }
  if (signal?.aborted) return make('CANCELLED', `The call of ${tool} on ${server} was cancelled; ${server} was told.`);
  if (error instanceof ProtocolError) {
    if (error.data === STREAM_BROKEN) {
      return make('UPSTREAM_UNAVAILABLE', `${server} broke off its answer to ${tool}; ${NOT_REPEATED}.`);
    }
    if (error.code === ProtocolErrorCode.MissingRequiredClientCapability)
      return make('TOOL_FAILED', needsUser(tool, server));
    const reserved = error.code >= -32768 && error.code <= -32000;
    const refused = TOOL_ERRORS.has(error.code) || !reserved;
    return refused
      ? make('TOOL_FAILED', redact(error.message))
      : make(
          'UPSTREAM_PROTOCOL',
          `${server} answered the call of ${tool} with error ${error.code}: ${redact(error.message)}`,
        );
  }
  if (error instanceof SdkHttpError) {
    const effect =
      error.status < 500 ? `The call of ${tool} was refused and had no effect` : `About ${tool}: ${NOT_REPEATED}`;
    return make('UPSTREAM_UNAVAILABLE', `${server}: ${httpText(server, error)} ${effect}.`);
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout) {
      const advice = `raise mcpServers.${server}.timeoutMs or ask for less`;
      return make(
        'TOOL_TIMEOUT',
        `${tool} on ${server} did not answer within ${timeoutMs} ms; it was told to cancel; ${advice}.${context.unreadable ?? ''}`,
      );
    }
    if (error.code === SdkErrorCode.UnsupportedResultType) {
      return make('TOOL_FAILED', needsUser(tool, server));
    }
    if (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected) {
      return make('UPSTREAM_UNAVAILABLE', `${server} died during the call of ${tool}; ${NOT_REPEATED}.${evidence}`);
    }
    return make(
      'UPSTREAM_PROTOCOL',
      `${server} answered the call of ${tool} with what is no valid result: ${redact(error.message)}`,
    );
  }
  // Over HTTP: what came is no JSON, or no message.
  if (error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')) {
    return make(
      'UPSTREAM_PROTOCOL',
      `${server} answered the call of ${tool} with what is no JSON-RPC message; ${NOT_REPEATED}.`,
    );
  }
  return make(
    'UPSTREAM_UNAVAILABLE',
    `${server} could not be reached (${networkReason(error)}); ${NOT_REPEATED}.${evidence}`,
  );
}

function needsUser(tool: string, server: string): string {
  return `${tool} on ${server} asks for input from a user, which is not supported yet; give it as an argument if the tool takes one.`;
}

/** JSON-RPC errors with which servers refuse a call or report that the tool threw. */
const TOOL_ERRORS: ReadonlySet<number> = new Set([
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InternalError,
  -32000,
  -32001,
  -32002,
]);

/** Whether the error means that the connection is of no use for the next call. */
export function losesConnection(error: unknown): boolean {
  // 404 is how a server says that it does not know the session (any more).
  if (error instanceof SdkHttpError) return error.status === 404;
  if (error instanceof SdkError)
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected;
  return error instanceof TypeError;
}

/** The HTTP status of an error of a transport, if it has one. */
export function httpStatus(error: unknown): number | undefined {
  return error instanceof SdkHttpError ? error.status : undefined;
}

/** Says in one sentence why connecting failed; {@link CallContext.redact} is applied to what came from outside. */
export function connectReason(error: unknown, server: string, redact: (text: string) => string): string {
  if (error instanceof SdkHttpError) return httpText(server, error);
  const reason = `${excerpt(redact(networkReason(error)))}.`.replace(/\.\.$/, '.');
  const [, code = ''] = /^network error (\w+)\.$/.exec(reason) ?? [];
  const advice = Object.hasOwn(NETWORK_ADVICE, code) ? NETWORK_ADVICE[code] : undefined;
  return advice === undefined ? reason : `${reason} ${advice} fix mcpServers.${server}.url.`;
}

/** What the errors that a wrong address leads to mean. */
const NETWORK_ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there: start the server, or',
  ENOTFOUND: 'There is no host of that name:',
  EAI_AGAIN: 'The name of the host cannot be looked up now: try again, or',
};

function httpText(server: string, { status }: SdkHttpError): string {
  if (status === 401 || status === 403) {
    return `HTTP ${status}: check the credentials in mcpServers.${server}.headers.`;
  }
  if (status === 404) return `HTTP 404: the address is wrong or the session has ended.`;
  return `HTTP ${status}.`;
}

/** `fetch failed` says nothing; the innermost cause does. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) return networkReason(cause);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+)$/.test(code) ? `network error ${code}` : messageOf(error);
}
