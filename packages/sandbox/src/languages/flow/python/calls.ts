import { isNode, type Node } from '../../typescript/parse.ts';
import type { Given, ToolCall } from '../calls.ts';
import type { Frame } from '../expressions.ts';
import { type Cell, TooComplex } from '../graph.ts';
import { constantText, nodesOf, type Scope } from '../scope.ts';
import { isFunction } from '../syntax.ts';
import { PythonExpressions } from './expressions.ts';
import { memberOf } from './names.ts';
import { callsItsArguments, libraryKind } from './words.ts';

/** Built-in functions that return a list of the same items. */
const LISTS = /^(?:list|tuple|set|frozenset|reversed|iter)$/;
const AWAITS = /^asyncio\.(?:run|create_task|ensure_future)$/;

/** The flow through calls of Python. */
export abstract class PythonCalls extends PythonExpressions {
  protected override call(node: Node, scope: Scope, frame: Frame): Cell {
    const graph = this.graph;
    const args = nodesOf(node.arguments);
    const callee = node.callee as Node;
    const inner: Frame = { ...frame, isAwaited: false };
    const tool = this.toolOf(node, scope);
    if (tool) return this.toolCall(tool.name, tool.args, scope, inner);
    const library = this.libraryOf(callee, scope);
    if (library !== undefined) return this.libraryCall(library, args, scope, frame);
    const value = (each: Node) => this.expression(argumentOf(each), scope, inner);
    const name = callee.type === 'Identifier' ? String(callee.name) : undefined;
    const binding = name === undefined ? undefined : scope.find(name);
    if (binding?.fn || isFunction(callee))
      return this.ownCall(callee, args.map(value), this.given(args, scope, inner), scope, frame);
    if (name !== undefined && !binding) {
      if (this.words.opaque.test(name)) throw new TooComplex();
      if (this.words.reads.test(name)) return graph.computed(...args.map(value));
      if (
        this.words.callables.test(name) &&
        !args.some(({ type, name }) => type === 'KeywordArgument' && name === 'file')
      )
        return graph.computed(...args.map(value));
      const found = this.builtin(name, args, scope, inner);
      if (found !== undefined) return found;
      // A host may offer tools as global functions.
      if (!this.words.harmless.test(name)) return this.toolCall(undefined, args, scope, inner);
    }
    if (callee.type !== 'MemberExpression')
      return this.changed(this.anything([value(callee), ...args.map(value)]), frame);
    return this.method(callee, args, (each) => (each ? value(each) : graph.cell()), scope, frame);
  }

  /** A change by unknown code happens only where the program gets there. */
  protected changed(cell: Cell, frame: Frame): Cell {
    this.graph.edge(frame.control, cell, 'choice');
    return cell;
  }

  /** Returns the arguments of a call for the parameters of a function. */
  protected given(args: readonly Node[], scope: Scope, frame: Frame): Given {
    const graph = this.graph;
    const cells = new Map(args.map((each) => [each, this.expression(argumentOf(each), scope, frame)]));
    const cellOf = (each: Node) => cells.get(each) as Cell;
    const positional = args.filter(({ type }) => !/^Keyword/.test(type));
    const firstSpread = positional.findIndex(({ type }) => type === 'SpreadElement');
    const spread = positional.filter(({ type }) => type === 'SpreadElement');
    const dicts = args.filter(({ type }) => type === 'KeywordSpread');
    const isCertain = spread.length === 0 && dicts.length === 0;
    const valuesOf = (place: number | undefined, name: string | undefined): readonly Node[] => {
      const named = args.filter((each) => each.type === 'KeywordArgument' && each.name === name);
      if (firstSpread >= 0 && place !== undefined && place >= firstSpread)
        return [...positional.slice(firstSpread), ...named];
      const own = place === undefined ? undefined : positional[place];
      return own ? [own, ...named] : named;
    };
    const joined = (values: readonly Cell[]): Cell => {
      const [only] = values;
      if (values.length === 1 && only !== undefined) return only;
      const all = graph.cell();
      for (const each of values) graph.unite(all, each);
      return all;
    };
    const itemOf = (each: Node) => (each.type === 'SpreadElement' ? this.item(cellOf(each)) : cellOf(each));
    return {
      isCertain,
      at(place, name) {
        const values = [...valuesOf(place, name).map(itemOf), ...dicts.map((each) => graph.collapse(cellOf(each)))];
        return values.length === 0 ? undefined : joined(values);
      },
      isFixed: (place, name) => {
        const [only, ...others] = valuesOf(place, name);
        if (!isCertain || others.length > 0) return false;
        return only === undefined || this.isFixed(argumentOf(only), scope);
      },
      list: (place) => {
        const list = graph.cell();
        const rest = firstSpread >= 0 ? positional.slice(Math.min(place, firstSpread)) : positional.slice(place);
        for (const each of rest) graph.unite(graph.field(list, '[]'), itemOf(each));
        for (const each of spread) graph.edge(cellOf(each), list, 'choice');
        return list;
      },
      dict: (parameters) => {
        const dict = graph.cell();
        const known = new Set(parameters.map(({ name }) => name));
        for (const each of args) {
          if (each.type === 'KeywordArgument' && !known.has(each.name))
            graph.unite(graph.field(dict, String(each.name)), cellOf(each));
        }
        for (const each of dicts) graph.unite(graph.collapse(dict), graph.collapse(cellOf(each)));
        return dict;
      },
    };
  }

