import { parseSync } from 'oxc-parser';

/** Attributes that a browser or a screen reader shows. */
const SHOWN_ATTRIBUTES = /^(title|aria-label|aria-valuetext|alt|placeholder)$/;
/** Names of values that programs, tools, servers and models write. */
const WRITTEN_BY_OTHERS = /^(code|message|tool|path|mimeType|description|hint|stack|reason|option)$/;
/** Methods that return a part of a text. */
const PARTS = /^(slice|trim|at|join|split|toUpperCase|toLowerCase)$/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [part: string]: unknown;
}

/** Returns the expressions of a page that show a text of others as it is: without `Text` and `visibleText`. */
export function rawTexts(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, parent: Node | undefined): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, parent);
    if (!isNode(value)) return;
    if (value.type === 'JSXExpressionContainer' && isShown(parent)) {
      const raw = leavesOf(value.expression).filter((leaf) => WRITTEN_BY_OTHERS.test(nameOf(leaf)));
      found.push(...raw.map(({ start }) => `${path}:${text.slice(0, start).split('\n').length}`));
    }
    for (const child of Object.values(value)) visit(child, value);
  };
  visit(parseSync(path, text).program, undefined);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Whether a page shows the expressions of a parent: of an element, or of some attributes. */
function isShown(parent: Node | undefined): boolean {
  if (parent?.type === 'JSXElement' || parent?.type === 'JSXFragment') return true;
  const { name } = (parent?.name ?? {}) as { readonly name?: unknown };
  return parent?.type === 'JSXAttribute' && SHOWN_ATTRIBUTES.test(String(name));
}

/** Returns the parts of an expression that may be its value. The arguments of a call are not: the call may escape them. */
function leavesOf(value: unknown): Node[] {
  if (!isNode(value)) return [];
  const { type, callee } = value;
  const inside = (...names: readonly string[]) => names.flatMap((name) => [value[name]].flat().flatMap(leavesOf));
  if (type === 'ConditionalExpression') return inside('consequent', 'alternate');
  if (type === 'LogicalExpression' && value.operator === '&&') return inside('right');
  if (type === 'LogicalExpression' || type === 'BinaryExpression') return inside('left', 'right');
  if (type === 'TemplateLiteral') return inside('expressions');
  if (type === 'ParenthesizedExpression' || type === 'ChainExpression') return inside('expression');
  if (type === 'CallExpression' && isNode(callee)) return PARTS.test(nameOf(callee)) ? leavesOf(callee.object) : [];
  return [value];
}

/** Returns the name of a variable, or the last one of `a.b.c`. */
function nameOf(node: Node): string {
  const named = node.type === 'MemberExpression' ? node.property : node;
  return isNode(named) && typeof named.name === 'string' ? named.name : '';
}
