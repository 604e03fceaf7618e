import { type JSONRPCErrorResponse, type JSONRPCMessage, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { exactText, withDigits } from '@toolwright/sandbox/internal';
import { isNestedDeeperThan, isObject, type JsonObject } from '../../content/json-values.ts';

/** Maximum nesting of a request or a notification of a server. Only answers contain data for programs. */
const MAX_REQUEST_DEPTH = 100;
/** Maximum nesting of the data of an error. */
const MAX_DATA_DEPTH = 50;
const MAX_SHOWN_ID = 40;
const MAX_SHOWN_METHOD = 60;
/** Characters of an error object without a message that stand for it. */
const MAX_ERROR_CHARACTERS = 2_000;
/** The members of JSON-RPC, and those that servers add. A line of a log has others. */
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error', 'meta', '_meta']);
/** Methods of MCP have a slash inside, except `ping`. */
const METHOD = /^(?:ping|[a-z]+(?:\/[a-zA-Z_]+)+)$/;

/** Notes a deviation from the protocol, by its name. */
export type Note = (deviation: string) => void;

/** The requests of a reader that wait for answers. */
export interface Requests {
  readonly note: Note;
  /** Whether a request with this id waits for its answer. */
  readonly isPending: (id: string | number) => boolean;
  /** The id of the one request that can have this answer, because HTTP ties an answer to its request. */
  readonly only?: string | number | undefined;
}

/**
 * Returns a value as a JSON-RPC message; undefined if it is none. Deviations whose meaning is certain are repaired and noted. An answer
 * without a usable result ends its call with an error, because an answer that the SDK rejects leaves its call without one.
 */
export function readEnvelope(value: unknown, requests: Requests): JSONRPCMessage | undefined {
  if (!isObject(value)) return undefined;
  const { note } = requests;
  const { jsonrpc, method, result, error } = value;
  if (jsonrpc === undefined && Object.keys(value).some((member) => !MEMBERS.has(member))) return undefined;
  const hasOutcome = result !== undefined || isFailure(error);
  const isCall = typeof method === 'string' && !hasOutcome;
  if (isCall && (isNestedDeeperThan(value, MAX_REQUEST_DEPTH) || (jsonrpc !== '2.0' && !METHOD.test(method))))
    return undefined;
  const id = isCall ? undefined : answeredId(value, hasOutcome, requests);
  if (!isCall && id === undefined) return undefined;
  if (jsonrpc !== '2.0') note(jsonrpc === undefined ? 'no member jsonrpc' : 'a member jsonrpc that is not "2.0"');
  if (isCall) return readCallOfServer(value, method, note);
  if (typeof id === 'object') return id;
  return answer(id as string | number, value, note);
}

function readCallOfServer({ id, params }: JsonObject, method: string, note: Note): JSONRPCMessage {
  if (params !== undefined && !isObject(params))
    note(`params of ${method.slice(0, MAX_SHOWN_METHOD)} that are not an object`);
  const numbered = typeof id === 'number' || typeof id === 'string' ? { id } : {};
  const own = isObject(params) ? { params: readParameters(method, params, note) } : {};
  return { jsonrpc: '2.0', ...numbered, method, ...own } as JSONRPCMessage;
}

/** The levels of a server's log (specification: Logging). */
const LEVELS: ReadonlySet<unknown> = new Set([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);

function readParameters(method: string, given: JsonObject, note: Note): JsonObject {
  const { _meta: meta, ...others } = given;
  if (meta !== undefined && !isObject(meta)) note('a member _meta that is not an object');
  const params: JsonObject = isObject(meta) ? given : others;
  if (method === 'notifications/message') {
    const { level, logger, ...rest } = params;
    if (!LEVELS.has(level)) note('a log line of an unknown level');
    return {
      ...rest,
      data: 'data' in params ? params.data : (params.message ?? null),
      level: LEVELS.has(level) ? level : 'info',
      logger: typeof logger === 'string' ? logger : undefined,
    };
  }
  return method === 'notifications/progress' ? readProgress(params, note) : params;
}

function readProgress({ progressToken, progress, total, message, ...rest }: JsonObject, note: Note): JsonObject {
  if (typeof progress !== 'number') note('progress that is not a number');
  return {
    ...rest,
    // The tokens of requests are numbers.
    progressToken: isDigits(progressToken) ? Number(progressToken) : progressToken,
    progress: typeof progress === 'number' ? progress : Number(progress) || 0,
    total: typeof total === 'number' ? total : undefined,
    message: typeof message === 'string' ? message : undefined,
  };
}

/** Returns the id of the request that a value answers; the error that ends it for an id that is none; undefined for no answer. */
function answeredId(
  { jsonrpc, id }: JsonObject,
  hasOutcome: boolean,
  { note, isPending, only }: Requests,
): string | number | JSONRPCErrorResponse | undefined {
  if (!hasOutcome && jsonrpc !== '2.0') return undefined;
  const number = isDigits(id) && !isPending(id) ? Number(id) : id;
  if (number !== id) note('an id as text');
  const isId = typeof number === 'number' || typeof number === 'string';
  if (only !== undefined && !(isId && isPending(number))) {
    if (!hasOutcome) return undefined;
    note(id === undefined || id === null ? 'an answer without an id' : 'an answer with the id of another request');
    return only;
  }
  // The SDK reads an id with `Number`, which converts `[5]` and " 5" to 5.
  if (typeof number === 'number' || (isId && Number.isNaN(Number(number)))) return number;
  if (!isSet(id) || String(id).trim() === '' || Number.isNaN(Number(id))) return undefined;
  const shownId = JSON.stringify(withDigits(id)).slice(0, MAX_SHOWN_ID);
  return unusable(Number(id), `contains the id ${shownId}, which is not the number of a request`);
}

function answer(id: number | string, { result, error }: JsonObject, note: Note): JSONRPCMessage {
  if (isFailure(error) && !(isSet(result) && isSuccess(error))) {
    if (isSet(result)) note('a result and an error in one answer');
    return { jsonrpc: '2.0', id, error: readError(error, note) } as JSONRPCMessage;
  }
  if (error !== undefined) note('an empty error next to the result');
  if (result === undefined) return unusable(id, 'contains neither a result nor an error');
  return { jsonrpc: '2.0', id, result } as JSONRPCMessage;
}

/** Reads an error. A code that is no number and other members become a part of the message or the data. */
export function readError(error: unknown, note: Note): { code: number; message: string; data?: unknown } {
  if (!isObject(error)) {
    note('an error that is not an object');
    return { code: ProtocolErrorCode.InternalError, message: typeof error === 'string' ? error : shown(error) };
  }
  const { code, message, data, ...others } = error;
  const number =
    typeof code === 'number' ? code : typeof code === 'string' && /^-?\d{1,9}$/.test(code) ? Number(code) : undefined;
  const isNumber = Number.isInteger(number);
  const words = [message, others.error, others.detail, others.description, others.title].find(isText);
  if (typeof code !== 'number' || !isNumber)
    note(code === undefined ? 'an error without a code' : 'an error whose code is not a whole number');
  if (!isText(message)) note('an error without a message');
  const label = isText(code) && !isNumber ? ` (${code.slice(0, MAX_SHOWN_METHOD)})` : '';
  const rest = data ?? (isText(message) && Object.keys(others).length > 0 ? others : undefined);
  return {
    code: isNumber ? (number as number) : ProtocolErrorCode.InternalError,
    message: `${words ?? shown(error)}${label}`,
    data: !isSet(rest) || isNestedDeeperThan(rest, MAX_DATA_DEPTH) ? undefined : withDigits(rest),
  };
}

/** The data of the error that stands for an answer that was not read. The server itself has reported no error. */
export const UNREAD = 'toolwright: the answer was not read';

/** Returns the answer to a call whose own answer exceeds a limit of messages. `excess` describes that answer. */
export function tooLargeAnswer(id: number | string, excess: string): JSONRPCErrorResponse {
  return unread(id, `its answer is ${excess}. It was not read. Ask for less, with pages or a filter.`);
}

/** Returns the answer to a call whose own answer cannot be used. `what` is about "its answer", and starts with a verb. */
export function unusable(id: number | string, what: string): JSONRPCErrorResponse {
  return unread(id, `its answer ${what}. The server violates JSON-RPC 2.0: update or report it.`);
}

function unread(id: number | string, message: string): JSONRPCErrorResponse {
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidRequest, message, data: UNREAD } };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Serializers write an absent error as null, false or an empty text. */
function isFailure(error: unknown): boolean {
  return isSet(error) && error !== false && error !== '';
}

/** Servers write an empty error, or the code 0, next to a result. */
function isSuccess(error: unknown): boolean {
  return isObject(error) && (Object.keys(error).length === 0 || error.code === 0);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,15}$/.test(value);
}

function shown(value: unknown): string {
  return isNestedDeeperThan(value, MAX_DATA_DEPTH) ? '' : (exactText(value) ?? '').slice(0, MAX_ERROR_CHARACTERS);
}