  /** A call of a function of a library. */
  protected libraryCall(path: string, args: readonly Node[], scope: Scope, frame: Frame): Cell {
    const graph = this.graph;
    const inner: Frame = { ...frame, isAwaited: false };
    const kind = libraryKind(path);
    if (kind === undefined) throw new TooComplex();
    const awaited = (each: Node) => this.expression(argumentOf(each), scope, { ...frame, isAwaited: true });
    if (path === 'asyncio.gather') {
      const list = graph.cell();
      for (const each of args) {
        if (each.type === 'KeywordArgument') graph.taint(list);
        else if (each.type === 'SpreadElement') {
          const of = awaited(each);
          graph.unite(graph.field(list, '[]'), this.item(of));
          graph.edge(of, list, 'choice');
        } else graph.unite(graph.field(list, '[]'), awaited(each));
      }
      return list;
    }
    const [first] = args;
    if (AWAITS.test(path) && first) {
      for (const each of args.slice(1)) this.expression(argumentOf(each), scope, inner);
      return awaited(first);
    }
    const cells = args.map((each) => this.expression(argumentOf(each), scope, inner));
    const mayCall = callsItsArguments(path) && args.slice(1).some((each) => !this.isData(argumentOf(each), scope));
    if (kind === 'computes' && !mayCall && !args.some((each) => isFunction(argumentOf(each))))
      return graph.computed(...cells);
    return this.changed(this.anything(cells), frame);
  }

  /** Returns whether an argument is surely no function. */
  protected isData(node: Node, scope: Scope): boolean {
    if (this.isScalar(node, scope)) return true;
    if (node.type === 'Literal' || node.type === 'Comprehension') return true;
    return node.type === 'Identifier' && node.name === 'str' && !scope.find('str');
  }

