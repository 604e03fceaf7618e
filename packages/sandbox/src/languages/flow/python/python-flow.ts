import { parsePython } from '../../python/syntax/statements.ts';
import { UnknownSyntax } from '../../python/syntax/tokens.ts';
import { isNode, type Node } from '../../typescript/parse.ts';
import type { Frame } from '../expressions.ts';
import type { ProgramFlow } from '../flow.ts';
import { TooComplex, UNKNOWN } from '../graph.ts';
import { childrenOf, nodesOf, Scope } from '../scope.ts';
import { hasEffects, isFunction } from '../syntax.ts';
import { PythonCalls } from './calls.ts';
import { ownNames, pythonFacts, sumOf } from './names.ts';
import { isModule, libraryKind } from './words.ts';

const MAX_CHARACTERS = 100_000;
/** Classes without methods that run code of their own at other times. */
const BASES = /^(?:object|Exception|\w+Error|LookupError|enum\.(?:Enum|IntEnum|StrEnum)|typing\.TypedDict)$/;
/** Methods that Python calls by itself, with the object only. */
const METHODS = /^__(?:init|post_init|str|repr|len|bool|iter|slots|doc)__$/;
const WRAPPERS = /^(?:staticmethod|classmethod|property)$/;

/** Returns the flow of a Python program. Sound: the analysis gives up at syntax and names that it does not know. */
export function pythonFlow(source: string): ProgramFlow {
  if (source.length > MAX_CHARACTERS) return undefined;
  try {
    const body = parsePython(source);
    return new PythonFlow(pythonFacts(body)).run(body);
  } catch (error) {
    if (error instanceof TooComplex || error instanceof UnknownSyntax || error instanceof RangeError) return undefined;
    throw error;
  }
}

class PythonFlow extends PythonCalls {
  run(body: readonly Node[]): ProgramFlow {
    const graph = this.graph;
    const control = graph.cell();
    graph.edge(control, this.everywhere, 'choice');
    const frame: Frame = { control, result: graph.cell(), depth: 0, stack: [], isOnce: true };
    this.declareAll(body, ownNames(body), this.module);
    this.block(body, this.module, frame);
    graph.solve();
    return this.sites.flows();
  }

  protected override block(statements: readonly Node[], scope: Scope, frame: Frame): void {
    for (const each of statements) this.statement(each, scope, frame);
  }

  protected statement(node: Node, scope: Scope, frame: Frame): void {
    this.step();
    const graph = this.graph;
    const value = (inner: unknown) => (isNode(inner) ? this.expression(inner, scope, frame) : graph.cell());
    const decide = (test: unknown) => graph.edge(value(test), frame.control, 'choice');
    const inner = (body: unknown, inside: Frame = frame) => {
      if (isNode(body)) this.block(body.type === 'BlockStatement' ? nodesOf(body.body) : [body], scope, inside);
    };
    const loop: Frame = { ...frame, isOnce: false };
    switch (node.type) {
      case 'ExpressionStatement':
        value(node.expression);
        return;
      case 'Assign':
        if (hasEffects(node.annotation)) throw new TooComplex();
        if (isNode(node.value)) this.assignAll(nodesOf(node.targets), node.value, scope, frame);
        return;
      case 'AugmentedAssign':
        this.assign(node.target as Node, value(sumOf(node)), scope, frame);
        return;
      case 'ReturnStatement':
        graph.unite(frame.result, value(node.argument));
        return;
      case 'Raise':
        for (const each of [node.argument, node.cause]) graph.unite(this.thrown, graph.collapse(value(each)));
        graph.edge(frame.control, this.thrown, 'choice');
        return;
      case 'Assert':
        value(node.test);
        graph.unite(this.thrown, graph.collapse(value(node.message)));
        return;
      case 'Delete':
        this.delete(node.target as Node, scope, frame);
        return;
      case 'IfStatement':
        decide(node.test);
        inner(node.consequent);
        inner(node.alternate);
        return;
      case 'WhileStatement':
        graph.edge(this.expression(node.test as Node, scope, loop), frame.control, 'choice');
        inner(node.body, loop);
        inner(node.orelse);
        return;
      case 'For':
        this.eachOf(node.target as Node, node.list as Node, scope, loop);
        inner(node.body, loop);
        inner(node.orelse);
        return;
      case 'Try':
        this.try(node, scope, frame);
        return;
      case 'With':
        for (const { context, target } of nodesOf(node.items)) {
          // A context may end the block early: `suppress`.
          graph.taint(frame.control);
          const opened = graph.collapse(value(context));
          if (isNode(target)) this.assign(target, opened, scope, frame);
        }
        inner(node.body);
        return;
      case 'Match':
        this.match(node, scope, frame);
        return;
      case 'Class':
        this.class(node, scope, frame);
        return;
      case 'FunctionDeclaration':
        this.define(node, scope, frame);
        return;
      case 'Import':
      case 'ImportFrom':
      case 'EmptyStatement':
      case 'Outer':
        return;
      default:
        throw new TooComplex();
    }
  }

