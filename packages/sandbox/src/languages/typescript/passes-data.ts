import { isNode, type Node, nameOf, type ParsedProgram } from './parse.ts';

const SERVER_MODULE = /^(?:\.{0,2}\/)+servers\//;
/** Nodes that have the value of another one. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['AwaitExpression', 'ParenthesizedExpression', 'ChainExpression', 'ExpressionStatement', 'ReturnStatement'],
  ...['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'ExportDefaultDeclaration'],
]);
/** Members that texts have: they depend on the text. */
const OF_TEXTS: ReadonlySet<string> = new Set(['length', 'constructor', '__proto__']);
/** Functions of lists that call their argument for each item. */
const LOOPS: ReadonlySet<string> = new Set(
  'map filter some every find findIndex findLast flatMap forEach reduce'.split(' '),
);
/** Operators whose operands report themselves. */
const OPERATORS = /^(?:[!=]==?|[<>]=?|[-+*/%]|\*\*)$/;
/** Functions that receive data and read no text. */
const READS_NOTHING: ReadonlySet<string> = new Set([
  ...['console.log', 'console.info', 'console.debug', 'console.warn', 'console.error'],
]);

/**
 * Returns whether a program only passes on the data that it receives: it calls tools, selects members of their results and returns them. Such
 * a program does the same for any text. Syntax that is not known here counts as a use of the text.
 */
export function passesData(program: ParsedProgram): boolean {
  return isKnown(program, false);
}

/**
 * Returns whether a program reads texts only by the operands of {@link readOperands}. Its syntax cannot change how they report
 * themselves. It defines, replaces and calls no function but those of its loops.
 */
export function reportsReads(program: ParsedProgram): boolean {
  return isKnown(program, true);
}

function isKnown({ body }: ParsedProgram, reads: boolean): boolean {
  const nodes = body as readonly unknown[];
  const servers = new Set(nodes.flatMap(importedNames));
  return nodes.every((node) => passes(node, { servers, reads }));
}

interface Scope {
  readonly servers: ReadonlySet<string>;
  /** Whether operations on texts are known too, whose operands report themselves. */
  readonly reads: boolean;
}

/** Returns the names that a statement imports from modules of servers. */
function importedNames(node: unknown): string[] {
  if (!isNode(node) || node.type !== 'ImportDeclaration' || !isServerModule(node)) return [];
  return (node.specifiers as readonly Node[]).map(({ local }) => nameOf(local) ?? '');
}

function isServerModule({ source }: Node): boolean {
  return SERVER_MODULE.test(String(textOf(source)));
}

function passes(node: unknown, scope: Scope): boolean {
  if (node === null || node === undefined) return true;
  if (!isNode(node)) return false;
  const each = (nodes: unknown) => (nodes as readonly unknown[]).every((part) => passes(part, scope));
  if (WRAPPERS.has(node.type)) return passes(node.argument ?? node.expression ?? node.declaration, scope);
  switch (node.type) {
    case 'ImportDeclaration':
      return isServerModule(node);
    case 'VariableDeclaration':
    case 'BlockStatement':
      return each(node.declarations ?? node.body);
    case 'VariableDeclarator':
      return isPattern(node.id) && passes(node.init, scope);
    case 'Literal':
      return node.regex === undefined;
    case 'Identifier':
    case 'EmptyStatement':
      return true;
    case 'TemplateLiteral':
      return each(node.expressions);
    case 'ArrayExpression':
      return each(node.elements);
    case 'ObjectExpression':
      return each(node.properties);
    case 'Property':
      return node.computed === false && node.kind === 'init' && passes(node.value, scope);
    case 'LogicalExpression':
      // No value is empty, and no placeholder is.
      return (node.operator === '??' || scope.reads) && each([node.left, node.right]);
    case 'MemberExpression':
      return (isMember(node) || (scope.reads && readsList(node))) && passes(node.object, scope);
    case 'CallExpression':
      return isCall(node, scope);
    default:
      return scope.reads && passesWithReads(node, scope);
  }
}

/** The same for syntax whose operands report themselves, or that depends on no text. */
function passesWithReads(node: Node, scope: Scope): boolean {
  const each = (...nodes: unknown[]) => nodes.every((part) => passes(part, scope));
  switch (node.type) {
    case 'BinaryExpression':
      return OPERATORS.test(String(node.operator)) && each(node.left, node.right);
    case 'UnaryExpression':
      return node.operator === '!' && each(node.argument);
    case 'ConditionalExpression':
    case 'IfStatement':
      return each(node.test, node.consequent, node.alternate);
    case 'ForOfStatement':
      return (
        node.await !== true && isNodeOf(node.left, 'VariableDeclaration') && each(node.left, node.right, node.body)
      );
    case 'ContinueStatement':
    case 'BreakStatement':
      return node.label === null;
    case 'AssignmentExpression':
      return nameOf(node.left) !== undefined && /^[-+]?=$/.test(String(node.operator)) && each(node.right);
    case 'UpdateExpression':
      return nameOf(node.argument) !== undefined;
    default:
      return false;
  }
}

