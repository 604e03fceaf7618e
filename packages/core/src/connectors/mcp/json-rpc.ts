import { type JSONRPCMessage, ProtocolErrorCode, parseJSONRPCMessage } from '@modelcontextprotocol/client';

/** Blocks of content of one answer: each is checked against all kinds there are. */
const MAX_BLOCKS = 10_000;

/**
 * Tells messages from garbage, for which it throws. Only the envelope is looked at: the SDK checks each result against its
 * schema, and its own check of the envelope costs as much as all the rest of a call. An answer is brought into the one
 * form that the SDK takes, since one that it cannot read leaves its call waiting.
 */
export function asMessage(value: unknown): JSONRPCMessage {
  if (typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0') {
    if ('method' in value && typeof value.method === 'string') return value as JSONRPCMessage;
    if ('id' in value && (typeof value.id === 'number' || typeof value.id === 'string'))
      return answer(value.id, { ...value });
  }
  return parseJSONRPCMessage(value);
}

function answer(id: number | string, parts: { readonly [part: string]: unknown }): JSONRPCMessage {
  const { result, error } = parts;
  if (isRecord(result) && (error === undefined || error === null)) {
    const { content } = result;
    if (!Array.isArray(content) || content.length <= MAX_BLOCKS) return { jsonrpc: '2.0', id, result };
    return unusable(id, `${content.length} blocks of content, at most ${MAX_BLOCKS} are read`);
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

function unusable(id: number | string, what: string): JSONRPCMessage {
  const message = `its answer holds ${what}. The server does not keep to JSON-RPC 2.0: update or report it.`;
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidRequest, message } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
