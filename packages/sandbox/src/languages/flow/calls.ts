import { isNode, type Node } from '../typescript/parse.ts';
import { ExpressionFlow, type Frame, MAX_DEPTH, OPAQUE } from './expressions.ts';
import { type Cell, TooComplex, UNKNOWN } from './graph.ts';
import { constantText, memberName, namesIn, nodesOf, plainNode, Scope } from './scope.ts';
import { hasEffects, isFunction, isPlainValue, isPromiseAll } from './syntax.ts';

/** Methods that return a new text, number or truth value and change nothing. */
const PURE =
  /^(?:toString|toLowerCase|toUpperCase|trim|trimStart|trimEnd|includes|startsWith|endsWith|indexOf|lastIndexOf|replace|replaceAll|padStart|padEnd|repeat|substring|substr|charAt|charCodeAt|codePointAt|localeCompare|toFixed|toISOString|getTime|normalize|join|match|test|exec|split|stringify|parse|parseInt|parseFloat|round|floor|ceil|abs|max|min|random|now|log|info|warn|error|debug)$/;
/** Those of them whose second argument may be a function that they call. */
const TAKES_FUNCTION = /^(?:replace|replaceAll|stringify|parse)$/;
/** Methods of lists that call a function with each item. */
const WITH_ITEM = /^(?:map|filter|find|findLast|forEach|some|every|flatMap)$/;
const SAME_LIST = /^(?:filter|slice|sort|reverse|toSorted|toReversed|values)$/;
const ONE_ITEM = /^(?:find|findLast|at|pop|shift)$/;
const CALLABLE_GLOBALS =
  /^(?:String|Number|Boolean|BigInt|isNaN|isFinite|parseInt|parseFloat|(?:en|de)codeURI(?:Component)?|atob|btoa)$/;
/** Global functions that call no tools. */
const HARMLESS =
  /^(?:Array|Object|Date|RegExp|Error|Symbol|structuredClone|search_tools|list_mcp_tools|get_mcp_tool_details|list_resources|execution|parseJSON|timestamp)$/;

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
    const result = this.function(fn, scope, () => cell, { ...frame, control, isOnce: false });
    this.graph.unite(cell, result);
    return this.graph.collapse(cell);
  }

  /** Evaluates the body of a function once. Returns the cell of its results. */
  protected function(
    fn: Node,
    scope: Scope,
    argument: (index: number) => Cell | undefined,
    frame: Frame,
    fixed?: (index: number) => boolean,
  ): Cell {
    if (fn.generator === true || frame.depth > MAX_DEPTH || frame.stack.includes(fn)) throw new TooComplex();
    const own = new Scope(scope);
    const result = this.graph.cell();
    const inside = { ...frame, result, depth: frame.depth + 1, stack: [...frame.stack, fn] };
    for (const [index, parameter] of nodesOf(fn.params).entries()) {
      const isRest = parameter.type === 'RestElement';
      for (const name of namesIn(parameter)) {
        own.names.set(name, {
          cell: this.graph.cell(),
          isFixed: !isRest && !this.facts.assigned.has(name) && fixed?.(index) === true,
        });
      }
      if (isRest) throw new TooComplex();
      this.bind(parameter, argument(index) ?? this.graph.cell(), own);
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
    const tool = this.toolOf(callee, args, scope);
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
      if (binding?.fn && frame.stack.includes(binding.fn)) {
        return this.anything([this.escapingOnce(binding.fn, binding.fnScope ?? scope, binding.cell), ...given]);
      }
      const control = graph.cell();
      graph.edge(frame.control, control, 'choice');
      const isFixed = (index: number) => args[index] === undefined || this.isFixed(args[index], scope);
      return this.function(
        binding?.fn ?? callee,
        binding?.fnScope ?? scope,
        (index) => given[index],
        { ...frame, control, isOnce: frame.isOnce },
        isFixed,
      );
    }
    if (callee.type === 'Identifier' && !binding && CALLABLE_GLOBALS.test(String(callee.name)))
      return graph.computed(...args.map(value));
    if (callee.type === 'Identifier' && !binding && !HARMLESS.test(String(callee.name))) {
      // A host may offer tools as global functions.
      return this.toolCall(undefined, args, scope, frame);
    }
    if (callee.type !== 'MemberExpression') return this.anything([value(callee), ...args.map(value)]);
    if (args.some(hasEffects)) graph.edge(value(callee.object as Node), frame.control, 'choice');
    return this.method(callee, args, value, scope, frame);
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
    if (OPAQUE.test(name)) throw new TooComplex();
    if (isPromiseAll({ type: 'CallExpression', callee }, scope) && args.length === 1) return value(args[0]);
    const receiver = value(of);
    const [first] = args;
    if (this.facts.defined.has(name) || name === '')
      return this.anything([receiver, this.member(callee, scope, frame), ...args.map(value)]);
    if (
      PURE.test(name) &&
      (!TAKES_FUNCTION.test(name) || args.slice(1).every(isPlainValue)) &&
      !args.some((each) => isFunction(plainNode(each)))
    )
      return graph.computed(receiver, ...args.map(value));
    if (WITH_ITEM.test(name) && first && isFunction(plainNode(first)) && args.length === 1) {
      const item = graph.field(receiver, '[]');
      const control = graph.cell();
      graph.edge(frame.control, control, 'choice');
      graph.edge(receiver, control, 'choice');
      const parts = [item, graph.computed(receiver), receiver];
      const result = this.function(plainNode(first), scope, (index) => parts[index], {
        ...frame,
        control,
        isOnce: false,
      });
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
    if (name === 'flat') return graph.collapse(receiver);
    if (SAME_LIST.test(name) && args.every(isPlainValue)) return receiver;
    if (/^(?:sort|toSorted)$/.test(name) && first && isFunction(plainNode(first))) {
      const item = graph.field(receiver, '[]');
      const control = graph.cell();
      graph.edge(frame.control, control, 'choice');
      graph.edge(receiver, control, 'choice');
      const order = this.function(plainNode(first), scope, () => item, { ...frame, control, isOnce: false });
      graph.edge(order, receiver, 'choice');
      return receiver;
    }
    if (ONE_ITEM.test(name) && args.every(isPlainValue)) {
      const item = graph.cell();
      graph.unite(item, graph.field(receiver, '[]'));
      return item;
    }
    if (/^(?:push|unshift)$/.test(name)) {
      for (const each of args) graph.unite(graph.field(receiver, '[]'), value(each));
      graph.edge(frame.control, receiver, 'choice');
      return graph.computed(receiver);
    }
    const all = this.anything([receiver, ...args.map(value)]);
    if (/^(?:catch|then|finally|allSettled)$/.test(name)) graph.taint(all);
    graph.edge(frame.control, all, 'choice');
    return all;
  }

  /** A call of unknown code: each value may be in each other one. */
  protected anything(cells: readonly Cell[]): Cell {
    const one = this.graph.computed();
    for (const cell of cells) this.graph.unite(this.graph.collapse(one), this.graph.collapse(cell));
    return this.graph.collapse(one);
  }

  protected toolOf(
    callee: Node,
    args: readonly Node[],
    scope: Scope,
  ): { name: string | undefined; args: readonly Node[] } | undefined {
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
          PURE.test(memberName(callee) ?? '') &&
          all([callee.object]) &&
          all(plain.arguments)
        );
      }
      default:
        return false;
    }
  }
}
