import { parseSync, visitorKeys } from 'oxc-parser';
import type { ToolReference } from '../checker.ts';

/** A stretch of the source. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A module that a program imports. */
export interface ModuleUse {
  readonly specifier: string;
  /** By `import()`, which may come after the program made the file. */
  readonly isDynamic: boolean;
}

export interface CallSite {
  readonly callee: Span;
  readonly args: Span;
  /** A call of a tool, or of something else that only guests have: its types are ours. */
  readonly isOurs: boolean;
  readonly tool?: ToolReference;
}

/** What the text of a program tells, before any types are known. */
export interface Outline {
  /** JavaScript is checked as such, which forgives more. */
  readonly dialect: 'js' | 'ts';
  readonly modules: readonly ModuleUse[];
  /** Names of tools that stand in the source. */
  readonly toolNames: readonly string[];
  /** All calls, the inner ones after those around them. */
  readonly calls: readonly CallSite[];
  /** Where each `return` of a value begins that is not a function's: the program's own. */
  readonly returns: readonly number[];
  /** Where `require` is called: the compiler thinks that JavaScript may. */
  readonly requires: readonly Span[];
  /** What is erased before a program runs. */
  readonly types: readonly Span[];
  /** Properties that the program itself assigns. */
  readonly assigned: ReadonlySet<string>;
  /** Names that it asks `typeof` about before it uses them. */
  readonly probed: ReadonlySet<string>;
  /** How often each name is used as a value. */
  readonly uses: ReadonlyMap<string, number>;
  /** The tool whose result a variable holds. */
  readonly results: ReadonlyMap<string, ToolReference>;
}

interface Node extends Span {
  readonly type: string;
  readonly [key: string]: unknown;
}

const SERVER_MODULE = /^(?:\.{0,2}\/)+servers\/([^/]+?)(?:\/index)?(?:\.[jt]s)?$/;
const TOOL_NAME = /^\S+__\S+$/;
/** What of a TypeScript node runs, beside its children that are types. */
const RUNNING = /^TS(?:As|Satisfies|NonNull|Instantiation)Expression$|^TS(?:TypeAssertion|ParameterProperty|Enum\w+)$/;
const FUNCTION = /Function|^StaticBlock$|^PropertyDefinition$/;
const API = new Set(['fs', 'search_tools', 'get_mcp_tool_details', 'run_skill', 'load_skill']);

/** The slug of the server whose module a specifier names. */
export function serverOf(specifier: string): string | undefined {
  return SERVER_MODULE.exec(specifier)?.[1];
}

