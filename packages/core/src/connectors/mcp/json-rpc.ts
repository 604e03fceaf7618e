import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCResponse,
  ProtocolErrorCode,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/client';
import { isNestedDeeperThan } from '../json-depth.ts';

/** Maximum nesting of a request or a notification of a server. Only answers contain data for programs. */
const MAX_REQUEST_DEPTH = 100;
/** Maximum content blocks of one answer. The SDK checks each block against all kinds of blocks, which is slow. */
const MAX_BLOCKS = 10_000;
const MAX_SHOWN_ID = 40;

/**
 * Returns a value as a JSON-RPC message, and throws for any other value. It checks the envelope only: the SDK validates
 * results, and its own check of the envelope takes as long as the rest of a call. Answers are converted to the form that the
 * SDK accepts, because an answer that the SDK rejects leaves its call without an answer.
 */
export function asMessage(value: unknown): JSONRPCMessage {
  if (typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0') {
    if ('method' in value && typeof value.method === 'string') {
      if (isNestedDeeperThan(value, MAX_REQUEST_DEPTH)) throw new RangeError('a request is nested too deep');
      return value as JSONRPCMessage;
    }
    if ('id' in value && value.id !== null) {
      // An id of any other type ends its call with an error, if it means one.
      const id = value.id as number;
      const strict = strictAnswer({ jsonrpc: '2.0', id, result: {} });
      if (strict.id !== id) return strict;
      if (typeof id === 'number' || typeof id === 'string') return answer(id, { ...value });
    }
  }
  return parseJSONRPCMessage(value);
}

function answer(id: number | string, parts: { readonly [part: string]: unknown }): JSONRPCMessage {
  const { result, error } = parts;
  if (isRecord(result) && (error === undefined || error === null)) {
    const { content } = result;
    if (!Array.isArray(content) || content.length <= MAX_BLOCKS) return { jsonrpc: '2.0', id, result };
    return unusable(id, `${content.length} content blocks; the limit is ${MAX_BLOCKS}`);
  }
  if (isRecord(error) && (result === undefined || result === null)) {
    const { code, message, data } = error;
    if (Number.isInteger(code) && typeof message === 'string') {
      return { jsonrpc: '2.0', id, error: { code: code as number, message, data } };
    }
    return unusable(id, 'an error without a number and a message');
  }
  return unusable(id, 'neither one result nor one error');
}

/** Returns the answer to a call whose own answer exceeds a limit of messages. `excess` describes that answer. */
export function tooLargeAnswer(id: number | string, excess: string): JSONRPCMessage {
  const message = `its answer is ${excess}. It was not read. Ask for less, with pages or a filter.`;
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidRequest, message } };
}

/**
 * Returns an answer that the SDK hands to the call with its id. An id of another type, which the SDK would convert to the number of a
 * call, ends that call with an error.
 */
export function strictAnswer(response: JSONRPCResponse): JSONRPCResponse {
  const id: unknown = response.id;
  if (typeof id === 'number' || id === undefined || id === null || Number.isNaN(Number(id))) return response;
  return unusable(
    Number(id),
    `the id ${JSON.stringify(id).slice(0, MAX_SHOWN_ID)}, which is not the number of a request`,
  );
}

function unusable(id: number | string, what: string): JSONRPCErrorResponse {
  const message = `its answer contains ${what}. The server violates JSON-RPC 2.0: update or report it.`;
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidRequest, message } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
