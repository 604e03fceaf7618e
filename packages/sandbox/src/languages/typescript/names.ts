import { visitorKeys } from 'oxc-parser';
import {
  collectNames,
  MAX_NESTING,
  mayCallTools,
  type NameCollector,
  NO_NAMES,
  type ProgramNames,
} from '../program-names.ts';
import { isNode, type Node, type ParsedProgram, parseProgram } from './parse.ts';

/** A server's module, or the file of one tool. */
const SERVER_MODULE = /^(?:\.{0,2}\/)+servers\/([^/]+?)(?:\/(?!index(?:\.[jt]s)?$)([^/]+?))?(?:\/index)?(?:\.[jt]s)?$/;
/** Nodes that have the value of another one. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['AwaitExpression', 'ParenthesizedExpression', 'ChainExpression'],
  ...['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'],
]);
/** TypeScript nodes that exist at run time. */
const RUNNING = /^TS(?:As|Satisfies|NonNull|Instantiation)Expression$|^TS(?:TypeAssertion|ParameterProperty|Enum\w+)$/;

/** Returns the tools that a TypeScript or JavaScript module names; none if it cannot be parsed. */
export function typescriptNames(source: string): ProgramNames {
  const parsed = parseProgram(source);
  return parsed.problem ? NO_NAMES : namesOf(parsed);
}

/** Returns the tools that a parsed program names. */
export function namesOf(parsed: ParsedProgram): ProgramNames {
  const found = collectNames();
  addNames(parsed, found, MAX_NESTING);
  return found.names();
}

/** Adds the names of a program, and those of code in its text literals: its author wrote them too. */
function addNames({ body }: ParsedProgram, found: NameCollector, nesting: number): void {
  const modules = new Map<string, string>();
  const inner = new Set<string>();
  // A function may use a variable that a later statement sets.
  for (const node of body) visit(node as unknown as Node, { modules, found: collectNames(), inner });
  for (const node of body) visit(node as unknown as Node, { modules, found, inner });
  for (const text of nesting > 0 ? inner : []) {
    const parsed = parseProgram(text);
    if (!parsed.problem) addNames(parsed, found, nesting - 1);
  }
}

interface Walk {
  /** The servers whose modules variables hold. */
  readonly modules: Map<string, string>;
  readonly found: NameCollector;
  /** Texts that can be code. */
  readonly inner: Set<string>;
}

function visit(node: Node, walk: Walk): void {
  if (node.type.startsWith('TS') && !RUNNING.test(node.type)) return;
  if (recordModule(node, walk)) return;
  record(node, walk);
  for (const key of visitorKeys[node.type] ?? []) {
    // A name, and no use of a variable.
    if ((key === 'property' || key === 'key') && node.computed !== true) continue;
    const child = node[key];
    for (const entry of Array.isArray(child) ? child : [child]) if (isNode(entry)) visit(entry, walk);
  }
}

/** Records the texts and member names of one node, without its children. */
function record(node: Node, { found, inner }: Walk): void {
  const text = textOf(node);
  if (text !== undefined) {
    if (mayCallTools(text)) inner.add(text);
    else found.text(text);
    const [, server, file] = SERVER_MODULE.exec(text) ?? [];
    if (server === undefined) return;
    if (file === undefined) found.passed(server);
    else found.function(server, file);
  } else if (node.type === 'TemplateLiteral') {
    for (const quasi of node.quasis as readonly { readonly value: { readonly cooked?: string } }[])
      if (quasi.value.cooked) found.text(quasi.value.cooked);
  } else if (node.type === 'MemberExpression' || node.type === 'Property') {
    const name = staticName(node.type === 'Property' ? node.key : node.property, node.computed === true);
    if (name === undefined) return;
    found.member(name);
    // A list of tools may have their names as keys.
    if (node.type === 'Property') found.text(name);
  }
}

