import { isNode, type Node } from '../../typescript/parse.ts';
import type { Given } from '../calls.ts';
import { type Frame, MAX_DEPTH, TEXT } from '../expressions.ts';
import { type Cell, TooComplex } from '../graph.ts';
import { memberName, nodesOf, Scope } from '../scope.ts';
import { hasEffects } from '../syntax.ts';
import { PythonBindings } from './bindings.ts';
import { memberOf } from './names.ts';

/** The flow through the expressions of Python. */
export abstract class PythonExpressions extends PythonBindings {
  /** Everything that decides about any statement: code that runs later runs under one of them. */
  protected readonly everywhere: Cell = this.graph.cell();
  readonly #defaults = new WeakMap<Scope, Map<Node, Cell>>();

  /** Evaluates the defaults of parameters: once, where the function is defined. */
  protected defaults(fn: Node, scope: Scope, frame: Frame): void {
    const known = this.#defaults.get(scope) ?? new Map<Node, Cell>();
    this.#defaults.set(scope, known);
    for (const each of nodesOf(fn.params)) {
      if (isNode(each.value) && !known.has(each)) known.set(each, this.expression(each.value, scope, frame));
      if (hasEffects(each.annotation)) throw new TooComplex();
    }
    if (hasEffects(fn.returns)) throw new TooComplex();
  }

  /** Code that is called from a place that the text does not show runs under the control of any frame. */
  protected override outside(): Frame {
    return { ...super.outside(), control: this.everywhere };
  }

  protected override function(fn: Node, scope: Scope, given: Given, frame: Frame): Cell {
    if (frame.depth > MAX_DEPTH || frame.stack.includes(fn)) throw new TooComplex();
    this.defaults(fn, scope, this.outside());
    const own = new Scope(scope);
    const names = this.namesOf(fn);
    const graph = this.graph;
    const result = graph.cell();
    const control = names.isGenerator || (fn.isAsync === true && !frame.isAwaited) ? graph.cell() : frame.control;
    if (control !== frame.control) graph.edge(this.everywhere, control, 'choice');
    graph.edge(control, this.everywhere, 'choice');
    const inside: Frame = {
      ...frame,
      control,
      result,
      depth: frame.depth + 1,
      stack: [...frame.stack, fn],
      isAwaited: false,
    };
    for (const [index, parameter] of nodesOf(fn.params).entries()) {
      const { name, kind } = parameter;
      const place = kind === 'keyword' || kind === 'dict' ? undefined : index;
      const known = kind === 'positional' ? undefined : String(name);
      const isFixed =
        !names.values.has(String(name)) &&
        !this.facts.outer.has(String(name)) &&
        given.isFixed?.(place, known) === true;
      const cell = graph.cell();
      own.names.set(String(name), { cell, isFixed: isFixed && kind !== 'list' && kind !== 'dict' });
      if (kind === 'list' || kind === 'dict') {
        const rest = kind === 'list' ? given.list?.(index) : given.dict?.(nodesOf(fn.params));
        graph.unite(cell, rest ?? given.at(undefined, undefined) ?? graph.cell());
      } else {
        const value = given.at(place, known);
        if (value !== undefined) graph.unite(cell, value);
        const byDefault = this.#defaults.get(scope)?.get(parameter);
        if (byDefault !== undefined && (value === undefined || given.isCertain !== true)) graph.unite(cell, byDefault);
      }
    }
    const body = fn.body as Node;
    const statements = body.type === 'BlockStatement' ? nodesOf(body.body) : [];
    this.declareAll(statements, names, own);
    if (names.isGenerator) graph.collapse(result);
    if (body.type === 'BlockStatement') this.block(statements, own, inside);
    else graph.unite(result, this.expression(body, own, inside));
    graph.edge(inside.control, result, 'choice');
    return result;
  }

  protected override expression(node: Node, scope: Scope, frame: Frame): Cell {
    const graph = this.graph;
    const value = (inner: unknown) => (isNode(inner) ? this.expression(inner, scope, frame) : graph.cell());
    switch (node.type) {
      case 'AwaitExpression': {
        this.step();
        return this.expression(node.argument as Node, scope, { ...frame, isAwaited: true });
      }
      case 'CallExpression': {
        this.step();
        return this.call(node, scope, frame);
      }
      case 'Subscript':
        this.step();
        return this.subscript(node, scope, frame);
      case 'Slice':
        return graph.computed(...nodesOf(node.parts).map(value));
      case 'Arithmetic':
        this.step();
        return this.arithmetic(node, value(node.left), value(node.right), scope);
      case 'SetExpression':
        return super.expression({ ...node, type: 'ArrayExpression' }, scope, frame);
      case 'ArrowFunctionExpression':
        this.defaults(node, scope, frame);
        return this.escaping(node, scope, frame);
      case 'Comprehension':
        this.step();
        return this.comprehension(node, scope, frame);
      case 'Yield': {
        const given = value(node.argument);
        graph.unite(frame.result, graph.collapse(given));
        graph.edge(frame.control, frame.result, 'choice');
        return frame.result;
      }
      case 'MemberExpression': {
        const path = this.libraryOf(node, scope);
        if (path === undefined) return this.member(node, scope, frame);
        return this.libraryValue(path);
      }
      default:
        return super.expression(node, scope, { ...frame, isAwaited: false });
    }
  }