  /** Each name of a pattern may be any part of the subject. */
  protected match({ subject, cases }: Node, scope: Scope, frame: Frame): void {
    const of = this.graph.collapse(this.expression(subject as Node, scope, frame));
    this.graph.edge(of, frame.control, 'choice');
    const bind = (pattern: Node): void => {
      for (const name of pattern.names as readonly string[])
        this.assign({ type: 'Identifier', name }, of, scope, frame);
      for (const each of nodesOf(pattern.parts)) bind(each);
    };
    for (const { pattern, guard, body } of nodesOf(cases)) {
      bind(pattern as Node);
      if (isNode(guard)) this.graph.edge(this.expression(guard, scope, frame), frame.control, 'choice');
      this.block(nodesOf((body as Node).body), scope, frame);
    }
  }

  /** A class, its objects, and all values that its methods receive and return are one cell. */
  protected class(node: Node, scope: Scope, frame: Frame): void {
    const graph = this.graph;
    const one = graph.collapse(this.assign(node.id as Node, graph.cell(), scope, frame));
    for (const each of nodesOf(node.decorators)) {
      const path = this.libraryOf(each.type === 'CallExpression' ? (each.callee as Node) : each, scope);
      const options = nodesOf(each.arguments);
      if (path !== 'dataclasses.dataclass' || options.some(({ value }) => !isNode(value) || value.type !== 'Literal'))
        throw new TooComplex();
    }
    for (const base of nodesOf(node.bases)) {
      const path = this.libraryOf(base, scope);
      const own = base.type === 'Identifier' ? scope.find(String(base.name)) : undefined;
      if (own && this.facts.classes.has(String(base.name))) graph.unite(one, graph.collapse(own.cell));
      else if (!BASES.test(path ?? (own || base.type !== 'Identifier' ? '' : String(base.name))))
        throw new TooComplex();
    }
    const inside = new Scope(scope);
    inside.isClass = true;
    const body = nodesOf((node.body as Node).body);
    for (const name of ownNames(body).values.keys()) {
      if (name.startsWith('__') && !METHODS.test(name)) throw new TooComplex();
      // Until the class sets a name, it is that of the code around.
      const outer = scope.find(name);
      if (outer?.fn || outer?.tool || outer?.server || outer?.library) throw new TooComplex();
      if (outer) graph.unite(one, graph.collapse(outer.cell));
      inside.names.set(name, { cell: one });
    }
    for (const each of body) {
      const wrappers = nodesOf(each.decorators);
      if (hasImport(each)) throw new TooComplex();
      if (each.type !== 'FunctionDeclaration') this.statement(each, inside, frame);
      else if (
        wrappers.some(
          ({ type, name }) => type !== 'Identifier' || !WRAPPERS.test(String(name)) || scope.find(String(name)),
        )
      )
        throw new TooComplex();
      else this.define({ ...each, decorators: [] }, inside, frame);
    }
  }

  /** A failure in a block decides about the code after it. */
  protected try({ block, handlers, orelse, finalizer }: Node, scope: Scope, frame: Frame): void {
    this.graph.taint(frame.control);
    const inner = (body: unknown) => this.block(isNode(body) ? nodesOf(body.body) : [], scope, frame);
    inner(block);
    for (const { types, name, body } of nodesOf(handlers)) {
      if (isNode(types)) this.expression(types, scope, frame);
      if (typeof name === 'string') this.assign({ type: 'Identifier', name }, this.thrown, scope, frame);
      inner(body);
    }
    inner(orelse);
    inner(finalizer);
  }

