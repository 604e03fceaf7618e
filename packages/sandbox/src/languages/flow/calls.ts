import { isNode, type Node } from '../typescript/parse.ts';
import { ExpressionFlow, type Frame, MAX_DEPTH } from './expressions.ts';
import { type Cell, TooComplex, UNKNOWN } from './graph.ts';
import { constantText, memberName, namesIn, nodesOf, plainNode, Scope } from './scope.ts';
import { hasEffects, isFunction, isPlainValue, isPromiseAll } from './syntax.ts';

/** The arguments of a call, for the parameters of a function. */
export interface Given {
  /** Returns the value of a parameter. The place is undefined after a parameter for all remaining values. */
  at(place: number | undefined, name: string | undefined): Cell | undefined;
  isFixed?(place: number | undefined, name: string | undefined): boolean;
  /** Returns all remaining values. Absent: a function with such a parameter is too complex. */
  rest?(): Cell;
  /** Returns the list of all values from a place on, and the dict of all values without a parameter of their name. */
  list?(place: number): Cell;
  dict?(parameters: readonly Node[]): Cell;
  /** Whether each parameter with a value has no other one. */
  readonly isCertain?: boolean;
}

/** A call of a tool: its name in the program, and its arguments. */
export interface ToolCall {
  readonly name: string | undefined;
  readonly args: readonly Node[];
}

/** The flow through functions and calls. */
export abstract class CallFlow extends ExpressionFlow {
  protected readonly escaped = new Map<Node, Cell>();

  protected escapingOnce(fn: Node, scope: Scope, cell: Cell): Cell {
    const known = this.escaped.get(fn);
    if (known !== undefined) return known;
    this.escaped.set(fn, cell);
    return this.graph.unite(cell, this.escaping(fn, scope, this.outside()));
  }

  /** A function that anything may call: its parameters and results share its cell. */
  protected escaping(fn: Node, scope: Scope, frame: Frame): Cell {
    if (this.facts.hasComputedNames) throw new TooComplex();
    const cell = this.graph.cell();
    const control = this.graph.cell();
    this.graph.edge(cell, control, 'choice');
    this.graph.edge(frame.control, control, 'choice');
    const given = { at: () => cell, rest: () => cell };
    const result = this.function(fn, scope, given, { ...frame, control, isOnce: false });
    this.graph.unite(cell, result);
    return this.graph.collapse(cell);
  }

  /** Evaluates the body of a function once. Returns the cell of its results. */
  protected function(fn: Node, scope: Scope, given: Given, frame: Frame): Cell {
    if (fn.generator === true || frame.depth > MAX_DEPTH || frame.stack.includes(fn)) throw new TooComplex();
    const own = new Scope(scope);
    const result = this.graph.cell();
    const inside = { ...frame, result, depth: frame.depth + 1, stack: [...frame.stack, fn] };
    let hasRest = false;
    for (const [index, parameter] of nodesOf(fn.params).entries()) {
      const isRest = parameter.type === 'RestElement';
      hasRest ||= isRest;
      const place = hasRest ? undefined : index;
      const named = parameter.type === 'AssignmentPattern' ? (parameter.left as Node) : parameter;
      const known = named.type === 'Identifier' ? String(named.name) : undefined;
      for (const name of namesIn(parameter)) {
        const isFixed = !isRest && !this.facts.assigned.has(name) && given.isFixed?.(place, known) === true;
        own.names.set(name, { cell: this.graph.cell(), isFixed });
      }
      if (!isRest) this.bind(parameter, given.at(place, known) ?? this.graph.cell(), own);
      else if (given.rest) this.bind(parameter.argument as Node, given.rest(), own);
      else throw new TooComplex();
    }
    const body = fn.body as Node;
    if (body.type === 'BlockStatement') this.block(nodesOf(body.body), own, inside);
    else this.graph.unite(result, this.expression(body, own, inside));
    this.graph.edge(inside.control, result, 'choice');
    return result;
  }

