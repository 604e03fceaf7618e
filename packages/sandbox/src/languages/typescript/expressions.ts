import { parseSync } from 'oxc-parser';

/** A text, read as a JavaScript expression. */
export interface ExpressionReading {
  /** Its syntax error, or why it is no expression. */
  readonly problem?: string;
  /** It is an object literal of a script. */
  readonly isObject: boolean;
}

/** Expressions are parts of scripts, which are not strict. */
const SCRIPT = { sourceType: 'script' } as const;
/** Some may await, as modules do. */
const MODULE = { sourceType: 'module' } as const;
/** A parser may quote a whole text in its error. */
const MAX_PROBLEM_CHARACTERS = 200;

/** Reads texts as JavaScript expressions. Nothing is evaluated. */
export function expressionsOf(texts: readonly string[]): ExpressionReading[] {
  return texts.map((text) => {
    const problem = problemOf(text);
    const isObject = text.includes('{') && isObjectLiteral(text);
    return problem === undefined ? { isObject } : { problem: problem.slice(0, MAX_PROBLEM_CHARACTERS), isObject };
  });
}

function problemOf(source: string): string | undefined {
  if (isOneExpression(source, SCRIPT) || isOneExpression(source, MODULE)) return undefined;
  const { errors, program } = parseSync('expression.js', source, MODULE);
  const [error] = errors;
  if (error) return error.message;
  const isExpressions = program.body.every(({ type }) => type === 'ExpressionStatement');
  return isExpressions ? undefined : 'a statement, not an expression';
}

function isOneExpression(source: string, kind: typeof SCRIPT | typeof MODULE): boolean {
  // A parser reads a leading "{" as a block. Text that closes our bracket must not pass.
  const { errors, program } = parseSync('expression.js', `(${source}\n)`, kind);
  const [statement, more] = errors.length === 0 ? program.body : [];
  const isWrapped =
    statement?.type === 'ExpressionStatement' && statement.expression.type === 'ParenthesizedExpression';
  return isWrapped && more === undefined;
}

function isObjectLiteral(source: string): boolean {
  const { errors, program } = parseSync('object.js', `(${source}\n)`, SCRIPT);
  return (
    errors.length === 0 &&
    program.body.some(
      (statement) =>
        statement.type === 'ExpressionStatement' &&
        statement.expression.type === 'ParenthesizedExpression' &&
        statement.expression.expression.type === 'ObjectExpression',
    )
  );
}