/** Reads a program that parses. */
export function outlineOf(source: string): Outline {
  const asScript = parse(source, 'js');
  const dialect = asScript ? 'js' : 'ts';
  const body = asScript ?? parse(source, 'ts') ?? [];
  const seen = {
    modules: new Map<string, ModuleUse>(),
    toolNames: new Set<string>(),
    calls: [] as CallSite[],
    returns: [] as number[],
    requires: [] as Span[],
    types: [] as Span[],
    assigned: new Set<string>(),
    probed: new Set<string>(),
    uses: new Map<string, number>(),
    results: new Map<string, ToolReference>(),
  };
  const imported = new Map<string, ToolReference | { readonly namespace: string }>();

  const addModule = (node: unknown, isDynamic: boolean) => {
    const specifier = textOf(node);
    if (specifier === undefined) return;
    const known = seen.modules.get(specifier);
    seen.modules.set(specifier, { specifier, isDynamic: isDynamic && known?.isDynamic !== false });
  };
  const toolOf = (callee: Node, args: readonly unknown[]): ToolReference | undefined => {
    if (isName(callee, 'callMCPTool')) {
      const name = textOf(args[0]);
      return name === undefined ? undefined : { name };
    }
    if (callee.type === 'Identifier') {
      const known = imported.get(String(callee.name));
      return known && !('namespace' in known) ? known : undefined;
    }
    if (callee.type !== 'MemberExpression') return undefined;
    const { object, property } = callee as unknown as { object: Node; property: Node };
    const known = object.type === 'Identifier' ? imported.get(String(object.name)) : undefined;
    return known && 'namespace' in known ? { server: known.namespace, exported: String(property.name) } : undefined;
  };
  const addCall = (node: Node) => {
    const callee = node.callee as Node;
    const given = node.arguments as readonly Node[];
    if (isName(callee, 'require')) seen.requires.push(spanOf(callee));
    const tool = toolOf(callee, given);
    const text = isName(callee, 'callMCPTool') ? textOf(given[0]) : undefined;
    if (text !== undefined) seen.toolNames.add(text);
    const isOurs = tool !== undefined || isName(callee, 'callMCPTool') || API.has(rootName(callee));
    const args = { start: callee.end, end: node.end };
    seen.calls.push({ callee: spanOf(callee), args, isOurs, ...(tool ? { tool } : {}) });
  };
  const addImport = (node: Node) => {
    if (node.importKind !== 'type') addModule(node.source, false);
    const server = serverOf(textOf(node.source) ?? '');
    if (server === undefined) return;
    for (const specifier of node.specifiers as readonly Node[]) {
      const local = String((specifier.local as Node).name);
      const name = specifier.imported as Node | undefined;
      if (specifier.type === 'ImportNamespaceSpecifier') imported.set(local, { namespace: server });
      else if (name) imported.set(local, { server, exported: String(name.name ?? name.value) });
    }
  };

  const visit = (node: Node, isType: boolean, isInside: boolean) => {
    const erased = isType || (node.type.startsWith('TS') && !RUNNING.test(node.type));
    if (erased && !isType) seen.types.push(spanOf(node));
    if (node.type === 'ImportDeclaration') {
      addImport(node);
      return;
    }
    if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration') addModule(node.source, false);
    else if (node.type === 'ReturnStatement' && !isInside && node.argument) seen.returns.push(node.start);
    else if (node.type === 'ImportExpression') addModule(node.source, true);
    else if (node.type === 'CallExpression') addCall(node);
    else if (node.type === 'Identifier' && !erased) count(seen.uses, String(node.name));
    else if (node.type === 'Literal' && !erased) addName(seen.toolNames, node.value);
    else if (node.type === 'UnaryExpression' && node.operator === 'typeof') addProbe(node, seen.probed);
    else if (node.type === 'AssignmentExpression') addAssigned(node.left as Node, seen.assigned);
    else if (node.type === 'VariableDeclarator') addResult(node, toolOf, seen.results);
    for (const key of visitorKeys[node.type] ?? []) {
      const child = node[key];
      for (const entry of Array.isArray(child) ? child : [child])
        if (isNode(entry)) visit(entry, erased, isInside || FUNCTION.test(node.type));
    }
  };
  for (const node of body) if (node.type === 'ImportDeclaration') visit(node, false, false);
  for (const node of body) visit(node, false, false);
  return { dialect, ...seen, modules: [...seen.modules.values()], toolNames: [...seen.toolNames] };
}

function parse(source: string, lang: 'js' | 'ts'): readonly Node[] | undefined {
  const { program, errors } = parseSync(`program.${lang}`, source, { lang, sourceType: 'module' });
  // What remains is a `return` of the program itself, or does not come here.
  if (lang === 'js' && errors.some(({ message }) => !message.includes("'return' statement"))) return undefined;
  return program.body as unknown as readonly Node[];
}

function addResult(
  node: Node,
  toolOf: (callee: Node, args: readonly unknown[]) => ToolReference | undefined,
  results: Map<string, ToolReference>,
): void {
  const id = node.id as Node;
  const tool = toolCalled(node.init, toolOf);
  if (tool && id.type === 'Identifier') results.set(String(id.name), tool);
}

/** The tool that an expression calls, awaited or not. */
function toolCalled(
  expression: unknown,
  toolOf: (callee: Node, args: readonly unknown[]) => ToolReference | undefined,
): ToolReference | undefined {
  if (!isNode(expression)) return undefined;
  const inner = expression.type === 'CallExpression' ? undefined : (expression.argument ?? expression.expression);
  if (inner !== undefined) return toolCalled(inner, toolOf);
  if (expression.type !== 'CallExpression') return undefined;
  return toolOf(expression.callee as Node, expression.arguments as readonly unknown[]);
}

function addAssigned(target: Node, assigned: Set<string>): void {
  if (target.type === 'MemberExpression' && isNode(target.property)) {
    const { name, value } = target.property;
    assigned.add(String(name ?? value));
  }
}

function addProbe({ argument }: Node, probed: Set<string>): void {
  if (isNode(argument) && argument.type === 'Identifier') probed.add(String(argument.name));
}

function addName(names: Set<string>, value: unknown): void {
  if (typeof value === 'string' && value.length < 200 && TOOL_NAME.test(value)) names.add(value);
}

function count(uses: Map<string, number>, name: string): void {
  uses.set(name, (uses.get(name) ?? 0) + 1);
}

/** The text of a literal, or of a template without places. */
function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  const quasis = node.quasis as readonly { readonly value: { readonly cooked?: string } }[];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}

function rootName(callee: Node): string {
  let node = callee;
  while (node.type === 'MemberExpression' && isNode(node.object)) node = node.object;
  return node.type === 'Identifier' ? String(node.name) : '';
}

function isName(node: Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
}

function spanOf({ start, end }: Span): Span {
  return { start, end };
}
