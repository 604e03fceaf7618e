import { isNode, type Node, parseProgram } from '../typescript/parse.ts';
import { CallFlow } from './calls.ts';
import type { Frame } from './expressions.ts';
import type { ProgramFlow } from './flow.ts';
import { TooComplex, UNKNOWN } from './graph.ts';
import { constantText, namesIn, nodesOf, Scope } from './scope.ts';
import { serverOf } from './sites.ts';
import { isFunction, readFacts } from './syntax.ts';
import { TYPESCRIPT_WORDS } from './words.ts';

const MAX_CHARACTERS = 100_000;

/** The flow through statements. */
abstract class StatementFlow extends CallFlow {
  run(body: readonly Node[]): ProgramFlow {
    const frame: Frame = {
      control: this.graph.cell(),
      result: this.graph.cell(),
      depth: 0,
      stack: [],
      isOnce: true,
    };
    this.block(body, new Scope(), frame);
    this.graph.solve();
    return this.sites.flows();
  }

  protected block(statements: readonly Node[], around: Scope, frame: Frame, scope: Scope = new Scope(around)): void {
    for (const statement of statements) this.declare(statement, scope, frame);
    for (const statement of statements) this.statement(statement, scope, frame);
  }

  protected declare(statement: Node, scope: Scope, frame: Frame): void {
    const node = isNode(statement.declaration) ? statement.declaration : statement;
    if (node.type === 'FunctionDeclaration' && isNode(node.id)) {
      const name = String(node.id.name);
      const isConstant = !this.facts.assigned.has(name);
      scope.names.set(name, {
        cell: this.graph.cell(),
        fn: isConstant ? node : undefined,
        fnScope: isConstant ? scope : undefined,
      });
    } else if (node.type === 'VariableDeclaration') {
      // `var` is visible outside of its block.
      if (node.kind === 'var' && frame.depth + (scope.around?.around ? 1 : 0) > 0) throw new TooComplex();
      for (const { id, init } of nodesOf(node.declarations)) {
        const fn = isNode(init) && isFunction(init) && isNode(id) && id.type === 'Identifier' && node.kind === 'const';
        for (const name of namesIn(id)) {
          const isConstant = node.kind === 'const' && isNode(id) && id.type === 'Identifier' && isNode(init);
          const text = isConstant && init.type === 'Literal' ? constantText(init, scope) : undefined;
          const known = fn ? { fn: init as Node, fnScope: scope } : {};
          scope.names.set(name, { cell: this.graph.cell(), ...known, text });
        }
      }
    } else if (node.type === 'ImportDeclaration') this.import(node, scope);
  }

  /** Declares the names of an import. */
  protected abstract import(node: Node, scope: Scope): void;

  protected statement(node: Node, scope: Scope, frame: Frame): void {
    this.step();
    const decide = (test: unknown) => {
      if (isNode(test)) this.graph.edge(this.expression(test, scope, frame), frame.control, 'choice');
    };
    const inner = (body: unknown, at: Scope, inside: Frame) =>
      this.block(isNode(body) && body.type === 'BlockStatement' ? nodesOf(body.body) : nodesOf(body), at, inside);
    const loop = { ...frame, isOnce: false };
    switch (node.type) {
      case 'ExpressionStatement':
        this.expression(node.expression as Node, scope, frame);
        return;
      case 'VariableDeclaration':
        for (const { id, init } of nodesOf(node.declarations))
          this.initialise(id as Node, init, scope, frame, node.kind === 'const');
        return;
      case 'ReturnStatement':
        if (isNode(node.argument)) this.graph.unite(frame.result, this.expression(node.argument, scope, frame));
        return;
      case 'ThrowStatement':
        this.graph.unite(this.thrown, this.graph.collapse(this.expression(node.argument as Node, scope, frame)));
        return;
      case 'BlockStatement':
        this.block(nodesOf(node.body), scope, frame);
        return;
      case 'IfStatement':
        decide(node.test);
        for (const body of [node.consequent, node.alternate]) if (isNode(body)) inner(body, scope, frame);
        return;
      case 'WhileStatement':
      case 'DoWhileStatement':
        decide(node.test);
        inner(node.body, scope, loop);
        return;
      case 'ForStatement':
        this.counting(node, new Scope(scope), loop, inner);
        return;
      case 'ForOfStatement':
      case 'ForInStatement':
        this.forEach(node, scope, loop, inner);
        return;
      case 'TryStatement':
        this.try(node, scope, frame);
        return;
      case 'SwitchStatement': {
        decide(node.discriminant);
        for (const each of nodesOf(node.cases)) decide(each.test);
        this.block(
          nodesOf(node.cases).flatMap((each) => nodesOf(each.consequent)),
          scope,
          frame,
        );
        return;
      }
      case 'LabeledStatement':
        inner(node.body, scope, frame);
        return;
      case 'ExportDefaultDeclaration':
        if (isNode(node.declaration)) this.expression(node.declaration, scope, frame);
        return;
      case 'ExportNamedDeclaration':
        if (isNode(node.declaration)) this.statement(node.declaration, scope, frame);
        return;
      case 'FunctionDeclaration':
        if (isNode(node.id) && !scope.find(String(node.id.name))?.fn) throw new TooComplex();
        return;
      case 'ImportDeclaration':
      case 'EmptyStatement':
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'DebuggerStatement':
        return;
      default:
        if (!/^TS(?:TypeAlias|Interface)Declaration$/.test(node.type)) throw new TooComplex();
    }
  }