  protected call(node: Node, scope: Scope, frame: Frame): Cell {
    const graph = this.graph;
    const args = nodesOf(node.arguments);
    const callee = plainNode(node.callee as Node);
    const tool = this.toolOf(node, scope);
    if (tool) return this.toolCall(tool.name, tool.args, scope, frame);
    if (args.some((each) => each.type === 'SpreadElement')) {
      for (const each of args) this.graph.collapse(this.expression((each.argument ?? each) as Node, scope, frame));
      if (callee.type === 'Identifier') throw new TooComplex();
    }
    const value = (each: Node | undefined) =>
      each
        ? this.expression((each.type === 'SpreadElement' ? each.argument : each) as Node, scope, frame)
        : graph.cell();
    const binding = callee.type === 'Identifier' ? scope.find(String(callee.name)) : undefined;
    if (binding?.fn || isFunction(callee)) {
      const given = args.map(value);
      const isFixed = (index: number | undefined) => {
        const argument = args[index ?? args.length];
        return argument === undefined || this.isFixed(argument, scope);
      };
      return this.ownCall(callee, given, { at: (index) => given[index ?? given.length], isFixed }, scope, frame);
    }
    const { callables, reads } = this.words;
    const name = callee.type === 'Identifier' && !binding ? String(callee.name) : '';
    if (callables.test(name) || reads.test(name)) return graph.computed(...args.map(value));
    if (name !== '' && !this.words.harmless.test(name)) {
      // A host may offer tools as global functions.
      return this.toolCall(undefined, args, scope, frame);
    }
    if (callee.type !== 'MemberExpression') return this.anything([value(callee), ...args.map(value)]);
    if (args.some(hasEffects)) graph.edge(value(callee.object as Node), frame.control, 'choice');
    return this.method(callee, args, value, scope, frame);
  }

  /** A call of a function that the program has the text of. */
  protected ownCall(callee: Node, cells: readonly Cell[], given: Given, scope: Scope, frame: Frame): Cell {
    const binding = callee.type === 'Identifier' ? scope.find(String(callee.name)) : undefined;
    if (binding?.fn && frame.stack.includes(binding.fn)) {
      return this.anything([this.escapingOnce(binding.fn, binding.fnScope ?? scope, binding.cell), ...cells]);
    }
    const control = this.graph.cell();
    this.graph.edge(frame.control, control, 'choice');
    return this.function(binding?.fn ?? callee, binding?.fnScope ?? scope, given, { ...frame, control });
  }

  protected method(
    callee: Node,
    args: readonly Node[],
    value: (node: Node | undefined) => Cell,
    scope: Scope,
    frame: Frame,
  ): Cell {
    const graph = this.graph;
    const name = memberName(callee) ?? '';
    const of = plainNode(callee.object as Node);
    if (this.words.opaque.test(name)) throw new TooComplex();
    if (isPromiseAll({ type: 'CallExpression', callee }, scope) && args.length === 1) return value(args[0]);
    const receiver = value(of);
    const [first] = args;
    if (this.facts.defined.has(name) || name === '')
      return this.anything([receiver, this.member(callee, scope, frame), ...args.map(value)]);
    if (
      this.words.pure.test(name) &&
      (!this.words.takesFunction.test(name) || args.slice(1).every(isPlainValue)) &&
      !args.some((each) => isFunction(plainNode(each)))
    )
      return graph.computed(receiver, ...args.map(value));
    if (this.words.withItem.test(name) && first && isFunction(plainNode(first)) && args.length === 1) {
      return this.eachItem(name, receiver, plainNode(first), scope, frame);
    }
    if (name === 'flat') return graph.collapse(receiver);
    // A condition that decides about a change decides which items the list has.
    if (this.words.changesList.test(name)) graph.edge(frame.control, receiver, 'choice');
    if (name === 'slice' && args.every(isPlainValue)) return this.part(receiver);
    if (this.words.sameList.test(name) && args.every(isPlainValue)) return receiver;
    if (/^(?:sort|toSorted)$/.test(name) && first && isFunction(plainNode(first))) {
      this.graph.edge(this.ordered(receiver, plainNode(first), scope, frame), receiver, 'choice');
      return receiver;
    }
    if (this.words.oneItem.test(name) && args.every(isPlainValue)) {
      const item = graph.cell();
      graph.unite(item, graph.field(receiver, '[]'));
      return item;
    }
    if (this.words.adds.test(name)) {
      for (const each of args) graph.unite(graph.field(receiver, '[]'), value(each));
      graph.edge(frame.control, receiver, 'choice');
      return graph.computed(receiver);
    }
    const all = this.anything([receiver, ...args.map(value)]);
    // They may receive an error.
    if (this.words.settles.test(name) || name === 'reject') graph.unite(all, this.thrown);
    graph.edge(frame.control, all, 'choice');
    return all;
  }

  /** A method that calls a function with each item. */
  protected eachItem(name: string, receiver: Cell, fn: Node, scope: Scope, frame: Frame): Cell {
    const graph = this.graph;
    const item = this.item(receiver);
    const parts = [item, graph.computed(receiver), receiver];
    const control = this.repeated(receiver, frame);
    const given = { at: (index: number | undefined) => parts[index ?? parts.length] };
    const result = this.function(fn, scope, given, { ...frame, control, isOnce: false });
    const found = graph.cell();
    if (name === 'map') graph.unite(graph.field(found, '[]'), result);
    else if (name === 'flatMap') graph.unite(graph.field(found, '[]'), graph.collapse(result));
    else {
      if (name === 'filter') graph.unite(graph.field(found, '[]'), item);
      if (/^find/.test(name)) graph.unite(found, item);
      graph.edge(result, found, /^find|filter/.test(name) ? 'choice' : 'data');
    }
    graph.edge(control, found, 'choice');
    return found;
  }

