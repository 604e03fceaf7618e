import { messageOf } from '../../errors.ts';
import { nearestKey } from '../problems.ts';
import { KEYWORDS } from './keywords.ts';
import { all, type Test } from './verdict.ts';

/** A mistake in a schema, with its path. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly text: string;
}

/** Keywords that only describe. */
const NOTES: ReadonlySet<string> = new Set(['$schema', '$comment', 'title', 'description']);
const MAX_SCHEMA_DEPTH = 40;

/**
 * Compiles a JSON Schema (2020-12) over the arguments of a call to a test with three results; see {@link Verdict}. Adds every
 * mistake to `problems`. It is strict, because a rule that ignored a keyword would let calls through: unknown keywords, `$ref`,
 * `if` and `format` are mistakes.
 */
export function compileArguments(schema: unknown, problems: SchemaProblem[]): Test {
  return compile(schema, [], problems);
}

function compile(schema: unknown, path: readonly string[], problems: SchemaProblem[]): Test {
  const problem = (text: string, at = path) => {
    problems.push({ path: at, text });
    return never;
  };
  if (typeof schema === 'boolean') return () => schema;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return problem('expected a JSON Schema, which is an object, true or false');
  }
  if (path.length > MAX_SCHEMA_DEPTH) return problem(`a schema is nested at most ${MAX_SCHEMA_DEPTH} levels deep`);
  const tests = Object.entries(schema).flatMap(([name, operand]) => {
    if (NOTES.has(name)) return [];
    const at = [...path, name];
    const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
    if (keyword === undefined) return [problem(unknownKeyword(name), at)];
    const part = (inner: unknown, ...steps: readonly string[]) => compile(inner, [...at, ...steps], problems);
    try {
      return [keyword(operand, { path: at.join('.'), part, siblings: schema as Readonly<Record<string, unknown>> })];
    } catch (error) {
      return [problem(messageOf(error), at)];
    }
  });
  return all(tests);
}

function never(): false {
  return false;
}

function unknownKeyword(name: string): string {
  const known = Object.keys(KEYWORDS);
  const near = nearestKey(name, known);
  const hint = near === undefined ? `A rule knows: ${known.join(', ')}` : `Did you mean "${near}"?`;
  return `a rule does not know the keyword "${name}". ${hint}`;
}
