import { isNode, type Node } from '../../typescript/parse.ts';
import { TooComplex } from '../graph.ts';
import { childrenOf, nodesOf } from '../scope.ts';
import type { ProgramFacts } from '../syntax.ts';
import { PYTHON_WORDS } from './words.ts';

const MAX_NODES = 40_000;
/** Functions that return iterators. */
const ITERATORS = /^(?:iter|map|filter|zip|enumerate|reversed|open|itertools)$/;
const READERS = /^(?:join|extend|update)$/;

/** The names of one function or of the module. */
export interface OwnNames {
  /** The expressions that a name is set to; undefined for one that a loop, import, pattern or definition sets. */
  readonly values: ReadonlyMap<string, readonly (Node | undefined)[]>;
  readonly globals: ReadonlySet<string>;
  readonly nonlocals: ReadonlySet<string>;
  readonly isGenerator: boolean;
}

/** Returns the names that a body sets. Those of functions, classes and comprehensions in it are their own. */
export function ownNames(nodes: readonly Node[]): OwnNames {
  const reader = new NameReader();
  for (const node of nodes) reader.visit(node);
  return reader;
}

class NameReader implements OwnNames {
  readonly values = new Map<string, (Node | undefined)[]>();
  readonly globals = new Set<string>();
  readonly nonlocals = new Set<string>();
  isGenerator = false;

  visit(node: Node, isInComprehension = false): void {
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'ArrowFunctionExpression':
        if (isNode(node.id)) this.#set(String(node.id.name), node);
        for (const each of [...nodesOf(node.decorators), ...defaultsOf(node)]) this.visit(each);
        return;
      case 'Class':
        this.#set(String((node.id as Node).name));
        for (const each of [...nodesOf(node.decorators), ...nodesOf(node.bases)]) this.visit(each);
        return;
      case 'Comprehension':
        for (const { target, ...clause } of nodesOf(node.clauses)) {
          if (isNode(target) && target.type !== 'Identifier' && target.type !== 'ArrayExpression')
            throw new TooComplex();
          for (const inner of childrenOf(clause as Node)) this.visit(inner, true);
        }
        this.visit(node.element as Node, true);
        return;
      case 'AssignmentExpression':
        this.#set(String((node.left as Node).name), isInComprehension ? undefined : (node.right as Node));
        this.visit(node.right as Node, isInComprehension);
        return;
      case 'Assign': {
        const [only, ...others] = nodesOf(node.targets);
        for (const each of others) this.#target(each);
        if (only) this.#target(only, others.length === 0 && isNode(node.value) ? node.value : undefined);
        for (const each of nodesOf(node.value)) this.visit(each);
        return;
      }
      default:
        this.#other(node);
    }
    const { target, ...others } = node;
    if (isNode(target)) this.#target(target, node.type === 'AugmentedAssign' ? sumOf(node) : undefined);
    for (const inner of Object.values(others).flatMap(nodesOf)) this.visit(inner, isInComprehension);
  }

  #other(node: Node): void {
    if (/^(?:Handler|Imported|Pattern)$/.test(node.type)) {
      for (const name of [node.name, ...(Array.isArray(node.names) ? node.names : [])]) {
        if (typeof name === 'string') this.#set(name);
      }
      if (node.type === 'Imported' && node.name === undefined) this.#set(String(node.path).split('.')[0] ?? '');
    } else if (node.type === 'Outer') {
      for (const name of node.names as readonly string[]) (node.isGlobal ? this.globals : this.nonlocals).add(name);
    } else if (node.type === 'Yield') this.isGenerator = true;
  }

  #set(name: string, value?: Node): void {
    this.values.set(name, [...(this.values.get(name) ?? []), value]);
  }

  #target(node: Node, value?: Node): void {
    if (node.type === 'Identifier') this.#set(String(node.name), value);
    else if (node.type === 'ArrayExpression') {
      const parts = value?.type === 'ArrayExpression' ? nodesOf(value.elements) : [];
      const names = nodesOf(node.elements);
      const isPaired =
        parts.length === names.length && ![...parts, ...names].some(({ type }) => type === 'SpreadElement');
      for (const [index, each] of names.entries()) this.#target(each, isPaired ? parts[index] : undefined);
    } else if (node.type === 'SpreadElement') this.#target(node.argument as Node);
    else this.visit(node);
  }
}

/** Returns the value of an assignment that changes one. */
export function sumOf({ operator, target, value }: Node): Node {
  return { type: 'Arithmetic', operator, left: target, right: value };
}

function defaultsOf(fn: Node): readonly Node[] {
  return nodesOf(fn.params).flatMap(({ value }) => nodesOf(value));
}

/** The facts about a Python program that its analysis needs first. */
export interface PythonFacts extends ProgramFacts {
  /** Names that a function sets in a scope around it. */
  readonly outer: ReadonlySet<string>;
  /** Whether a value may be an iterator: it has a position, which each use moves. */
  readonly hasIterators: boolean;
  readonly hasClasses: boolean;
  /** Names of classes. */
  readonly classes: ReadonlySet<string>;
}

/** Returns the facts about a Python program. Raises {@link TooComplex} for a huge one. */
export function pythonFacts(body: readonly Node[]): PythonFacts {
  const defined = new Set<string>();
  const outer = new Set<string>();
  let hasIterators = false;
  let hasClasses = false;
  const classes = new Set<string>();
  let nodes = 0;
  const targets = (node: Node): void => {
    if (node.type === 'MemberExpression') {
      if (PYTHON_WORDS.opaque.test(memberOf(node))) throw new TooComplex();
      defined.add(memberOf(node));
    } else if (node.type !== 'Subscript') for (const each of childrenOf(node)) targets(each);
  };
  const visit = (node: Node, isRead = false): void => {
    if (++nodes > MAX_NODES) throw new TooComplex();
    for (const each of [...nodesOf(node.targets), ...nodesOf(node.target)]) targets(each);
    if (node.type === 'Outer') for (const name of node.names as readonly string[]) outer.add(name);
    if (node.type === 'Yield' || (isLazy(node) && !isRead)) hasIterators = true;
    if (/^Import/.test(node.type) && ITERATORS.test(String(node.path))) hasIterators = true;
    if (node.type === 'Class') {
      hasClasses = true;
      classes.add(String((node.id as Node).name));
      for (const name of ownNames(nodesOf((node.body as Node).body)).values.keys()) defined.add(name);
    }
    for (const inner of childrenOf(node))
      visit(inner, node.list === inner || (isReader(node) && inner !== node.callee));
  };
  for (const node of body) visit(node);
  return { defined, outer, hasIterators, hasClasses, classes, assigned: outer, hasComputedNames: false };
}

/** Returns whether an expression is a new iterator, or a function that returns one. */
function isLazy({ type, kind, name, callee }: Node): boolean {
  if (type === 'Comprehension') return kind === 'generator';
  if (type === 'Identifier') return /^(?:iter|map|filter|open|itertools)$/.test(String(name));
  return (
    type === 'CallExpression' && isNode(callee) && callee.type === 'Identifier' && ITERATORS.test(String(callee.name))
  );
}

/** Returns whether a call reads all of its arguments at once. */
function isReader({ type, callee }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(callee)) return false;
  if (callee.type === 'MemberExpression') return READERS.test(memberOf(callee));
  return (
    callee.type === 'Identifier' &&
    PYTHON_WORDS.globals.test(String(callee.name)) &&
    !ITERATORS.test(String(callee.name))
  );
}

export function memberOf({ property }: Node): string {
  return String((property as Node).name);
}
