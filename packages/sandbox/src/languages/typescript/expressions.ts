import { parseSync } from 'oxc-parser';

/** A text as a JavaScript expression. */
export interface ExpressionReading {
  /** Its syntax error, or why it is no expression. */
  readonly problem?: string;
  /** It is an object literal. */
  readonly isObject: boolean;
}

/** Reads texts as JavaScript expressions. Nothing is evaluated. */
export function expressionsOf(texts: readonly string[]): ExpressionReading[] {
  return texts.map(readExpression);
}

function readExpression(source: string): ExpressionReading {
  // A parser reads a leading "{" as a block. Text that closes our bracket must not pass.
  const wrapped = parseSync('expression.js', `(${source}\n)`, { sourceType: 'module' });
  const [statement, more] = wrapped.errors.length === 0 ? wrapped.program.body : [];
  const inner =
    statement?.type === 'ExpressionStatement' && statement.expression.type === 'ParenthesizedExpression'
      ? statement.expression.expression
      : undefined;
  if (inner && more === undefined) return { isObject: inner.type === 'ObjectExpression' };
  const { errors, program } = parseSync('expression.js', source, { sourceType: 'module' });
  const [error] = errors;
  if (error) return { problem: error.message, isObject: false };
  const isExpressions = program.body.every(({ type }) => type === 'ExpressionStatement');
  return isExpressions ? { isObject: false } : { problem: 'a statement, not an expression', isObject: false };
}
