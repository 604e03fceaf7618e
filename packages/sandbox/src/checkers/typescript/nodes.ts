/** A range of the source, in UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A node of a syntax tree. */
export interface Node extends Span {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Returns whether a value is a node. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
}

/** Returns whether a node is the identifier `name`. */
export function isName(node: Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}

/** Returns the range of a node. */
export function spanOf({ start, end }: Span): Span {
  return { start, end };
}

/** Returns the text of a string literal, or of a template literal without expressions. */
export function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  const quasis = node.quasis as readonly { readonly value: { readonly cooked?: string } }[];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}
