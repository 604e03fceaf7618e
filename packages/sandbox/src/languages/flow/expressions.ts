import { isNode, type Node } from '../typescript/parse.ts';
import { type Cell, FlowGraph, TooComplex, UNKNOWN } from './graph.ts';
import { memberName, namesIn, nodesOf, plainNode, type Scope } from './scope.ts';
import { FlowSites } from './sites.ts';
import { hasEffects, isPromiseAll, type ProgramFacts } from './syntax.ts';
import type { FlowWords } from './words.ts';

/** Nodes that are evaluated: a function counts at each of its calls. */
const MAX_STEPS = 20_000;
export const MAX_DEPTH = 6;
/** One function while its body is evaluated. */
export interface Frame {
  /** Everything that decides which of its statements run, and how often. */
  readonly control: Cell;
  readonly result: Cell;
  readonly depth: number;
  readonly stack: readonly Node[];
  /** Whether the place runs at most once. */
  readonly isOnce: boolean;
  /** Whether a call here is awaited at once. */
  readonly isAwaited?: boolean;
}

/** The field for the text of a value that may be a text or a list. */
export const TEXT = '#text';

/** The flow through expressions and patterns. */
export abstract class ExpressionFlow {
  protected readonly graph: FlowGraph = new FlowGraph();
  protected readonly sites: FlowSites = new FlowSites(this.graph);
  protected readonly facts: ProgramFacts;
  protected readonly words: FlowWords;
  /** All values that the program throws, and errors of others. */
  protected readonly thrown: Cell = this.graph.collapse(this.graph.cell(UNKNOWN));
  #steps = 0;

  constructor(facts: ProgramFacts, words: FlowWords) {
    this.facts = facts;
    this.words = words;
  }

  protected abstract block(statements: readonly Node[], around: Scope, frame: Frame): void;
  protected abstract call(node: Node, scope: Scope, frame: Frame): Cell;
  protected abstract escaping(fn: Node, scope: Scope, frame: Frame): Cell;
  protected abstract escapingOnce(fn: Node, scope: Scope, cell: Cell): Cell;
  protected abstract isFixed(node: Node, scope: Scope): boolean;

