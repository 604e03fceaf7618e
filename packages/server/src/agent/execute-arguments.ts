import { ToolwrightError } from '@toolwright/core';
import { executeRequestSchema, problemsText } from '@toolwright/core/internal';
import * as z from 'zod';

const { code: text, language, sessionId, check, limits } = executeRequestSchema.shape;
const code = text.refine((program) => program.trim() !== '', 'is empty; send a program');
// The other limits belong to the configuration.
const timeoutMs = limits.unwrap().shape.timeoutMs;
const schema = z.object({ code, language, sessionId, check, limits: z.object({ timeoutMs }).optional() });

/** The arguments of `execute_code`: the fields of an `ExecuteRequest` that a model can set. */
export type ExecuteArguments = z.infer<typeof schema>;

/**
 * Validates the arguments of `execute_code`, for the agent and the MCP server. Ignores unknown fields and those that are
 * `null`, which some models send for absent ones. Raises `INVALID_ARGUMENTS`.
 */
export function readExecuteArguments(input: unknown): ExecuteArguments {
  const { data, error } = schema.safeParse(withoutNulls(input), { reportInput: true });
  if (data) return data;
  throw new ToolwrightError('INVALID_ARGUMENTS', `execute_code: ${problemsText(error)}.`);
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}