  /** A call of a built-in function whose result is more precise than any mix of its arguments. */
  protected builtin(name: string, args: readonly Node[], scope: Scope, frame: Frame): Cell | undefined {
    const graph = this.graph;
    if (args.some(({ type }) => type === 'SpreadElement' || type === 'KeywordSpread')) return undefined;
    const values = args.filter(({ type }) => type !== 'KeywordArgument');
    const options = new Map(
      args.flatMap((each) => (each.type === 'KeywordArgument' ? [[each.name, each.value as Node]] : [])),
    );
    const value = (each: Node) => this.expression(each, scope, frame);
    const [first, second] = values;
    if (name === 'type') {
      if (values.length !== 1) throw new TooComplex();
      return undefined;
    }
    if (name === 'range') return this.listOf(graph.computed(...values.map(value)));
    if (name === 'sum' && first && values.length === 1 && options.size === 0) return graph.computed(value(first));
    if (name === 'dict' && values.length === 0) {
      const dict = graph.cell();
      for (const [key, each] of options) graph.unite(graph.field(dict, String(key)), value(each as Node));
      return dict;
    }
    if (name === 'dict' && first && values.length === 1 && options.size === 0 && first.type !== 'Comprehension') {
      return this.changed(graph.collapse(value(first)), frame);
    }
    if (LISTS.test(name) && options.size === 0 && values.length <= 1) {
      if (!first) return graph.cell();
      const of = value(first);
      this.consumed(of, { ...frame, control: graph.cell() });
      if (this.facts.hasIterators) graph.edge(frame.control, of, 'choice');
      return this.copyOf(of);
    }
    if (name === 'next' && first && values.length <= 2 && options.size === 0) {
      const of = value(first);
      graph.edge(frame.control, of, 'choice');
      return this.chosenItem(of, second ? value(second) : undefined);
    }
    if (/^(?:sorted|min|max)$/.test(name) && first && values.length === 1)
      return this.ordering(name, first, options, scope, frame);
    if (/^(?:min|max)$/.test(name) && options.size === 0 && values.some((each) => this.isScalar(each, scope)))
      return graph.computed(...values.map(value));
    if ((name === 'map' || name === 'filter') && first && second && values.length === 2) {
      const fn = this.functionOf(first, scope);
      if (!fn || this.changes(fn.node.body as Node, fn.scope) || this.namesOf(fn.node).isGenerator) return undefined;
      const of = value(second);
      const result = this.withItem(fn, of, frame);
      if (name === 'map') return this.listOf(result, of);
      const found = this.copyOf(of);
      graph.edge(result, found, 'choice');
      return found;
    }
    return undefined;
  }

  protected listOf(item: Cell, ...sources: readonly Cell[]): Cell {
    const list = this.graph.cell();
    this.graph.unite(this.graph.field(list, '[]'), item);
    for (const each of sources) this.graph.edge(each, list, 'choice');
    return list;
  }

  /** Returns a new list of the same items. The keys of a dict are items too. */
  protected copyOf(list: Cell): Cell {
    const keys = this.graph.cell();
    this.graph.edge(list, keys);
    const copy = this.listOf(this.item(list), list);
    this.graph.edge(keys, copy);
    return copy;
  }

  protected chosenItem(list: Cell, byDefault?: Cell): Cell {
    const chosen = this.graph.cell();
    this.graph.unite(chosen, this.item(list));
    this.graph.edge(list, chosen, 'choice');
    if (byDefault !== undefined) this.graph.unite(chosen, byDefault);
    return chosen;
  }

  /** Returns the text of a function that an expression surely is. */
  protected functionOf(node: Node, scope: Scope): { readonly node: Node; readonly scope: Scope } | undefined {
    if (isFunction(node)) return { node, scope };
    const binding = node.type === 'Identifier' ? scope.find(String(node.name)) : undefined;
    return binding?.fn ? { node: binding.fn, scope: binding.fnScope ?? scope } : undefined;
  }

  protected withItem(fn: { readonly node: Node; readonly scope: Scope }, list: Cell, frame: Frame): Cell {
    const item = this.item(list);
    const control = this.repeated(list, frame);
    this.defaults(fn.node, fn.scope, frame);
    const given: Given = { at: (place) => (place === 0 ? item : undefined), isCertain: true };
    return this.function(fn.node, fn.scope, given, { ...frame, control, isOnce: false, isAwaited: false });
  }

  /** `sorted`, `min` and `max`, perhaps with a function that orders. */
  protected ordering(
    name: string,
    list: Node,
    options: ReadonlyMap<unknown, Node>,
    scope: Scope,
    frame: Frame,
  ): Cell | undefined {
    if ([...options.keys()].some((each) => !/^(?:key|reverse|default)$/.test(String(each)))) return undefined;
    const graph = this.graph;
    const key = options.get('key');
    const fn = key && this.functionOf(key, scope);
    const isKnown = key === undefined || fn !== undefined || this.isItemgetter(key, scope);
    if (!isKnown || (fn && frame.stack.includes(fn.node))) return undefined;
    const of = this.expression(list, scope, frame);
    const orders = [...options].flatMap(([option, each]) =>
      option === 'reverse' ? [this.expression(each, scope, frame)] : [],
    );
    if (fn) orders.push(this.withItem(fn, of, frame));
    const byDefault = options.get('default');
    const found =
      name === 'sorted' ? this.copyOf(of) : this.chosenItem(of, byDefault && this.expression(byDefault, scope, frame));
    for (const each of orders) graph.edge(each, found, 'choice');
    return found;
  }

