import { isNode, type Node, type ParsedProgram } from './parse.ts';

const SERVER_MODULE = /^(?:\.{0,2}\/)+servers\//;
/** Nodes that have the value of another one. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['AwaitExpression', 'ParenthesizedExpression', 'ChainExpression', 'ExpressionStatement', 'ReturnStatement'],
  ...['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'ExportDefaultDeclaration'],
]);
/** Members that texts have: they depend on the text. */
const OF_TEXTS: ReadonlySet<string> = new Set(['length', 'constructor', '__proto__']);
/** Functions that receive data and read no text. */
const READS_NOTHING: ReadonlySet<string> = new Set([
  ...['console.log', 'console.info', 'console.debug', 'console.warn', 'console.error'],
]);

/**
 * Returns whether a program only passes on the data that it receives: it calls tools, selects members of their results and returns them. Such
 * a program does the same for any text. Syntax that is not known here counts as a use of the text.
 */
export function passesData({ body }: ParsedProgram): boolean {
  const nodes = body as readonly unknown[];
  const servers = new Set(nodes.flatMap(importedNames));
  return nodes.every((node) => passes(node, servers));
}

/** Returns the names that a statement imports from modules of servers. */
function importedNames(node: unknown): string[] {
  if (!isNode(node) || node.type !== 'ImportDeclaration' || !isServerModule(node)) return [];
  return (node.specifiers as readonly Node[]).map(({ local }) => nameOf(local) ?? '');
}

function isServerModule({ source }: Node): boolean {
  return SERVER_MODULE.test(String(textOf(source)));
}

function passes(node: unknown, servers: ReadonlySet<string>): boolean {
  if (node === null || node === undefined) return true;
  if (!isNode(node)) return false;
  const each = (nodes: unknown) => (nodes as readonly unknown[]).every((part) => passes(part, servers));
  if (WRAPPERS.has(node.type)) return passes(node.argument ?? node.expression ?? node.declaration, servers);
  switch (node.type) {
    case 'ImportDeclaration':
      return isServerModule(node);
    case 'VariableDeclaration':
    case 'BlockStatement':
      return each(node.declarations ?? node.body);
    case 'VariableDeclarator':
      return isPattern(node.id) && passes(node.init, servers);
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
      return node.computed === false && node.kind === 'init' && passes(node.value, servers);
    case 'LogicalExpression':
      return node.operator === '??' && passes(node.left, servers) && passes(node.right, servers);
    case 'MemberExpression':
      return isMember(node) && passes(node.object, servers);
    case 'CallExpression':
      return isCall(node, servers);
    default:
      return false;
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

function isCall({ callee, arguments: given }: Node, servers: ReadonlySet<string>): boolean {
  const args = given as readonly unknown[];
  const path = pathOf(callee);
  const isTool = path === 'callMCPTool' && textOf(args[0]) !== undefined;
  const [root = '', ...members] = path?.split('.') ?? [];
  const isFunction = servers.has(root) || (root === 'servers' && members.length > 1);
  // A text in place of a list would become its characters.
  const isAll =
    path === 'Promise.all' &&
    args.length === 1 &&
    (isNodeOf(args[0], 'ArrayExpression') || (isNodeOf(args[0], 'CallExpression') && isMap(args[0].callee)));
  if (isTool || isFunction || isAll || READS_NOTHING.has(path ?? '')) return args.every((arg) => passes(arg, servers));
  // A text has no function of this name: the program fails for any text.
  if (!isMap(callee)) return false;
  const [arrow] = args;
  if (!isNodeOf(arrow, 'ArrowFunctionExpression') || args.length > 1) return false;
  const parameters = arrow.params as readonly unknown[];
  return (
    parameters.length <= 1 &&
    parameters.every(isPattern) &&
    [callee.object, arrow.body].every((part) => passes(part, servers))
  );
}

/** Returns whether a called function is the `map` of a value. */
function isMap(callee: unknown): callee is Node {
  return isNodeOf(callee, 'MemberExpression') && nameOf(callee.property) === 'map';
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

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined;
}

function textOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}
