import type { GivenArguments } from '../checker.ts';
import { isNode, type Node, textOf } from './nodes.ts';

/** The value of an expression that is no literal. */
const OPEN = Symbol('open');

/** Returns the arguments that an object literal shows; undefined for any other expression, and where names are computed or spread. */
export function givenArguments(node: Node): GivenArguments | undefined {
  if (node.type !== 'ObjectExpression') return undefined;
  const values: Record<string, unknown> = {};
  const open: string[] = [];
  for (const property of node.properties as readonly Node[]) {
    const name = nameOf(property);
    if (name === undefined) return undefined;
    const value = property.shorthand === true ? OPEN : literalOf(property.value);
    if (value === OPEN) open.push(name);
    else Object.defineProperty(values, name, { value, enumerable: true });
  }
  return { values, open };
}

function nameOf({ type, computed, key }: Node): string | undefined {
  if (type !== 'Property' || computed === true || !isNode(key)) return undefined;
  return key.type === 'Identifier' ? String(key.name) : textOf(key);
}

/** Returns the JSON value of a literal, of a list and of an object of literals. */
function literalOf(node: unknown): unknown {
  if (!isNode(node)) return OPEN;
  const text = textOf(node);
  if (text !== undefined) return text;
  if (node.type === 'Literal') return isJson(node.value) ? node.value : OPEN;
  if (node.type === 'ArrayExpression') {
    const items = (node.elements as readonly unknown[]).map(literalOf);
    return items.includes(OPEN) ? OPEN : items;
  }
  const object = node.type === 'ObjectExpression' ? givenArguments(node) : undefined;
  return object === undefined || object.open.length > 0 ? OPEN : object.values;
}

function isJson(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
