import { parseSync } from 'oxc-parser';

/** Brackets in one text above which it is not parsed: a parser that runs out of stack ends the process. */
const MAX_BRACKETS = 1_000;

/** Whether a text has more brackets than may be parsed. */
export function isTooDeep(source: string): boolean {
  return (source.match(/[[({<?]|=>/g)?.length ?? 0) > MAX_BRACKETS;
}

/** Whether a text is an object literal of JavaScript, with any keys and quotes. It is parsed, never evaluated. */
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