  /** Evaluates a function that orders items. Returns the cell of its results. */
  protected ordered(receiver: Cell, fn: Node, scope: Scope, frame: Frame): Cell {
    const item = this.item(receiver);
    const control = this.repeated(receiver, frame);
    return this.function(fn, scope, { at: () => item }, { ...frame, control, isOnce: false });
  }

  /** Returns the control of a function that runs for each item of a list. */
  protected repeated(list: Cell, frame: Frame): Cell {
    const control = this.graph.cell();
    this.graph.edge(frame.control, control, 'choice');
    this.graph.edge(list, control, 'choice');
    return control;
  }

  /** A call of unknown code: each value may be in each other one. */
  protected anything(cells: readonly Cell[]): Cell {
    const one = this.graph.computed();
    for (const cell of cells) this.graph.unite(this.graph.collapse(one), this.graph.collapse(cell));
    return this.graph.collapse(one);
  }

  /** Returns the tool that a call names, if it calls one. The name is undefined for a computed one. */
  protected toolOf(node: Node, scope: Scope): ToolCall | undefined {
    const callee = plainNode(node.callee as Node);
    const args = nodesOf(node.arguments);
    if (callee.type === 'Identifier') {
      const binding = scope.find(String(callee.name));
      if (binding?.tool) return { name: binding.tool, args };
      if (binding || callee.name !== 'callMCPTool') return undefined;
      const [name, ...rest] = args;
      const text = constantText(name, scope);
      return { name: text, args: text === undefined ? args : rest };
    }
    if (callee.type !== 'MemberExpression') return undefined;
    const name = memberName(callee);
    const of = callee.object as Node;
    const binding = of.type === 'Identifier' ? scope.find(String(of.name)) : undefined;
    if (binding?.server) return { name: name === undefined ? undefined : `${binding.server}__${name}`, args };
    const isServers =
      of.type === 'MemberExpression' &&
      isNode(of.object) &&
      of.object.type === 'Identifier' &&
      of.object.name === 'servers' &&
      !scope.find('servers');
    if (!isServers) return undefined;
    const server = memberName(of);
    return { name: name === undefined || server === undefined ? undefined : `${server}__${name}`, args };
  }

  protected toolCall(tool: string | undefined, args: readonly Node[], scope: Scope, frame: Frame): Cell {
    const graph = this.graph;
    const leaf = (node: Node): Cell => {
      const cell = this.expression((node.type === 'SpreadElement' ? node.argument : node) as Node, scope, frame);
      if (this.isFixed(node, scope)) return cell;
      const varying = graph.cell();
      graph.edge(cell, varying);
      graph.edge(frame.control, varying, 'choice');
      return varying;
    };
    const members = (node: Node): readonly (readonly [string, Cell])[] => {
      if (node.type !== 'Identifier' || !this.isFixed(node, scope)) return [];
      const cell = this.expression(node, scope, frame);
      return graph.names(cell).map((name) => [name, graph.field(cell, name)] as const);
    };
    this.sites.add(tool, args, leaf, members);
    const answer = graph.cell(tool ?? UNKNOWN);
    if (tool === undefined) graph.taint(answer);
    return answer;
  }

  /** Returns whether an expression has one value in the whole run, which no condition chooses. */
  protected isFixed(node: Node, scope: Scope): boolean {
    const plain = plainNode(node);
    const all = (nodes: unknown) => nodesOf(nodes).every((each) => this.isFixed(each, scope));
    switch (plain.type) {
      case 'Literal':
        return true;
      case 'Identifier':
        return scope.find(String(plain.name))?.isFixed === true;
      case 'TemplateLiteral':
        return all(plain.expressions);
      case 'ArrayExpression':
        return all(plain.elements);
      case 'BinaryExpression':
        return all([plain.left, plain.right]);
      case 'MemberExpression':
        return memberName(plain) !== undefined && all([plain.object]);
      case 'CallExpression': {
        const callee = plain.callee as Node;
        return (
          callee.type === 'MemberExpression' &&
          this.words.pure.test(memberName(callee) ?? '') &&
          !this.facts.defined.has(memberName(callee) ?? '') &&
          all([callee.object]) &&
          all(plain.arguments)
        );
      }
      default:
        return false;
    }
  }
}
