import { isNode, type Node } from '../parse.ts';

/** V8 prints this in place of any other expression. */
const OTHER = '(intermediate value)';

/** Returns the parameter for the error about a method that a value does not have. */
export function calledWords(node: Node): string {
  return node.type === 'CallExpression' ? `, ${JSON.stringify(wordsOf(node.callee))}` : '';
}

/** Returns an expression as V8 prints it in an error about it: `rows.map(...).first`. */
export function wordsOf(node: unknown): string {
  if (!isNode(node)) return OTHER;
  switch (node.type) {
    case 'Identifier':
      return String(node.name);
    case 'ThisExpression':
      return 'this';
    case 'CallExpression':
      return `${wordsOf(node.callee)}(...)`;
    case 'MemberExpression':
      return `${wordsOf(node.object)}${node.optional === true ? '?.' : memberDot(node)}${memberOf(node)}`;
    case 'ChainExpression':
    case 'ParenthesizedExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return wordsOf(node.expression);
    default:
      return OTHER;
  }
}

function isName({ computed, property }: Node): boolean {
  return computed !== true || (isNode(property) && property.type === 'Literal' && typeof property.value === 'string');
}

function memberDot(node: Node): string {
  return isName(node) ? '.' : '';
}

function memberOf(node: Node): string {
  const property = node.property as Node;
  const name = property.type === 'Literal' ? String(property.value) : wordsOf(property);
  return isName(node) ? name : `[${name}]`;
}