  protected isItemgetter(node: Node, scope: Scope): boolean {
    if (node.type === 'Identifier')
      return !scope.find(String(node.name)) && /^(?:len|str|int|float|abs)$/.test(String(node.name));
    return (
      node.type === 'CallExpression' &&
      this.libraryOf(node.callee as Node, scope) === 'operator.itemgetter' &&
      nodesOf(node.arguments).every((each) => each.type === 'Literal')
    );
  }

  protected override method(
    callee: Node,
    args: readonly Node[],
    value: (node: Node | undefined) => Cell,
    scope: Scope,
    frame: Frame,
  ): Cell {
    const graph = this.graph;
    const name = memberOf(callee);
    const of = callee.object as Node;
    if (this.words.opaque.test(name) || name === 'format_map') throw new TooComplex();
    // A format can read the attributes of anything.
    if (name === 'format' && !(of.type === 'Literal' && typeof of.value === 'string' && !of.value.includes('__')))
      throw new TooComplex();
    const isPlain = args.every(({ type }) => !/^(?:Spread|Keyword)/.test(type));
    const [first, second] = args;
    const receiver = value(of);
    const isOwn = this.facts.defined.has(name);
    if (!isOwn && this.words.pure.test(name) && !args.some((each) => isFunction(argumentOf(each))))
      return graph.computed(receiver, ...args.map(value));
    if (!isOwn && this.words.takesFunction.test(name) && first && this.isScalar(first, scope) && isPlain)
      return graph.computed(receiver, ...args.map(value));
    if (isOwn || !isPlain) return this.otherMethod(name, receiver, args, value, scope, frame);
    switch (name) {
      case 'get':
        if (first?.type !== 'Literal' || typeof first.value !== 'string') break;
        return this.chosenMember(graph.field(receiver, first.value), second && value(second));
      case 'keys':
        if (first) break;
        return this.keysOf(receiver);
      case 'values':
        if (first) break;
        return this.listOf(graph.collapse(receiver), receiver);
      case 'copy':
        if (first) break;
        return receiver;
      case 'append':
      case 'add':
      case 'appendleft':
        if (!first || second) break;
        graph.unite(graph.field(receiver, '[]'), value(first));
        this.changed(receiver, frame);
        return graph.cell();
      case 'extend': {
        if (!first || second) break;
        const added = value(first);
        graph.unite(graph.field(receiver, '[]'), this.item(added));
        graph.edge(added, receiver, 'choice');
        this.changed(receiver, frame);
        return graph.cell();
      }
      case 'create_task':
        if (!first || second) break;
        return this.expression(first, scope, { ...frame, isAwaited: true });
      case 'sort':
      case 'reverse':
        if (first) break;
        this.changed(receiver, frame);
        return graph.cell();
      case 'pop':
      case 'popleft':
        if (first && (first.type !== 'Literal' || typeof first.value !== 'number')) break;
        this.changed(receiver, frame);
        return this.chosenItem(graph.collapse(receiver));
    }
    return this.otherMethod(name, receiver, args, value, scope, frame);
  }

