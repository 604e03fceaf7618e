import { visitorKeys } from 'oxc-parser';
import { GUEST_NAMES } from '../../guest-api.ts';
import { parseProgram } from '../../languages/typescript/parse.ts';
import { requiredModule } from '../../languages/typescript/requires.ts';
import type { GivenArguments, ToolReference } from '../checker.ts';
import { givenArguments } from './given-arguments.ts';
import { findIdleCode, type IdleCode } from './idle-code.ts';
import { type ModuleUse, type ProgramImports, serverOf } from './imports.ts';
import { isName, isNode, type Node, type Span, spanOf, textOf } from './nodes.ts';

export interface CallSite {
  readonly callee: Span;
  readonly args: Span;
  /** The call is of a tool or of another function of the guest API, so its types are known. */
  readonly isApiCall: boolean;
  readonly tool?: ToolReference;
  /** The module of the package whose function is called, by the name that the program imports. */
  readonly package?: string | undefined;
  readonly given?: GivenArguments;
}

/** The facts about a program that its syntax shows, before any types are known. */
export interface Outline extends ProgramImports {
  /** JavaScript is checked as JavaScript, which allows more. */
  readonly dialect: 'js' | 'ts';
  /** All calls, each after the calls that enclose it. */
  readonly calls: readonly CallSite[];
  /** The results of the program itself, not of a function: returned values, and the last expression. */
  readonly returned: readonly ReturnedValue[];
  /** Calls of `require` that the sandbox does not have: the compiler assumes that JavaScript has all of them. */
  readonly requires: readonly Span[];
  /** Syntax that is erased before a program runs. */
  readonly types: readonly Span[];
  /** Properties that the program itself assigns. */
  readonly assigned: ReadonlySet<string>;
  /** Names that the program tests with `typeof`. */
  readonly probed: ReadonlySet<string>;
  /** How often each name is used as a value. */
  readonly uses: ReadonlyMap<string, number>;
  /** The tool whose result a variable holds. */
  readonly results: ReadonlyMap<string, ToolReference>;
  /** Calls whose result is lost, and functions that nothing calls. */
  readonly idle: readonly IdleCode[];
}

/** An expression that gives the result of a program. */
export interface ReturnedValue extends Span {
  /** Start of the `return` before it; absent for the last expression. */
  readonly keyword?: number;
}

const TOOL_NAME = /^\S+__\S+$/;
/** TypeScript nodes that exist at run time, except for their children that are types. */
const RUNNING = /^TS(?:As|Satisfies|NonNull|Instantiation)Expression$|^TS(?:TypeAssertion|ParameterProperty|Enum\w+)$/;
const FUNCTION = /Function|^StaticBlock$|^PropertyDefinition$/;
/** Calls of their functions and members are checked. The members of `servers` are tools. */
const API = new Set(GUEST_NAMES.typescript.filter((name) => name !== 'servers'));

type ImportedNames = Map<string, ToolReference | { readonly namespace: string }>;

/** Maximum modules and tool names that a check follows. */
const MAX_MODULES = 200;
const MAX_TOOL_NAMES = 100;

/** Returns the modules that a program imports and the tools that it names. */
export function importsOf(source: string): ProgramImports {
  const { modules, toolNames, servers } = outlineOf(source);
  return {
    modules: modules.slice(0, MAX_MODULES),
    toolNames: toolNames.slice(0, MAX_TOOL_NAMES),
    servers: servers.slice(0, MAX_MODULES),
  };
}

