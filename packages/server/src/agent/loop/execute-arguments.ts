import type { ExecuteRequest } from '@toolwright/core';
import { CORE } from '../../code-tools/definitions.ts';
import { invalidArguments, readArguments } from '../../code-tools/read-arguments.ts';

/** The arguments of `execute_code`: the fields of an `ExecuteRequest` that a model can set. */
export interface ExecuteArguments extends Pick<ExecuteRequest, 'code' | 'language' | 'sessionId' | 'check'> {
  readonly limits?: { readonly timeoutMs?: number };
}

/** Reads the arguments of `execute_code`, for the agent and the MCP server. Raises `INVALID_ARGUMENTS`. */
export function readExecuteArguments(input: unknown): ExecuteArguments {
  const read = readArguments('execute_code', CORE.execute_code, input) as unknown as ExecuteArguments;
  if (read.code.trim() === '') throw invalidArguments('execute_code: "code" is empty. Send a program.');
  return read;
}
