import { visitorKeys } from 'oxc-parser';
import { isNode, type Node } from '../parse.ts';
import type { Edit } from '../shape.ts';

/** The parameter in place of a pattern: `catch ({ message })`. */
const ERROR = '__toolwright_error';
/** The handlers of promises that receive an error, with their positions. */
const HANDLERS = new Map([
  ['catch', 0],
  ['then', 1],
]);

interface Edits {
  readonly opening: Edit[];
  readonly closing: Edit[];
}

/**
 * Returns the edits of a rewritten program together with those that take inserted names out of caught errors. An engine prints the
 * expression that failed. `values` is the name of the object with the inserted functions.
 */
export function withCaught(source: string, body: readonly unknown[], edits: readonly Edit[], values: string): Edit[] {
  const own: Edits = { opening: [], closing: [] };
  const visit = (node: Node): void => {
    if (node.type === 'CatchClause') editClause(node);
    const handler = handlerOf(node);
    if (handler) own.opening.push(inserted(Number(handler.start), `${values}.handler(`));
    for (const key of visitorKeys[node.type] ?? []) {
      const child = node[key];
      for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) visit(each);
    }
    if (handler) own.closing.push(inserted(Number(handler.end), ')'));
  };
  const editClause = ({ param, body: block }: Node): void => {
    if (!isNode(param) || !isNode(block)) return;
    const at = Number(block.start) + 1;
    const [start, end] = [Number(param.start), Number(param.end)];
    if (param.type === 'Identifier') own.opening.push(inserted(at, `${values}.caught(${String(param.name)});`));
    else if (
      !edits.some((edit) => edit.start >= start && edit.end <= end) &&
      !source.slice(start, end).includes('\n')
    ) {
      own.opening.push({ start, end, text: ERROR });
      own.opening.push(inserted(at, `let ${source.slice(start, end)} = ${values}.caught(${ERROR});`));
    }
  };
  if (edits.length > 0) for (const node of body) visit(node as Node);
  return [...own.opening, ...edits, ...own.closing];
}

function handlerOf({ type, callee, arguments: given }: Node): Node | undefined {
  if (type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression' || callee.computed === true)
    return undefined;
  const position = HANDLERS.get(isNode(callee.property) ? String(callee.property.name) : '');
  const handler = position === undefined ? undefined : (given as readonly Node[])[position];
  return handler?.type === 'SpreadElement' ? undefined : handler;
}

function inserted(at: number, text: string): Edit {
  return { start: at, end: at, text };
}
