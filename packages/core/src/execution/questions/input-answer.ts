import type { FormSchema } from '@toolwright/connectors';
import { listProblems } from '@toolwright/connectors/internal';
import { readSchema } from '../../catalog/schema/read-schema.ts';
import { TYPESCRIPT_WRITER } from '../../catalog/signatures/typescript/writer.ts';
import { findProblems } from '../../catalog/validation/problems.ts';
import { ToolwrightError } from '../../errors.ts';

/** Maximum characters of an answer as JSON. */
const MAX_ANSWER_CHARACTERS = 100_000;
/** Formats of texts, which a schema may require. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/,
  uri: /^[a-z][a-z\d+.-]*:/i,
};

/**
 * Returns the answer to a question of a server as the server gets it: fields of a form that are left out have their defaults. Raises
 * `CONFIG_INVALID`, without a value of the answer, for one that does not fit the form.
 */
export function completeAnswer(details: unknown, value: unknown): unknown {
  const { mode, requestedSchema } = Object(details);
  if (mode === 'url') return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (mode === 'roots'))
    throw invalid('an answer is an object with the fields of the form');
  if (JSON.stringify(value).length > MAX_ANSWER_CHARACTERS)
    throw invalid(`an answer has at most ${MAX_ANSWER_CHARACTERS} characters`);
  if (mode !== 'form') return value;
  return completeForm(requestedSchema as FormSchema, value as Readonly<Record<string, unknown>>);
}

function completeForm(schema: FormSchema, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { properties } = schema;
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined)
    throw invalid(`the form has no such field; its fields are ${Object.keys(properties).join(', ')}`);
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    const given = value[name] ?? field.default;
    if (given !== undefined && given !== null) content[name] = given;
  }
  const problems = findProblems(readSchema({ ...schema }), content, TYPESCRIPT_WRITER.types, { hidesValues: true });
  if (problems && problems.length > 0) throw invalid(listProblems(problems));
  for (const [name, { format }] of Object.entries(properties)) {
    const text = content[name];
    const pattern = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
    if (pattern && typeof text === 'string' && !pattern.test(text))
      throw invalid(`${name}: expected the format ${format}`);
  }
  return content;
}

function invalid(problem: string): ToolwrightError {
  return new ToolwrightError(
    'CONFIG_INVALID',
    `The answer does not fit the question: ${problem}. Nothing was decided.`,
  );
}