  /** Counts the work. Raises {@link TooComplex} for a huge program. */
  protected step(): void {
    if (++this.#steps > MAX_STEPS) throw new TooComplex();
  }

  protected initialise(id: Node, init: unknown, scope: Scope, frame: Frame, isConst: boolean): void {
    const binding = id.type === 'Identifier' ? scope.find(String(id.name)) : undefined;
    if (binding?.fn === init && binding?.fn) return;
    if (!isNode(init)) return;
    if (id.type === 'ArrayPattern' && this.bindPairs(id, init, scope, frame)) return;
    const cell = this.expression(init, scope, frame);
    this.bind(id, cell, scope);
    const isSingle = isConst || namesIn(id).every((name) => !this.facts.assigned.has(name));
    if (!isSingle) this.graph.edge(frame.control, cell, 'choice');
    else if (frame.isOnce || this.isFixed(init, scope)) {
      for (const name of namesIn(id)) {
        const own = scope.find(name);
        if (own) own.isFixed = true;
      }
    }
  }

  /** `const [a, b] = await Promise.all([x, y])`: each name has its own value. */
  protected bindPairs(pattern: Node, init: Node, scope: Scope, frame: Frame): boolean {
    const list = this.awaitedList(plainNode(init), scope);
    const names = pattern.elements as readonly unknown[];
    const values = list.elements as readonly unknown[];
    if (list.type !== 'ArrayExpression' || values.length < names.length) return false;
    if ([...names, ...values].some((each) => !isNode(each) || /Spread|Rest/.test(each.type))) return false;
    for (const [index, value] of values.entries()) {
      const name = names[index];
      if (isNode(name)) this.initialise(name, value, scope, frame, true);
      else this.expression(value as Node, scope, frame);
    }
    return true;
  }

  /** Returns the list that a call awaits in parallel, or the node itself. */
  protected awaitedList(node: Node, scope: Scope): Node {
    return node.type === 'CallExpression' && isPromiseAll(node, scope)
      ? plainNode(nodesOf(node.arguments)[0] ?? node)
      : node;
  }

  /** Returns a part of a value: a list of the same items, or a new text. */
  protected part(of: Cell, key: Cell = this.graph.cell()): Cell {
    const graph = this.graph;
    const part = graph.cell();
    graph.edge(of, part, 'choice');
    graph.edge(key, part, 'choice');
    graph.unite(graph.field(part, '[]'), this.item(of));
    graph.edge(graph.computed(of, key), graph.field(part, TEXT));
    return part;
  }

  /** Returns the cell of an item of a list. */
  protected item(list: Cell): Cell {
    return this.graph.field(list, '[]');
  }

  protected bind(pattern: Node, cell: Cell, scope: Scope): void {
    switch (pattern.type) {
      case 'Identifier': {
        const binding = scope.find(String(pattern.name));
        if (binding === undefined || binding.tool || binding.server) throw new TooComplex();
        this.graph.unite(binding.cell, cell);
        return;
      }
      case 'AssignmentPattern':
        this.graph.unite(cell, this.expression(pattern.right as Node, scope, this.outside()));
        this.bind(pattern.left as Node, cell, scope);
        return;
      case 'ArrayPattern':
        for (const each of nodesOf(pattern.elements)) {
          this.bind(
            each.type === 'RestElement' ? (each.argument as Node) : each,
            each.type === 'RestElement' ? cell : this.item(cell),
            scope,
          );
        }
        return;
      case 'ObjectPattern':
        for (const each of nodesOf(pattern.properties)) {
          const name = memberName(each);
          if (each.type === 'RestElement') this.bind(each.argument as Node, this.graph.collapse(cell), scope);
          else
            this.bind(
              each.value as Node,
              name === undefined ? this.graph.collapse(cell) : this.graph.field(cell, name),
              scope,
            );
        }
        return;
      default:
        throw new TooComplex();
    }
  }

  /** A frame for expressions whose control is unknown: defaults of patterns. */
  protected outside(): Frame {
    return {
      control: this.graph.cell(UNKNOWN),
      result: this.graph.cell(),
      depth: MAX_DEPTH - 2,
      stack: [],
      isOnce: false,
    };
  }

  protected expression(node: Node, scope: Scope, frame: Frame): Cell {
    this.step();
    const graph = this.graph;
    const value = (inner: unknown) => (isNode(inner) ? this.expression(inner, scope, frame) : graph.cell());
    const plain = plainNode(node);
    if (plain !== node) return value(plain);
    switch (node.type) {
      case 'Literal':
        return graph.cell();
      case 'Identifier':
        return this.name(String(node.name), scope);
      case 'TemplateLiteral':
        return nodesOf(node.expressions).length === 0
          ? graph.cell()
          : graph.computed(...nodesOf(node.expressions).map(value));
      case 'BinaryExpression':
        return graph.computed(value(node.left), value(node.right));
      case 'UnaryExpression':
        if (node.operator === 'delete') return this.assign(node.argument as Node, graph.cell(), scope, frame);
        return graph.computed(value(node.argument));
      case 'UpdateExpression':
        return this.assign(node.argument as Node, graph.computed(value(node.argument)), scope, frame);
      case 'AssignmentExpression':
        return this.assign(
          node.left as Node,
          node.operator === '=' ? value(node.right) : graph.computed(value(node.left), value(node.right)),
          scope,
          frame,
        );
      case 'LogicalExpression':
        return this.choose(node.left as Node, [node.left, node.right], scope, frame);
      case 'ConditionalExpression':
        return this.choose(node.test as Node, [node.consequent, node.alternate], scope, frame);
      case 'SequenceExpression':
        return nodesOf(node.expressions).map(value).at(-1) ?? graph.cell();
      case 'MemberExpression':
        return this.member(node, scope, frame);
      case 'ObjectExpression':
        return this.object(node, scope, frame);
      case 'ArrayExpression': {
        const list = graph.cell();
        for (const each of nodesOf(node.elements)) {
          if (each.type === 'SpreadElement') graph.unite(graph.field(list, '[]'), this.item(value(each.argument)));
          else graph.unite(graph.field(list, '[]'), value(each));
        }
        return list;
      }
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return this.escaping(node, scope, frame);
      case 'CallExpression':
        return this.call(node, scope, frame);
      case 'NewExpression':
        return this.made(
          node,
          value(node.callee),
          nodesOf(node.arguments).map((each) => value(each.argument ?? each)),
        );
      default:
        throw new TooComplex();
    }
  }

  /** A made object may have every part of its arguments. Dates, addresses and patterns have texts only. */
  protected made({ callee }: Node, made: Cell, parts: readonly Cell[]): Cell {
    if (isNode(callee) && /^(?:Date|URL|RegExp)$/.test(String(callee.name))) return this.graph.computed(...parts);
    let one = this.graph.collapse(made);
    for (const part of parts) one = this.graph.unite(one, this.graph.collapse(part));
    return this.graph.collapse(one);
  }

  protected name(name: string, scope: Scope): Cell {
    const binding = scope.find(name);
    if (binding) {
      if (binding.tool || binding.server) throw new TooComplex();
      if (binding.fn) return this.escapingOnce(binding.fn, binding.fnScope ?? scope, binding.cell);
      return binding.cell;
    }
    if (this.words.opaque.test(name)) throw new TooComplex();
    return this.words.globals.test(name) ? this.graph.cell() : this.graph.cell(UNKNOWN);
  }

  protected choose(test: Node, options: readonly unknown[], scope: Scope, frame: Frame): Cell {
    const chosen = this.graph.cell();
    const tested = this.expression(test, scope, frame);
    if (options.some((each) => hasEffects(each))) this.graph.edge(tested, frame.control, 'choice');
    for (const each of options)
      this.graph.unite(chosen, each === test ? tested : this.expression(each as Node, scope, frame));
    this.graph.edge(tested, chosen, 'choice');
    return chosen;
  }

  protected member(node: Node, scope: Scope, frame: Frame): Cell {
    const name = memberName(node);
    if (name !== undefined && this.words.opaque.test(name)) throw new TooComplex();
    const of = this.expression(node.object as Node, scope, frame);
    if (name !== undefined && this.words.length.test(name)) return this.graph.computed(of);
    if (name !== undefined) return this.graph.field(of, name);
    if (hasEffects(node.property)) throw new TooComplex();
    const key = this.expression(node.property as Node, scope, frame);
    const member = this.graph.cell();
    this.graph.unite(member, this.graph.collapse(of));
    this.graph.edge(key, member, 'choice');
    return member;
  }

  protected object(node: Node, scope: Scope, frame: Frame): Cell {
    const object = this.graph.cell();
    for (const each of nodesOf(node.properties)) {
      const name = each.type === 'SpreadElement' ? undefined : memberName(each);
      const inner = this.expression((each.argument ?? each.value) as Node, scope, frame);
      if (each.type === 'SpreadElement') this.graph.unite(object, inner);
      else if (name === undefined) {
        this.graph.unite(this.graph.collapse(object), inner);
        this.graph.edge(this.expression(each.key as Node, scope, frame), object);
      } else this.graph.unite(this.graph.field(object, name), inner);
    }
    return object;
  }

  protected assign(target: Node, cell: Cell, scope: Scope, frame: Frame): Cell {
    const plain = plainNode(target);
    if (plain.type === 'MemberExpression') {
      const member = this.member(plain, scope, frame);
      this.graph.unite(member, cell);
      this.graph.edge(frame.control, member, 'choice');
      return cell;
    }
    this.bind(plain, cell, scope);
    for (const name of namesIn(plain)) {
      const binding = scope.find(name);
      if (binding) this.graph.edge(frame.control, binding.cell, 'choice');
    }
    return cell;
  }
}