/** Records a use of a server's module. Returns whether nothing is left to visit in the node. */
function recordModule(node: Node, walk: Walk): boolean {
  const { found } = walk;
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
      return recordImport(node, walk);
    case 'VariableDeclarator':
    case 'AssignmentExpression': {
      const [target, value] = node.type === 'VariableDeclarator' ? [node.id, node.init] : [node.left, node.right];
      return isNode(target) && isNode(value) && recordBinding(target, value, walk);
    }
    case 'MemberExpression': {
      const server = serverOf(node.object, walk);
      if (server === undefined) break;
      const name = staticName(node.property, node.computed === true);
      if (name !== undefined) {
        found.function(server, name);
        return true;
      }
      found.indexed(server);
      visit(node.property as Node, walk);
      return true;
    }
  }
  const server = serverOf(node, walk);
  if (server !== undefined) found.passed(server);
  return server !== undefined;
}

function recordImport(node: Node, { modules, found }: Walk): boolean {
  const [, server, file] = SERVER_MODULE.exec(textOf(node.source) ?? '') ?? [];
  if (server === undefined) return node.type === 'ImportDeclaration';
  if (file !== undefined) found.function(server, file);
  for (const specifier of (node.specifiers ?? []) as readonly Node[]) {
    const imported = specifier.type === 'ExportSpecifier' ? specifier.local : specifier.imported;
    const name = isNode(imported) ? staticName(imported, false) : undefined;
    if (name !== undefined) found.function(server, name);
    else if (file === undefined) modules.set(String((specifier.local as Node).name), server);
  }
  return true;
}

/** Records a variable that holds a module, or the functions that a pattern reads from it. */
function recordBinding(target: Node, value: Node, walk: Walk): boolean {
  const { modules, found } = walk;
  const properties = target.type === 'ObjectPattern' ? (target.properties as readonly Node[]) : undefined;
  if (properties && isNamed(inner(value), 'servers')) {
    for (const { key, value: local, computed } of properties) {
      const name = staticName(key, computed === true);
      if (name !== undefined && isNode(local) && local.type === 'Identifier') modules.set(String(local.name), name);
    }
    return true;
  }
  const server = serverOf(value, walk);
  if (server === undefined) return false;
  if (target.type === 'Identifier') {
    modules.set(String(target.name), server);
    return true;
  }
  if (!properties) return false;
  for (const property of properties) {
    const name = staticName(property.key, property.computed === true);
    if (name === undefined) found.passed(server);
    else found.function(server, name);
  }
  return true;
}

/** Returns the server whose module an expression is. */
function serverOf(node: unknown, { modules }: Walk): string | undefined {
  if (!isNode(node)) return undefined;
  const value = inner(node);
  if (value.type === 'Identifier') return modules.get(String(value.name));
  if (value.type === 'ImportExpression') return moduleOf(value.source);
  if (value.type === 'CallExpression' && isNamed(value.callee, 'require')) {
    return moduleOf((value.arguments as readonly unknown[])[0]);
  }
  if (value.type !== 'MemberExpression' || !isNamed(value.object, 'servers')) return undefined;
  return staticName(value.property, value.computed === true);
}

function moduleOf(specifier: unknown): string | undefined {
  const [, server, file] = SERVER_MODULE.exec(textOf(specifier) ?? '') ?? [];
  return file === undefined ? server : undefined;
}

function inner(node: Node): Node {
  const value = node.argument ?? node.expression;
  return WRAPPERS.has(node.type) && isNode(value) ? inner(value) : node;
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node.name === name;
}

/** Returns the name of a property that the source writes: `a` of `x.a`, `x["a"]` and `{a}`. */
function staticName(node: unknown, computed: boolean): string | undefined {
  if (!isNode(node)) return undefined;
  return node.type === 'Identifier' && !computed ? String(node.name) : textOf(node);
}

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  const quasis = node.quasis as readonly { readonly value: { readonly cooked?: string } }[];
  // A tagged template with an invalid escape has no text.
  return quasis.length === 1 ? (quasis[0]?.value.cooked ?? undefined) : undefined;
}