/** Returns whether a member depends on its list or text, outside of the rest of a chain: its length, an item, or a loop. */
function readsList({ computed, property, object }: Node): boolean {
  const isInChain = (node: unknown): boolean =>
    isNode(node) &&
    /^(?:Member|Call)Expression$/.test(node.type) &&
    (node.optional === true || isInChain(node.object ?? node.callee));
  const name = computed === false ? (nameOf(property) ?? '') : '';
  const isItem = computed === true && isNodeOf(property, 'Literal') && typeof property.value === 'number';
  return (isItem || name === 'length' || LOOPS.has(name)) && !isInChain(object);
}

/** An operand of an operation that depends on its text. */
export interface ReadOperand {
  readonly node: Node;
  /** `same`: compared for identity. `list`: its items or their number. `value`: a text or number. */
  readonly as: 'same' | 'list' | 'value';
}

/** Returns the operands that an operation of a program with reported reads depends on. */
export function readOperands(node: Node): readonly ReadOperand[] {
  const all = (as: ReadOperand['as'], ...nodes: unknown[]) =>
    nodes.filter((each) => isNode(each) && each.type !== 'Literal').map((each) => ({ node: each as Node, as }));
  switch (node.type) {
    case 'BinaryExpression': {
      const isNullish = [node.left, node.right].some((each) => isNodeOf(each, 'Literal') && each.raw === 'null');
      const isSame = isNullish || /^[!=]==$/.test(String(node.operator));
      return all(isSame ? 'same' : 'value', node.left, node.right);
    }
    case 'MemberExpression':
      return readsList(node) ? all('list', node.object) : [];
    case 'ForOfStatement':
      return all('list', node.right);
    case 'AssignmentExpression':
      return node.operator === '=' ? [] : all('value', node.left, node.right);
    case 'UpdateExpression':
      return all('value', node.argument);
    default:
      return [];
  }
}

/** Returns whether a member has a name that texts do not have. An index of a text is a character of it. */
function isMember({ computed, property }: Node): boolean {
  const name = computed === true ? textOf(property) : nameOf(property);
  return name !== undefined && !OF_TEXTS.has(name) && !/^\d/.test(name);
}

function isPattern(node: unknown): boolean {
  if (nameOf(node) !== undefined) return true;
  if (!isNode(node) || node.type !== 'ObjectPattern') return false;
  return (node.properties as readonly Node[]).every(
    ({ type, computed, key, value }) =>
      type === 'Property' && computed === false && isMember({ type, computed, property: key }) && isPattern(value),
  );
}

function isCall({ callee, arguments: given }: Node, scope: Scope): boolean {
  const args = given as readonly unknown[];
  const path = pathOf(callee);
  const isTool = path === 'callMCPTool' && textOf(args[0]) !== undefined;
  const [root = '', ...members] = path?.split('.') ?? [];
  const isFunction = scope.servers.has(root) || (root === 'servers' && members.length > 1);
  // A text in place of a list would become its characters.
  const isAll =
    path === 'Promise.all' &&
    args.length === 1 &&
    (isNodeOf(args[0], 'ArrayExpression') || (isNodeOf(args[0], 'CallExpression') && isMap(args[0].callee)));
  if (isTool || isFunction || isAll || READS_NOTHING.has(path ?? '')) return args.every((arg) => passes(arg, scope));
  // A text has no function of these names: the program fails for any text.
  if (scope.reads && isNodeOf(callee, 'MemberExpression') && nameOf(callee.property) === 'push')
    return [callee.object, ...args].every((part) => passes(part, scope));
  if (!(scope.reads ? isLoop(callee) : isMap(callee))) return false;
  const [arrow, ...others] = args;
  if (!isNodeOf(arrow, 'ArrowFunctionExpression') || others.length > (scope.reads ? 1 : 0)) return false;
  const parameters = arrow.params as readonly unknown[];
  return (
    (scope.reads || parameters.length <= 1) &&
    parameters.every(isPattern) &&
    [(callee as Node).object, arrow.body, ...others].every((part) => passes(part, scope))
  );
}

/** Returns whether a called function is a loop over a list. */
function isLoop(callee: unknown): callee is Node {
  return isNodeOf(callee, 'MemberExpression') && LOOPS.has(nameOf(callee.property) ?? '') && readsList(callee);
}

/** Returns whether a called function is the `map` of a value. */
function isMap(callee: unknown): callee is Node {
  return isNodeOf(callee, 'MemberExpression') && callee.computed === false && nameOf(callee.property) === 'map';
}

/** Returns `a.b.c` for a name and its members; undefined for any other expression. */
function pathOf(node: unknown): string | undefined {
  if (!isNode(node) || node.type !== 'MemberExpression') return nameOf(node);
  const object = pathOf(node.object);
  const name = node.computed === true ? undefined : nameOf(node.property);
  return object === undefined || name === undefined ? undefined : `${object}.${name}`;
}

function isNodeOf(node: unknown, type: string): node is Node {
  return isNode(node) && node.type === type;
}

function textOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}