  protected override member(node: Node, scope: Scope, frame: Frame): Cell {
    if (node.type === 'Subscript') return this.subscript(node, scope, frame);
    const name = memberOf(node);
    if (name === '__name__') return this.graph.computed(this.expression(node.object as Node, scope, frame));
    // A format can read the attributes of anything.
    if (/^format(?:_map)?$/.test(name)) throw new TooComplex();
    // A method that is no part of a call is a value: with it, other code changes the object.
    super.member(node, scope, frame);
    return this.graph.collapse(this.expression(node.object as Node, scope, frame));
  }

  protected subscript(node: Node, scope: Scope, frame: Frame): Cell {
    const graph = this.graph;
    const of = this.expression(node.object as Node, scope, frame);
    const property = node.property as Node;
    const key = this.expression(property, scope, frame);
    const name = memberName(node);
    if (name !== undefined) return graph.field(of, name);
    if (property.type === 'Slice') {
      // A part of a list has the same items. A part of a text is computed.
      return this.part(of, key);
    }
    const member = graph.cell();
    graph.unite(member, graph.collapse(of));
    graph.edge(key, member, 'choice');
    return member;
  }

  /** Notes that a value may be a key of a dict, which a loop over the dict returns. */
  protected key(dict: Cell, node: Node, key: Cell): void {
    this.graph.edge(key, dict);
    // An object of a class may be a key, and be changed later.
    if (this.facts.hasClasses && node.type !== 'Literal') this.graph.unite(dict, this.graph.collapse(key));
  }

  /** The items of two lists that are joined are the same objects. */
  protected arithmetic({ operator, left, right }: Node, one: Cell, other: Cell, scope: Scope): Cell {
    const graph = this.graph;
    const isText = (node: unknown) => isNode(node) && this.isScalar(node, scope);
    const both = operator === '*' ? isText(left) && isText(right) : isText(left) || isText(right);
    if (both || /^(?:\/|\/\/|%|\*\*|<<|>>)$/.test(String(operator))) return graph.computed(one, other);
    if (operator === '@') throw new TooComplex();
    // The second operator joins dicts too.
    if (graph.isCollapsed(one) || graph.isCollapsed(other) || operator === '|') return this.anything([one, other]);
    const joined = graph.cell();
    for (const each of [one, other]) {
      graph.edge(each, joined, 'choice');
      graph.unite(graph.field(joined, '[]'), this.item(each));
    }
    graph.edge(graph.computed(one, other), graph.field(joined, TEXT));
    return joined;
  }

  /** A dict also has the keys. */
  protected override object(node: Node, scope: Scope, frame: Frame): Cell {
    const object = super.object(node, scope, frame);
    for (const each of nodesOf(node.properties)) {
      if (isNode(each.key) && each.key.type !== 'Literal')
        this.key(object, each.key, this.expression(each.key, scope, frame));
    }
    return object;
  }

  protected comprehension({ kind, element, clauses }: Node, around: Scope, frame: Frame): Cell {
    const graph = this.graph;
    const scope = new Scope(around);
    const control = graph.cell();
    const runsLater =
      kind === 'generator' &&
      (this.facts.hasIterators ||
        [...nodesOf(element), ...nodesOf(clauses)].some((each) => this.changes(each, around)));
    graph.edge(runsLater ? this.everywhere : frame.control, control, 'choice');
    graph.edge(control, this.everywhere, 'choice');
    const inside: Frame = { ...frame, control, isOnce: false, isAwaited: false };
    for (const [index, { target, list, conditions }] of nodesOf(clauses).entries()) {
      for (const name of targetNames(target as Node)) scope.names.set(name, { cell: graph.cell() });
      // Python evaluates the first list outside of the new names.
      this.eachOf(target as Node, list as Node, scope, inside, index === 0 ? around : scope);
      for (const each of nodesOf(conditions)) graph.edge(this.expression(each, scope, inside), control, 'choice');
    }
    const found = graph.cell();
    const of = element as Node;
    if (kind === 'dict') {
      graph.unite(graph.collapse(found), this.expression(of.value as Node, scope, inside));
      this.key(found, of.key as Node, this.expression(of.key as Node, scope, inside));
    } else {
      const item = this.expression(of.type === 'SpreadElement' ? (of.argument as Node) : of, scope, inside);
      graph.unite(graph.field(found, '[]'), of.type === 'SpreadElement' ? this.item(item) : item);
    }
    graph.edge(control, found, 'choice');
    return found;
  }

