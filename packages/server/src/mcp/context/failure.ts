import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { ToolwrightError } from '@toolwright/core';

const INVALID: ReadonlySet<string> = new Set([
  'UNKNOWN_SERVER',
  'TOOL_FAILED',
  'INVALID_ARGUMENTS',
  'POLICY_DENIED',
  'PII_DENIED',
  'PII_LIMIT',
  'UNKNOWN_PLACEHOLDER',
  'NOT_SUPPORTED',
]);

/** Runs a request about resources or prompts. Its error becomes one of the protocol, with the code of Toolwright as data. */
export async function answerOrFail<T>(work: () => Promise<T>, uri?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolwrightError)) throw error;
    if (uri !== undefined && error.code === 'UNKNOWN_SERVER') throw new ResourceNotFoundError(uri);
    const code = INVALID.has(error.code) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, error.message, { code: error.code, uri });
  }
}
