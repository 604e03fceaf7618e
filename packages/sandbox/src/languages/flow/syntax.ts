import { visitorKeys } from 'oxc-parser';
import { isNode, type Node } from '../typescript/parse.ts';
import { TooComplex } from './graph.ts';
import { childrenOf, memberName, namesIn, nodesOf, plainNode, type Scope } from './scope.ts';

const MAX_NODES = 40_000;
const EFFECTS = /^(?:Assignment|Update|Call|New|Await|Import|TaggedTemplate)Expression$|^Yield$/;

/** The facts about a program that its analysis needs first. */
export interface ProgramFacts {
  /** Members that the program itself defines: their methods may do anything. */
  readonly defined: ReadonlySet<string>;
  readonly assigned: ReadonlySet<string>;
  /** Whether a member with a computed name is set: a function there could be any method. */
  readonly hasComputedNames: boolean;
}

/** Returns the facts about a program. Raises {@link TooComplex} for syntax that the analysis does not know. */
export function readFacts(body: readonly Node[]): ProgramFacts {
  const survey = new Survey();
  for (const node of body) survey.visit(node);
  return survey;
}

class Survey implements ProgramFacts {
  readonly defined = new Set<string>();
  readonly assigned = new Set<string>();
  hasComputedNames = false;
  #nodes = 0;

  /** Notes names that are assigned, members with functions, and syntax that the analysis does not know. */
  visit(node: Node): void {
    if (++this.#nodes > MAX_NODES) throw new TooComplex();
    if (/^(?:Class|Yield|With|ImportExpression|Meta|TSEnum|TSModule|TSImport|TSExport)/.test(node.type))
      throw new TooComplex();
    if (node.type === 'Identifier' && /^(?:eval|Function|Reflect|Proxy)$/.test(String(node.name)))
      throw new TooComplex();
    if (node.type === 'Property' && (node.kind === 'get' || node.kind === 'set')) throw new TooComplex();
    const target =
      node.type === 'AssignmentExpression' ? node.left : node.type === 'UpdateExpression' ? node.argument : undefined;
    if (isNode(target)) {
      if (target.type === 'MemberExpression') this.#define(target);
      else for (const name of namesIn(target)) this.assigned.add(name);
    }
    if (/^For(?:In|Of)Statement$/.test(node.type) && isNode(node.left) && node.left.type !== 'VariableDeclaration') {
      throw new TooComplex();
    }
    if (node.type === 'Property' && isNode(node.value)) this.#define(node);
    for (const key of visitorKeys[node.type] ?? []) {
      for (const inner of nodesOf(node[key])) this.visit(inner);
    }
  }

  #define(node: Node): void {
    const name = memberName(node);
    if (name === undefined) this.hasComputedNames = true;
    else if (/^(?:toJSON|toString|valueOf|then)$/.test(name)) throw new TooComplex();
    else this.defined.add(name);
  }
}

export function isFunction({ type }: Node): boolean {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
}

/** Returns whether an argument is a text, a number or a list of them, and no function. */
export function isPlainValue(node: Node): boolean {
  return /^(?:Literal|TemplateLiteral|UnaryExpression|BinaryExpression)$/.test(plainNode(node).type);
}

export function isPromiseAll({ callee }: Node, scope: Scope): boolean {
  if (!isNode(callee) || callee.type !== 'MemberExpression' || memberName(callee) !== 'all') return false;
  const of = callee.object as Node;
  return of.type === 'Identifier' && of.name === 'Promise' && !scope.find('Promise');
}

/** Returns whether an expression may call or change something. */
export function hasEffects(node: unknown): boolean {
  return isNode(node) && (EFFECTS.test(node.type) || node.operator === 'delete' || childrenOf(node).some(hasEffects));
}
