import { isNode, type Node } from '../../typescript/parse.ts';
import { CallFlow } from '../calls.ts';
import { MAX_DEPTH } from '../expressions.ts';
import { type Cell, TooComplex } from '../graph.ts';
import { type Binding, childrenOf, constantText, nodesOf, plainNode, Scope } from '../scope.ts';
import { isFunction } from '../syntax.ts';
import { memberOf, type OwnNames, ownNames, type PythonFacts } from './names.ts';
import { libraryKind, PYTHON_WORDS } from './words.ts';

/** Modules that programs have without an import. */
const WITHOUT_IMPORT = /^(?:collections|datetime|itertools|json|math|re|statistics)$/;

/** The names of Python: each is a value, a function or a module. */
export abstract class PythonBindings extends CallFlow {
  protected override readonly facts: PythonFacts;
  protected readonly module: Scope = new Scope();
  readonly #names = new Map<Node, OwnNames>();

  constructor(facts: PythonFacts) {
    super(facts, PYTHON_WORDS);
    this.facts = facts;
  }

  /** Declares the names of an import in a scope. */
  protected abstract import(node: Node, scope: Scope, isSingle: (name: string) => boolean): void;

  protected declareAll(body: readonly Node[], own: OwnNames, scope: Scope): void {
    const params = new Set(scope.names.keys());
    for (const [name, values] of own.values) {
      if (own.globals.has(name) || own.nonlocals.has(name) || scope.names.has(name)) continue;
      const [only] = values;
      const isSingle = values.length === 1 && this.isSingle(name, scope, own);
      const isNamed = only !== undefined && (only.type === 'FunctionDeclaration' || isFunction(only));
      const fn = isSingle && isNamed && nodesOf(only.decorators).length === 0 ? { fn: only, fnScope: scope } : {};
      const text = isSingle && only?.type === 'Literal' ? constantText(only, scope) : undefined;
      scope.names.set(name, { cell: this.graph.cell(), isSingle, ...fn, text });
    }
    for (const name of own.globals) {
      if (!this.module.names.has(name)) this.module.names.set(name, { cell: this.graph.cell() });
      scope.names.set(name, this.module.names.get(name) as Binding);
    }
    this.#findScalars(own, scope, params);
    const imports = (node: Node): void => {
      if (/^Import/.test(node.type)) this.import(node, scope, (name) => own.values.get(name)?.length === 1);
      else if (node.type !== 'FunctionDeclaration' && node.type !== 'Class')
        for (const value of Object.values(node)) for (const each of nodesOf(value)) imports(each);
    };
    for (const each of body) imports(each);
  }

