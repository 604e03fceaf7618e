import { isNode, type Node } from '../typescript/parse.ts';
import { CallFlow } from './calls.ts';
import type { Frame } from './expressions.ts';
import type { ProgramFlow } from './flow.ts';
import { TooComplex } from './graph.ts';
import { constantText, namesIn, nodesOf, Scope } from './scope.ts';
import { isFunction } from './syntax.ts';

/** The flow through statements. */
export abstract class StatementFlow extends CallFlow {
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
          scope.names.set(name, { cell: this.graph.cell(), ...known, ...(text === undefined ? {} : { text }) });
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
