import { isNode, type Node, nameOf } from '../parse.ts';

/** Methods that the host computes for a text that is a placeholder. */
const METHODS: ReadonlySet<string> = new Set(
  [
    'toLowerCase toUpperCase toLocaleLowerCase toLocaleUpperCase trim trimStart trimEnd normalize padStart padEnd replace replaceAll split slice',
    'substring substr charAt at startsWith endsWith includes indexOf localeCompare test sort toSorted match get has',
  ].flatMap((line) => line.split(' ')),
);
/** Literals that the program sees in place of their placeholders, so that its own comparison is right. */
const LIKE_VALUE = /[@\d]|^[\p{Lu}\p{Lo}]/u;

/** Returns whether a chain of members and calls has an operand that the host may compute with. */
export function isRewritten(node: unknown): boolean {
  if (!isNode(node) || !/^(?:Member|Call)Expression$/.test(node.type)) return false;
  return operandMember(node) !== undefined || isRewritten(node.object ?? node.callee);
}

/** Returns the member of a node whose object the host may compute with. */
export function operandMember(node: Node): Node | undefined {
  const member = node.type === 'CallExpression' ? node.callee : node;
  if (!isNode(member) || member.type !== 'MemberExpression' || !isNode(member.object)) return undefined;
  const name = node.type === 'CallExpression' ? (methodOf(node) ?? '') : propertyOf(member);
  const isWanted = node.type === 'CallExpression' ? METHODS.has(name ?? '') : name === 'length' || name === '0';
  const isTemplate =
    member.object.type === 'TemplateLiteral' && (member.object.expressions as readonly Node[]).length > 0;
  return isWanted && (isTemplate || !isPlain(member.object)) ? member : undefined;
}

/** Returns whether a chain of members and calls has a `?.`. */
export function hasOptional(node: unknown): boolean {
  if (!isNode(node) || !/^(?:Member|Call)Expression$/.test(node.type)) return false;
  return node.optional === true || hasOptional(node.object ?? node.callee);
}

/** Returns an expression without the parentheses around it. */
export function inner(node: Node): Node {
  return node.type === 'ParenthesizedExpression' ? inner(node.expression as Node) : node;
}

/** Returns the operand of `new Date(value)`, also with `getTime` or `valueOf`, and of `Date.parse(value)`. */
export function dateOf(node: Node): Node | undefined {
  const method = methodOf(node);
  if (method === 'parse') {
    const { object } = node.callee as Node;
    return nameOf(object) === 'Date' ? onlyArgument(node) : undefined;
  }
  const made = method === 'getTime' || method === 'valueOf' ? ((node.callee as Node).object as Node) : node;
  return made.type === 'NewExpression' && nameOf(made.callee) === 'Date' ? onlyArgument(made) : undefined;
}

/** Returns the argument of a call with one; undefined for any other call. */
export function onlyArgument({ arguments: given }: Node): Node | undefined {
  const [value, ...others] = given as readonly Node[];
  return others.length > 0 || value?.type === 'SpreadElement' ? undefined : value;
}

/** Returns whether an expression is no text that a tool returned. */
export function isPlain(node: Node): boolean {
  if (node.type === 'Literal') return typeof node.value !== 'string' && node.regex === undefined;
  if (node.type === 'Identifier') return node.name === 'undefined';
  if (node.type === 'MemberExpression') return propertyOf(node) === 'length';
  return /^(?:Array|Object|ArrowFunction|Function|Unary|Update|Class|New)Expression$|^Super$|^TemplateLiteral$/.test(
    node.type,
  );
}

/** Returns whether an expression is a text that a tool could have returned. */
export function isLiteralValue({ type, value }: Node): boolean {
  return type === 'Literal' && typeof value === 'string' && (value === '' || LIKE_VALUE.test(value));
}

/** Returns whether an expression reads a field or calls a method. */
export function isField(node: Node): boolean {
  return (node.type === 'MemberExpression' && !isPlain(node)) || METHODS.has(methodOf(node) ?? '');
}

/** Returns whether a child is written to: it is no operand. */
export function isWritten(node: Node, key: string): boolean {
  if (node.type === 'AssignmentExpression' || node.type === 'ForOfStatement' || node.type === 'ForInStatement')
    return key === 'left';
  return (
    (node.type === 'UpdateExpression' && key === 'argument') ||
    (node.type === 'UnaryExpression' && node.operator === 'delete')
  );
}

/** Returns whether a child may be the value that a function returns. */
export function isReturned({ type }: Node, key: string): boolean {
  if (type === 'LogicalExpression' || type === 'ConditionalExpression') return key !== 'test';
  return /^(?:ArrowFunctionExpression|FunctionExpression|ReturnStatement|ParenthesizedExpression|BlockStatement|FunctionBody)$/.test(
    type,
  );
}

/** Returns the parts of a written member, which are read. */
export function partsOf(node: Node): readonly Node[] {
  const parts =
    node.type === 'MemberExpression' ? [node.object, node.computed === true ? node.property : undefined] : [];
  return parts.filter(isNode);
}

/** Returns the name of the method that a node calls: `a.name()`. */
export function methodOf(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || node.optional === true) return undefined;
  const callee = node.callee as Node;
  return callee.type === 'MemberExpression' && callee.computed !== true ? nameOf(callee.property) : undefined;
}

/** Returns the name that a member reads: `a.name`, or `0` for `a[0]`. */
export function propertyOf({ property, computed }: Node): string | undefined {
  if (!isNode(property)) return undefined;
  if (computed !== true) return nameOf(property);
  return property.type === 'Literal' && property.value === 0 ? '0' : undefined;
}