  /** A method that may do anything with its object and its arguments. */
  protected otherMethod(
    name: string,
    receiver: Cell,
    args: readonly Node[],
    value: (node: Node | undefined) => Cell,
    scope: Scope,
    frame: Frame,
  ): Cell {
    const options = new Map(
      args.flatMap((each) => (each.type === 'KeywordArgument' ? [[each.name, each.value as Node] as const] : [])),
    );
    const key = options.get('key');
    const fn = key && this.functionOf(key, scope);
    if (
      name === 'sort' &&
      !this.facts.defined.has('sort') &&
      options.size === args.length &&
      (!key || fn || this.isItemgetter(key, scope))
    ) {
      if (fn && !frame.stack.includes(fn.node)) this.graph.edge(this.withItem(fn, receiver, frame), receiver, 'choice');
      else if (fn) this.anything([receiver, value(key)]);
      const reverse = options.get('reverse');
      if (reverse) this.graph.edge(value(reverse), receiver, 'choice');
      this.changed(receiver, frame);
      return this.graph.cell();
    }
    // Unknown code may call a method of the object, so that its members are arguments too.
    return this.changed(this.anything([receiver, ...args.map(value)]), frame);
  }

  protected chosenMember(member: Cell, byDefault: Cell | undefined): Cell {
    const chosen = this.graph.cell();
    this.graph.unite(chosen, member);
    if (byDefault !== undefined) this.graph.unite(chosen, byDefault);
    return chosen;
  }

  protected keysOf(dict: Cell): Cell {
    const graph = this.graph;
    const key = graph.cell();
    graph.edge(dict, key);
    if (this.facts.hasClasses) graph.unite(key, graph.collapse(dict));
    return this.listOf(key, dict);
  }

  protected override toolOf(node: Node, scope: Scope): ToolCall | undefined {
    const callee = node.callee as Node;
    const args = nodesOf(node.arguments);
    if (callee.type === 'Identifier') {
      const binding = scope.find(String(callee.name));
      if (binding?.tool) return this.ownTool(binding.tool, args);
      return !binding && callee.name === 'call_mcp_tool' ? this.namedTool(args, scope) : undefined;
    }
    if (callee.type !== 'MemberExpression') return undefined;
    const of = callee.object as Node;
    const binding = of.type === 'Identifier' ? scope.find(String(of.name)) : undefined;
    if (binding?.server) return this.ownTool(`${binding.server}__${memberOf(callee)}`, args);
    const servers = of.type === 'MemberExpression' ? (of.object as Node) : undefined;
    const isServers = servers?.type === 'Identifier' && servers.name === 'servers';
    if (!isServers || scope.find('servers')) return undefined;
    return this.ownTool(`${memberOf(of)}__${memberOf(callee)}`, args);
  }

  /** `call_mcp_tool("server__tool", {...})`. A third argument is an option of the call. */
  protected namedTool(args: readonly Node[], scope: Scope): ToolCall {
    const options = args.filter(
      (each) => each.type === 'KeywordArgument' && each.name === 'raw' && (each.value as Node).type === 'Literal',
    );
    const [name, ...rest] = args.filter((each) => !options.includes(each));
    const text = constantText(name, scope);
    if (text === undefined || rest.some(({ type }) => /^(?:Spread|Keyword)/.test(type)))
      return { name: undefined, args };
    return { name: text, args: rest };
  }

  /** A function of a tool accepts one dict, or values in order and by name. */
  protected ownTool(name: string, args: readonly Node[]): ToolCall {
    const [only] = args;
    if (args.length === 1 && only && !/^(?:Spread|Keyword)/.test(only.type)) return { name, args };
    const properties = args.map((each): Node => {
      if (each.type !== 'KeywordArgument') return { type: 'SpreadElement', argument: argumentOf(each) };
      return { type: 'Property', key: { type: 'Literal', value: each.name }, value: each.value, computed: true };
    });
    const aliases = properties.flatMap((each) => {
      const text = isNode(each.key) ? String(each.key.value) : '';
      const camel = text.replace(/_$/, '').replaceAll(/_+([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
      const others = new Set([camel, text.replace(/_$/, '')]);
      others.delete(text);
      return isNode(each.key) ? [...others].map((other) => ({ ...each, key: { type: 'Literal', value: other } })) : [];
    });
    return { name, args: [{ type: 'ObjectExpression', properties: [...properties, ...aliases] }] };
  }
}

/** Returns the value of an argument. */
function argumentOf(node: Node): Node {
  const inner = node.type === 'KeywordArgument' ? node.value : /Spread/.test(node.type) ? node.argument : node;
  return inner as Node;
}
