import { isNode, type Node } from '../typescript/parse.ts';
import { type Cell, TooComplex } from './graph.ts';

/** A name of a program. */
export interface Binding {
  readonly cell: Cell;
  /** The function that it always is. */
  readonly fn?: Node;
  /** The scope around that function. */
  readonly fnScope?: Scope;
  /** The text that it always is. */
  readonly text?: string;
  /** The server whose module it is, or the tool whose function it is. */
  readonly server?: string;
  readonly tool?: string;
  /** The library module that it is, or the path of its function. */
  readonly library?: string;
  /** Whether it has one value in the whole run, which no condition chooses. */
  isFixed?: boolean;
  /** Whether one statement sets it. */
  readonly isSingle?: boolean;
  /** Whether all of its values are texts and numbers. */
  isScalar?: boolean;
}

/** The names of a block, and those around it. */
export class Scope {
  readonly names = new Map<string, Binding>();
  readonly around: Scope | undefined;
  /** Whether it is the body of a class, whose names functions in it do not see. */
  isClass = false;

  constructor(around?: Scope) {
    this.around = around;
  }

  find(name: string): Binding | undefined {
    for (let scope: Scope | undefined = this; scope; scope = scope.around) {
      const found = scope.isClass && scope !== this ? undefined : scope.names.get(name);
      if (found) return found;
    }
    return undefined;
  }
}

/** Returns the nodes of a list, without holes. */
export function nodesOf(value: unknown): readonly Node[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

/** Returns the nodes in a node. */
export function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap(nodesOf);
}

/** Returns the names that a pattern declares. */
export function namesIn(pattern: unknown): readonly string[] {
  if (!isNode(pattern)) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [String(pattern.name)];
    case 'ObjectPattern':
      return nodesOf(pattern.properties).flatMap((each) => namesIn(each.value ?? each.argument));
    case 'ArrayPattern':
      return nodesOf(pattern.elements).flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      throw new TooComplex();
  }
}

/** Returns the name of a member, or undefined for a computed one. */
export function memberName({ property, computed, key }: Node): string | undefined {
  const name = property ?? key;
  if (!isNode(name)) return undefined;
  if (name.type === 'Literal') return typeof name.value === 'number' ? '[]' : String(name.value);
  return computed === true || name.type !== 'Identifier' ? undefined : String(name.name);
}

/** Returns the text that an expression always is. */
export function constantText(node: Node | undefined, scope: Scope): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  return node?.type === 'Identifier' ? scope.find(String(node.name))?.text : undefined;
}

/** Returns an expression without the nodes around it that do not change its value. */
export function plainNode(node: Node): Node {
  const inner = node.expression ?? node.argument;
  return WRAPPERS.has(node.type) && isNode(inner) ? plainNode(inner) : node;
}

const WRAPPERS: ReadonlySet<string> = new Set([
  ...['AwaitExpression', 'ParenthesizedExpression', 'ChainExpression', 'TSAsExpression', 'TSSatisfiesExpression'],
  ...['TSNonNullExpression', 'TSTypeAssertion', 'TSInstantiationExpression'],
]);