  protected counting(
    node: Node,
    own: Scope,
    loop: Frame,
    inner: (body: unknown, at: Scope, inside: Frame) => void,
  ): void {
    for (const part of nodesOf(node.init)) {
      this.declare(part, own, loop);
      if (part.type === 'VariableDeclaration') this.statement(part, own, loop);
      else this.expression(part, own, loop);
    }
    if (isNode(node.test)) this.graph.edge(this.expression(node.test, own, loop), loop.control, 'choice');
    if (isNode(node.update)) this.expression(node.update, own, loop);
    inner(node.body, own, loop);
  }

  protected forEach(
    node: Node,
    scope: Scope,
    frame: Frame,
    inner: (body: unknown, at: Scope, inside: Frame) => void,
  ): void {
    const list = this.expression(node.right as Node, scope, frame);
    this.graph.edge(list, frame.control, 'choice');
    const own = new Scope(scope);
    const declaration = node.left as Node;
    this.declare(declaration, own, frame);
    const isIn = node.type === 'ForInStatement';
    const item = isIn ? this.graph.computed(list) : this.item(list);
    for (const { id } of nodesOf(declaration.declarations)) this.bind(id as Node, item, own);
    inner(node.body, own, frame);
  }

  /** A failure in a block decides about the code after it, and an error has texts of others. */
  protected try({ block, handler, finalizer }: Node, scope: Scope, frame: Frame): void {
    this.graph.taint(frame.control);
    if (isNode(block)) this.block(nodesOf(block.body), scope, frame);
    if (isNode(handler)) {
      const own = new Scope(scope);
      for (const name of namesIn(handler.param)) own.names.set(name, { cell: this.thrown });
      if (isNode(handler.body)) this.block(nodesOf(handler.body.body), own, frame);
    }
    if (isNode(finalizer)) this.block(nodesOf(finalizer.body), scope, frame);
  }
}

/** Returns the flow of a TypeScript or JavaScript program. Sound: the analysis gives up at syntax that it does not know. */
export function typescriptFlow(source: string): ProgramFlow {
  if (source.length > MAX_CHARACTERS) return undefined;
  const parsed = parseProgram(source);
  if (parsed.problem) return undefined;
  try {
    const body = nodesOf(parsed.body);
    return new TypescriptFlow(readFacts(body), TYPESCRIPT_WORDS).run(body);
  } catch (error) {
    if (error instanceof TooComplex || error instanceof RangeError) return undefined;
    throw error;
  }
}

class TypescriptFlow extends StatementFlow {
  protected import({ source, specifiers, importKind }: Node, scope: Scope): void {
    if (importKind === 'type') return;
    const path = isNode(source) ? String(source.value) : '';
    const server = serverOf(path);
    if (server === undefined && !/^(?:node:)?(?:fs|fs\/promises|path|url|util|crypto|buffer|assert)$/.test(path))
      throw new TooComplex();
    for (const { type, local, imported } of nodesOf(specifiers)) {
      const name = isNode(local) ? String(local.name) : '';
      const cell = this.graph.cell(UNKNOWN);
      if (server === undefined) scope.names.set(name, { cell });
      else if (type === 'ImportSpecifier' && isNode(imported)) {
        scope.names.set(name, { cell, tool: `${server}__${String(imported.name ?? imported.value)}` });
      } else scope.names.set(name, { cell, server });
    }
  }
}