  /** Finds the names whose values are all texts and numbers: those that no value disproves. */
  #findScalars(own: OwnNames, scope: Scope, params: ReadonlySet<string>): void {
    const left = new Map<Binding, readonly Node[]>();
    for (const [name, values] of own.values) {
      const binding = scope.names.get(name);
      const known = values.filter(isNode);
      if (!binding || known.length < values.length || this.facts.outer.has(name) || params.has(name)) continue;
      binding.isScalar = true;
      left.set(binding, known);
    }
    for (let hasChanged = true; hasChanged; ) {
      hasChanged = false;
      for (const [binding, values] of left) {
        if (values.every((each) => this.isScalar(each, scope))) continue;
        binding.isScalar = false;
        left.delete(binding);
        hasChanged = true;
      }
    }
  }

  /** Returns whether one statement of a scope sets a name, and no built-in value is visible before. */
  protected isSingle(name: string, scope: Scope, own: OwnNames): boolean {
    const isOuter = this.facts.outer.has(name) || own.globals.has(name) || own.nonlocals.has(name);
    return !isOuter && own.values.get(name)?.length === 1 && !this.words.globals.test(name) && !scope.isClass;
  }

  protected namesOf(fn: Node): OwnNames {
    const body = fn.body as Node;
    const known = this.#names.get(fn) ?? ownNames(body.type === 'BlockStatement' ? nodesOf(body.body) : [body]);
    this.#names.set(fn, known);
    return known;
  }

  /** Returns whether an expression is always a text or a number. */
  protected isScalar(node: Node, scope: Scope, depth = 0): boolean {
    const is = (each: unknown) => isNode(each) && depth < MAX_DEPTH && this.isScalar(each, scope, depth + 1);
    switch (node.type) {
      case 'Literal':
        return node.value !== null;
      case 'TemplateLiteral':
      case 'BinaryExpression':
      case 'UnaryExpression':
        return true;
      case 'Arithmetic':
        if (/^(?:\/|\/\/|%|\*\*|<<|>>)$/.test(String(node.operator))) return true;
        return node.operator === '*' ? is(node.left) && is(node.right) : is(node.left) || is(node.right);
      case 'CallExpression': {
        const callee = node.callee as Node;
        if (callee.type === 'Identifier')
          return !scope.find(String(callee.name)) && this.words.callables.test(String(callee.name));
        return (
          callee.type === 'MemberExpression' &&
          !this.facts.defined.has(memberOf(callee)) &&
          this.libraryOf(callee, scope) === undefined &&
          this.words.pure.test(memberOf(callee)) &&
          !/^(?:split|rsplit|splitlines|partition|rpartition|groups|groupdict|findall|span)$/.test(memberOf(callee))
        );
      }
      case 'Identifier':
        return scope.find(String(node.name))?.isScalar === true;
      default:
        return false;
    }
  }

  /** Returns whether an expression may change something, or call code that does. */
  protected changes(node: Node, scope: Scope): boolean {
    if (/^(?:AssignmentExpression|AwaitExpression|Yield)$/.test(node.type)) return true;
    if (node.type === 'CallExpression') {
      const callee = node.callee as Node;
      const isKnown =
        callee.type === 'Identifier'
          ? !scope.find(String(callee.name)) && this.words.callables.test(String(callee.name))
          : callee.type === 'MemberExpression' &&
            !this.facts.defined.has(memberOf(callee)) &&
            (this.words.pure.test(memberOf(callee)) || /^(?:get|items|keys|values)$/.test(memberOf(callee))) &&
            this.libraryOf(callee, scope) === undefined;
      if (!isKnown) return true;
    }
    return childrenOf(node).some((each) => this.changes(each, scope));
  }

  /** Returns the path of a function or value of a library module. */
  protected libraryOf(node: Node, scope: Scope): string | undefined {
    if (node.type === 'Identifier') {
      const name = String(node.name);
      const binding = scope.find(name);
      return binding ? binding.library : WITHOUT_IMPORT.test(name) ? name : undefined;
    }
    if (node.type !== 'MemberExpression') return undefined;
    const of = this.libraryOf(node.object as Node, scope);
    return of === undefined ? undefined : `${of}.${memberOf(node)}`;
  }

  protected override name(name: string, scope: Scope): Cell {
    const library = this.libraryOf({ type: 'Identifier', name }, scope);
    if (library === undefined) return super.name(name, scope);
    return this.libraryValue(library);
  }

  /** A module itself is no value, and code that is not known here may call a function that passes on its arguments. */
  protected libraryValue(path: string): Cell {
    const kind = libraryKind(path);
    if (kind === undefined || (kind === 'passes' && !/\.[A-Z]\w*$/.test(path))) throw new TooComplex();
    return this.graph.cell();
  }

  protected override isFixed(node: Node, scope: Scope): boolean {
    const plain = plainNode(node);
    const all = (nodes: unknown) => nodesOf(nodes).every((each) => this.isFixed(each, scope));
    switch (plain.type) {
      case 'Subscript':
        return all([plain.object, plain.property]);
      case 'Arithmetic':
        return all([plain.left, plain.right]);
      case 'ObjectExpression':
        return nodesOf(plain.properties).every((each) => each.type === 'Property' && all([each.key, each.value]));
      case 'MemberExpression':
        return this.libraryOf(plain, scope) === undefined && super.isFixed(plain, scope);
      case 'CallExpression':
        return this.libraryOf(plain.callee as Node, scope) === undefined && super.isFixed(plain, scope);
      default:
        return super.isFixed(plain, scope);
    }
  }
}