  /** Sets the targets of a loop to each item of a list. */
  protected eachOf(target: Node, list: Node, scope: Scope, frame: Frame, around: Scope = scope): void {
    const graph = this.graph;
    const [first, second] = target.type === 'ArrayExpression' ? nodesOf(target.elements) : [];
    const isPair = first && second && (target.elements as readonly unknown[]).length === 2;
    const callee = list.type === 'CallExpression' ? (list.callee as Node) : undefined;
    const args = list.type === 'CallExpression' ? nodesOf(list.arguments) : [];
    const isPlainCall = args.every(({ type }) => !/^(?:Spread|Keyword)/.test(type));
    const isBuiltin = (name: string) =>
      callee?.type === 'Identifier' && callee.name === name && !around.find(name) && isPlainCall;
    if (isPair && isBuiltin('enumerate') && args[0]) {
      const of = this.expression(args[0], around, frame);
      this.consumed(of, frame);
      this.assign(
        first,
        graph.computed(of, ...args.slice(1).map((each) => this.expression(each, around, frame))),
        scope,
        frame,
      );
      this.assign(second, this.item(of), scope, frame);
    } else if (isPair && isBuiltin('zip') && args.length === 2) {
      for (const [index, each] of args.entries()) {
        const of = this.expression(each, around, frame);
        this.consumed(of, frame);
        this.assign(index === 0 ? first : second, this.item(of), scope, frame);
      }
    } else if (
      isPair &&
      callee?.type === 'MemberExpression' &&
      memberOf(callee) === 'items' &&
      args.length === 0 &&
      !this.facts.defined.has('items')
    ) {
      const of = this.expression(callee.object as Node, around, frame);
      graph.edge(of, frame.control, 'choice');
      const key = graph.cell();
      graph.edge(of, key);
      if (this.facts.hasClasses) graph.unite(key, graph.collapse(of));
      this.assign(first, key, scope, frame);
      this.assign(second, graph.collapse(of), scope, frame);
    } else {
      const of = this.expression(list, around, frame);
      this.consumed(of, frame);
      this.assign(target, this.item(of), scope, frame);
    }
  }

  /** A loop over a list decides how often its body runs. It also moves the position of an iterator. */
  protected consumed(list: Cell, frame: Frame): void {
    this.graph.edge(list, frame.control, 'choice');
    if (this.facts.hasIterators) this.graph.edge(frame.control, list, 'choice');
  }

  protected override assign(target: Node, cell: Cell, scope: Scope, frame: Frame): Cell {
    const graph = this.graph;
    switch (target.type) {
      case 'Identifier': {
        const binding = scope.find(String(target.name));
        if (binding === undefined || binding.tool || binding.server || binding.library) throw new TooComplex();
        graph.unite(binding.cell, cell);
        graph.edge(frame.control, binding.cell, 'choice');
        return cell;
      }
      case 'ArrayExpression':
        for (const each of nodesOf(target.elements)) {
          if (each.type === 'SpreadElement') {
            const rest = graph.cell();
            graph.unite(graph.field(rest, '[]'), this.item(cell));
            graph.edge(cell, rest, 'choice');
            this.assign(each.argument as Node, rest, scope, frame);
          } else this.assign(each, this.item(cell), scope, frame);
        }
        return cell;
      case 'Subscript':
      case 'MemberExpression': {
        if (target.type === 'MemberExpression' && this.libraryOf(target.object as Node, scope)) throw new TooComplex();
        const of = this.expression(target.object as Node, scope, frame);
        const isSlice = (target.property as Node).type === 'Slice';
        const member = isSlice ? graph.collapse(of) : this.member(target, scope, frame);
        graph.unite(member, isSlice ? graph.collapse(cell) : cell);
        graph.edge(frame.control, of, 'choice');
        if (target.type === 'Subscript' && !isSlice && memberName(target) === undefined) {
          const key = target.property as Node;
          this.key(of, key, this.expression(key, scope, frame));
        }
        return cell;
      }
      default:
        throw new TooComplex();
    }
  }
}

/** Returns the names that the target of a loop sets. */
export function targetNames(target: Node): readonly string[] {
  if (target.type === 'Identifier') return [String(target.name)];
  const parts = [...nodesOf(target.elements), ...nodesOf(target.argument)];
  return target.type === 'ArrayExpression' || target.type === 'SpreadElement' ? parts.flatMap(targetNames) : [];
}