/** Reads the outline of a program that parses. */
export function outlineOf(source: string): Outline {
  const { dialect, body: statements } = parseProgram(source);
  const body = statements as unknown as readonly Node[];
  const found = createFindings();
  const visit = (node: Node, isType: boolean, isInside: boolean) => {
    const erased = isType || (node.type.startsWith('TS') && !RUNNING.test(node.type));
    if (erased && !isType) found.types.push(spanOf(node));
    if (node.type === 'ImportDeclaration') {
      addImport(node, found);
      return;
    }
    record(node, { erased, isInside }, found);
    for (const key of visitorKeys[node.type] ?? []) {
      const child = node[key];
      for (const entry of Array.isArray(child) ? child : [child])
        if (isNode(entry)) visit(entry, erased, isInside || FUNCTION.test(node.type));
    }
  };
  // Imports first: a program may use an imported name above the import.
  for (const node of body) if (node.type === 'ImportDeclaration') visit(node, false, false);
  for (const node of body) visit(node, false, false);
  const last = lastExpression(body);
  if (last) found.returned.push(spanOf(last));
  const { imports, packages, modules, toolNames, servers, calls, declared, ...facts } = found;
  const isTool = (callee: Node, args: readonly unknown[]) =>
    isName(callee, 'callMCPTool') || toolOf(callee, args, found) !== undefined;
  return {
    dialect,
    ...facts,
    calls: calls.map(({ root, isApiCall, ...call }) => ({
      ...call,
      isApiCall: isApiCall || (API.has(root) && !declared.has(root)),
      package: declared.has(root) ? undefined : packages.get(root),
    })),
    modules: [...modules.values()],
    toolNames: [...toolNames],
    servers: [...servers],
    idle: findIdleCode(body, { isTool, uses: found.uses }),
  };
}

type Findings = ReturnType<typeof createFindings>;

function createFindings() {
  return {
    modules: new Map<string, ModuleUse>(),
    toolNames: new Set<string>(),
    calls: [] as (CallSite & { readonly root: string })[],
    /** Names of the program's own variables, functions and parameters. */
    declared: new Set<string>(),
    returned: [] as ReturnedValue[],
    requires: [] as Span[],
    types: [] as Span[],
    assigned: new Set<string>(),
    probed: new Set<string>(),
    uses: new Map<string, number>(),
    results: new Map<string, ToolReference>(),
    imports: new Map() as ImportedNames,
    /** Specifiers of packages by the names that they are imported as. */
    packages: new Map<string, string>(),
    servers: new Set<string>(),
  };
}

/** Returns the last statement, if it is an expression that gives the result. */
function lastExpression(body: readonly Node[]): Node | undefined {
  const last = body.at(-1);
  const hasDefault = body.some(({ type }) => type === 'ExportDefaultDeclaration');
  return last?.type === 'ExpressionStatement' && !hasDefault ? (last.expression as Node) : undefined;
}

/** Records the facts of one node, without its children. */
function record(node: Node, { erased, isInside }: { erased: boolean; isInside: boolean }, found: Findings): void {
  switch (node.type) {
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      addModule(node.source, false, found);
      break;
    case 'ReturnStatement':
      if (!isInside && isNode(node.argument)) found.returned.push({ keyword: node.start, ...spanOf(node.argument) });
      break;
    case 'ImportExpression':
      addModule(node.source, true, found);
      break;
    case 'CallExpression':
      addCall(node, found);
      break;
    case 'MemberExpression':
      addServer(node, found);
      break;
    case 'Identifier':
      if (!erased) count(found.uses, String(node.name));
      break;
    case 'Literal':
      if (!erased) addName(found.toolNames, node.value);
      break;
    case 'UnaryExpression':
      if (node.operator === 'typeof') addProbe(node, found.probed);
      break;
    case 'AssignmentExpression':
      addAssigned(node.left as Node, found.assigned);
      break;
    case 'VariableDeclarator':
      addResult(node, found);
      addDeclared(node.id, found.declared);
      break;
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      for (const name of [node.id, ...(node.params as readonly unknown[])]) addDeclared(name, found.declared);
  }
}

/** Adds the names that a pattern declares. */
function addDeclared(pattern: unknown, declared: Set<string>): void {
  if (!isNode(pattern)) return;
  if (pattern.type === 'Identifier') declared.add(String(pattern.name));
  const parts = [pattern.left, pattern.argument, pattern.value, pattern.elements, pattern.properties];
  for (const part of parts.flat()) addDeclared(part, declared);
}