  /** Sets names to a value, or each name of a list to its own one. */
  protected assignAll(targets: readonly Node[], node: Node, scope: Scope, frame: Frame): void {
    const [only] = targets;
    const names = only?.type === 'ArrayExpression' ? nodesOf(only.elements) : [];
    const call = node.type === 'AwaitExpression' ? (node.argument as Node) : node;
    const isGather = call.type === 'CallExpression' && this.libraryOf(call.callee as Node, scope) === 'asyncio.gather';
    const values = nodesOf(isGather ? call.arguments : node.type === 'ArrayExpression' ? node.elements : undefined);
    const isPaired =
      targets.length === 1 &&
      names.length > 0 &&
      names.length === values.length &&
      ![...names, ...values].some(({ type }) => /Spread|Keyword/.test(type));
    if (isPaired) {
      const inside = { ...frame, isAwaited: isGather };
      const cells = values.map((each) => this.expression(each, scope, inside));
      for (const [index, name] of names.entries())
        this.set(name, values[index] as Node, cells[index] as number, scope, frame);
      return;
    }
    if (only?.type === 'Identifier' && isFunction(node) && scope.find(String(only.name))?.fn === node) {
      this.defaults(node, scope, frame);
      return;
    }
    const cell = this.expression(node, scope, frame);
    for (const each of targets) this.set(each, node, cell, scope, frame);
  }

  /** A name with one value that no condition chooses is fixed. */
  protected set(target: Node, node: Node, cell: number, scope: Scope, frame: Frame): void {
    const binding = target.type === 'Identifier' ? scope.names.get(String(target.name)) : undefined;
    if (binding?.isSingle && (frame.isOnce || this.isFixed(node, scope))) {
      this.graph.unite(binding.cell, cell);
      binding.isFixed = true;
    } else this.assign(target, cell, scope, frame);
  }

  protected delete(target: Node, scope: Scope, frame: Frame): void {
    if (target.type === 'ArrayExpression') for (const each of nodesOf(target.elements)) this.delete(each, scope, frame);
    else if (target.type !== 'Identifier') {
      const of = this.expression(target.object as Node, scope, frame);
      this.graph.edge(this.expression(target, scope, frame), of, 'choice');
      this.changed(of, frame);
      if (target.type === 'Subscript')
        this.graph.edge(this.expression(target.property as Node, scope, frame), of, 'choice');
    }
  }

  protected define(node: Node, scope: Scope, frame: Frame): void {
    this.defaults(node, scope, frame);
    const name = String((node.id as Node).name);
    const binding = scope.find(name);
    if (binding?.fn === node) return;
    const cells = nodesOf(node.decorators).map((each) => this.expression(each, scope, frame));
    const fn = this.escaping(node, scope, this.outside());
    this.assign(node.id as Node, cells.length > 0 ? this.anything([...cells, fn]) : fn, scope, frame);
  }

  protected override import(node: Node, scope: Scope, isSingle: (name: string) => boolean): void {
    const add = (name: string, binding: object) => {
      if (!isSingle(name)) throw new TooComplex();
      scope.names.set(name, { cell: this.graph.cell(UNKNOWN), ...binding });
    };
    for (const { path, name } of nodesOf(node.modules)) {
      const module = String(path);
      const server = /^servers\.(\w+)$/.exec(module)?.[1];
      if (server !== undefined && name === undefined) {
        // The global `servers` is the same.
        if (scope !== this.module || !isSingle('servers')) throw new TooComplex();
        scope.names.delete('servers');
      } else if (server !== undefined) add(String(name), { server });
      else if (!isModule(module)) throw new TooComplex();
      else if (name === undefined) add(module.split('.')[0] ?? '', { library: module.split('.')[0] });
      else add(String(name), { library: module });
    }
    for (const { path, name } of nodesOf(node.names)) {
      const [module, own] = [String(node.path), String(path)];
      const local = typeof name === 'string' ? name : own;
      const server = /^servers\.(\w+)$/.exec(module)?.[1];
      if (module === 'servers') add(local, { server: own });
      else if (server !== undefined) add(local, { tool: `${server}__${own}` });
      else if (module === 'toolwright' && local === own && scope === this.module && isSingle(own))
        scope.names.delete(own);
      else if (module === '__future__') continue;
      else if (libraryKind(`${module}.${own}`) === undefined && !isModule(`${module}.${own}`)) throw new TooComplex();
      else add(local, { library: `${module}.${own}` });
    }
  }
}

function hasImport(node: Node): boolean {
  return /^Import/.test(node.type) || childrenOf(node).some(hasImport);
}
