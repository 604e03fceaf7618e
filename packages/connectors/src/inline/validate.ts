import { ToolwrightError } from '../errors.ts';
import { invalidArguments, listProblems, type Problem, propertyPath } from '../tools/argument-problems.ts';
import type { StandardIssue, StandardSchemaV1 } from './standard-schema.ts';

/** The names of a tool and its server, for errors. */
export interface ToolRef {
  readonly server: string;
  readonly tool: string;
}

/** Validates the arguments of a call. Returns the validated arguments. Raises `INVALID_ARGUMENTS` with all issues. */
export async function validateInput(schema: StandardSchemaV1, args: unknown, ref: ToolRef): Promise<unknown> {
  const result = await schema['~standard'].validate(args);
  if (result.issues === undefined) return result.value;
  throw new ToolwrightError('INVALID_ARGUMENTS', invalidArguments(result.issues.map(toProblem)), {
    details: { ...ref },
  });
}

/** Validates the result of a tool. Returns the validated result. Raises `TOOL_FAILED` with all issues. */
export async function validateOutput(
  schema: StandardSchemaV1,
  value: unknown,
  { server, tool }: ToolRef,
): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  const problems = listProblems(result.issues.map(toProblem));
  throw new ToolwrightError(
    'TOOL_FAILED',
    `The result of ${tool} on ${server} does not match its output schema: ${problems}.`,
  );
}

function toProblem({ message, path = [] }: StandardIssue): Problem {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  const text = keys.reduce<string>(
    (before, key) => (typeof key === 'number' ? `${before}[${key}]` : propertyPath(before, String(key))),
    '',
  );
  return { path: text, message: message.replace(/\.$/, '') };
}
