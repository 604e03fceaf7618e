import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';

/** The code with which servers refuse a request of a session that they do not know. */
const SESSION_NOT_FOUND = -32001;
/** The code and the words of the Python SDK for each request before the handshake, except a ping, and for wrong parameters. */
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = /^invalid request parameters\.?$/i;
/** The words of servers in use: `No valid session ID provided`, `Session expired`, `Server not initialized`. */
const SESSION = '\\b(?:mcp-)?session(?:[-_ ]?id)?\\b';
const LOST = new RegExp(
  [
    `${SESSION}.{0,40}\\b(?:not found|unknown|expired|invalid|not exist|no longer|terminated|required|missing|closed|ended|lost)`,
    `\\b(?:unknown|invalid|expired|missing|no|not found|stale)\\b.{0,40}${SESSION}`,
    'not (?:yet )?(?:been )?initiali[sz]ed|before initiali[sz]ation',
  ].join('|'),
  'is',
);
/** Statuses that are about something else than a session. */
const OTHERS: ReadonlySet<number> = new Set([408, 413, 429]);
/** Statuses that are about credentials, unless the words of the server are about a session. */
const CREDENTIALS: ReadonlySet<number> = new Set([401, 403]);

/** The refusal of a request by the status of HTTP. */
export class HttpRefusal extends Error {
  readonly status: number;
  /** The text of the server, within limits. */
  readonly body: string;
  /** The milliseconds of `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: string, retryAfterMs?: number) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns whether a server refused a request because it does not know the session (specification: Session Management). */
export function isSessionLost(error: unknown): boolean {
  return error instanceof HttpRefusal && error.status === 404;
}

/** Returns whether the failure of a request may be about its session. Only another request shows whether it is. */
export function mayBeAboutSession(error: unknown): boolean {
  const refused = refusedBy(error);
  if (refused) return CREDENTIALS.has(refused.status) ? LOST.test(refused.body) : !OTHERS.has(refused.status);
  if (!(error instanceof ProtocolError)) return false;
  const { code, message } = error;
  if (code === INVALID_PARAMS && INVALID_REQUEST.test(message.trim())) return true;
  return code === SESSION_NOT_FOUND || LOST.test(message);
}

/** The status and the words of a refusal. The transport itself refuses after an answer about credentials. */
function refusedBy(error: unknown): { readonly status: number; readonly body: string } | undefined {
  if (error instanceof HttpRefusal) return error;
  if (!(error instanceof SdkHttpError) || error.status !== 401) return undefined;
  return { status: 401, body: String(Object(error.data).text ?? '') };
}

/** Returns whether two requests of a session failed in the same way, which shows that it is lost. */
export function isSameRefusal(first: unknown, second: unknown): boolean {
  if (isSessionLost(second)) return true;
  const refused = refusedBy(first);
  if (refused) return refusedBy(second)?.status === refused.status;
  return second instanceof ProtocolError && mayBeAboutSession(second);
}