function addModule(node: unknown, isDynamic: boolean, { modules }: Findings): void {
  const specifier = textOf(node);
  if (specifier === undefined) return;
  const known = modules.get(specifier);
  modules.set(specifier, { specifier, isDynamic: isDynamic && known?.isDynamic !== false });
}

function addImport(node: Node, found: Findings): void {
  if (node.importKind !== 'type') addModule(node.source, false, found);
  const module = textOf(node.source) ?? '';
  const server = serverOf(module);
  if (server === undefined && node.importKind !== 'type' && !/^\.{0,2}\//.test(module)) {
    for (const { local } of node.specifiers as readonly Node[])
      found.packages.set(String((local as Node).name), module);
  }
  if (server === undefined) return;
  for (const specifier of node.specifiers as readonly Node[]) {
    const local = String((specifier.local as Node).name);
    const name = specifier.imported as Node | undefined;
    if (specifier.type === 'ImportNamespaceSpecifier') found.imports.set(local, { namespace: server });
    else if (name) found.imports.set(local, { server, exported: String(name.name ?? name.value) });
  }
}

function addCall(node: Node, found: Findings): void {
  const callee = node.callee as Node;
  const given = node.arguments as readonly Node[];
  if (isName(callee, 'require') && requiredModule(node) === undefined) found.requires.push(spanOf(callee));
  const tool = toolOf(callee, given, found);
  const text = isName(callee, 'callMCPTool') ? textOf(given[0]) : undefined;
  if (text !== undefined) found.toolNames.add(text);
  const isApiCall = tool !== undefined || isName(callee, 'callMCPTool');
  const args = { start: callee.end, end: node.end };
  const object = given[isName(callee, 'callMCPTool') ? 1 : 0];
  found.calls.push({
    ...{ callee: spanOf(callee), args, isApiCall, root: rootName(callee), tool },
    given: tool && object && givenArguments(object),
  });
}

/** Records a member of the global `servers`: the check needs the types of this server. */
function addServer(node: Node, { servers }: Findings): void {
  const server = serverNamed(node);
  if (server !== undefined) servers.add(server);
}

/** Returns the server of `servers.shop` and `servers["shop"]`. */
function serverNamed({ type, object, property, computed }: Node): string | undefined {
  if (type !== 'MemberExpression' || !isNode(object) || !isName(object, 'servers') || !isNode(property))
    return undefined;
  return computed === true ? textOf(property) : String(property.name);
}

function addResult(node: Node, found: Findings): void {
  const id = node.id as Node;
  const tool = calledTool(node.init, found);
  if (tool && id.type === 'Identifier') found.results.set(String(id.name), tool);
}

/** Returns the tool that an expression calls, awaited or not. */
function calledTool(expression: unknown, found: Findings): ToolReference | undefined {
  if (!isNode(expression)) return undefined;
  const inner = expression.type === 'CallExpression' ? undefined : (expression.argument ?? expression.expression);
  if (inner !== undefined) return calledTool(inner, found);
  if (expression.type !== 'CallExpression') return undefined;
  return toolOf(expression.callee as Node, expression.arguments as readonly unknown[], found);
}

function toolOf(callee: Node, args: readonly unknown[], { imports }: Findings): ToolReference | undefined {
  if (isName(callee, 'callMCPTool')) {
    const name = textOf(args[0]);
    return name === undefined ? undefined : { name };
  }
  if (callee.type === 'Identifier') {
    const known = imports.get(String(callee.name));
    return known && !('namespace' in known) ? known : undefined;
  }
  if (callee.type !== 'MemberExpression') return undefined;
  const { object, property } = callee as unknown as { object: Node; property: Node };
  const server = serverNamed(object);
  if (server !== undefined) return { server, exported: String(property.name) };
  const known = object.type === 'Identifier' ? imports.get(String(object.name)) : undefined;
  return known && 'namespace' in known ? { server: known.namespace, exported: String(property.name) } : undefined;
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

function rootName(callee: Node): string {
  let node = callee;
  while (node.type === 'MemberExpression' && isNode(node.object)) node = node.object;
  return node.type === 'Identifier' ? String(node.name) : '';
}
