import { parseSync } from 'oxc-parser';

/** Maximum number of brackets in parsed text: a stack overflow in the parser ends the process. */
const MAX_BRACKETS = 1_000;

/** Returns whether a text has more brackets than the parser may receive. */
export function isTooDeep(source: string): boolean {
  return (source.match(/[[({<?]|=>/g)?.length ?? 0) > MAX_BRACKETS;
}

/** Returns whether a text is a JavaScript object literal. The text is parsed, never evaluated. */
export function isObjectLiteral(text: string): boolean {
  if (isTooDeep(text)) return false;
  const { errors, program } = parseSync('object.js', `(${text}\n)`, { sourceType: 'script' });
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
