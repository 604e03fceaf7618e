import { createScanner, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';

const MARK = '\uFEFF';

/** The parts of an edit: the text, its indentation and its line ends. */
interface Sheet {
  readonly json: string;
  /** One level of indentation. */
  readonly unit: string;
  readonly eol: string;
}

/** Sets one member of an object in JSON with comments, and adds missing objects on its path. All other text stays. */
export function withMember(text: string, path: readonly string[], value: unknown): string {
  const { mark, json } = withoutMark(text);
  const sheet = { json, unit: unitOf(json), eol: json.includes('\r\n') ? '\r\n' : '\n' };
  const tree = parseTree(json, [], { allowTrailingComma: true });
  if (tree === undefined) return mark + valueText(path.reduceRight<unknown>(wrapped, value), '', sheet);
  for (let depth = path.length; depth >= 0; depth--) {
    const node = findNodeAtLocation(tree, path.slice(0, depth));
    if (node === undefined) continue;
    const [key, ...inner] = path.slice(depth);
    const added = inner.reduceRight<unknown>(wrapped, value);
    if (node.type === 'object' && key !== undefined) return mark + withChild(node, key, added, sheet);
    const replacement = key === undefined ? value : wrapped(added, key);
    const replaced = valueText(replacement, indentAt(json, node.offset), sheet);
    return mark + json.slice(0, node.offset) + replaced + json.slice(node.offset + node.length);
  }
  return text;
}

/**
 * Replaces strings, numbers and truth values in JSON with comments: `replace` returns another text for the value at a path, or
 * undefined to keep it. Lines stay where they are.
 */
export function withReplacedValues(
  text: string,
  replace: (value: string | number | boolean, path: readonly (string | number)[]) => string | undefined,
): string {
  const { mark, json } = withoutMark(text);
  const edits: { readonly node: Node; readonly text: string }[] = [];
  const visit = (node: Node, path: readonly (string | number)[]): void => {
    const { type, value, children = [] } = node;
    if (type === 'object')
      for (const { children: [key, member] = [] } of children) if (member) visit(member, [...path, String(key?.value)]);
    if (type === 'array') for (const [index, item] of children.entries()) visit(item, [...path, index]);
    if (type !== 'string' && type !== 'number' && type !== 'boolean') return;
    const replaced = replace(value, path);
    if (replaced !== undefined) edits.push({ node, text: JSON.stringify(replaced) });
  };
  const tree = parseTree(json, [], { allowTrailingComma: true });
  if (tree) visit(tree, []);
  const from = edits
    .reverse()
    .reduce(
      (edited, { node, text: other }) => edited.slice(0, node.offset) + other + edited.slice(node.offset + node.length),
      json,
    );
  return mark + from;
}

/** Removes one member of an object in JSON with comments, if it exists. All other text stays, comments included. */
export function withoutMember(text: string, path: readonly string[]): string {
  const { mark, json } = withoutMark(text);
  const tree = parseTree(json, [], { allowTrailingComma: true });
  const member = tree && findNodeAtLocation(tree, [...path])?.parent;
  const members = member?.parent?.children;
  if (member === undefined || members === undefined) return text;
  const comma = commaAfter(json, endOf(member));
  const previous = members[members.indexOf(member) - 1];
  // Without a comma after the last member, the comma before it would be an error in strict JSON.
  const before = comma === undefined && previous ? commaAfter(json, endOf(previous)) : undefined;
  const kept = json.slice(0, member.offset);
  const rest = json.slice(comma === undefined ? endOf(member) : comma + 1);
  return mark + joined(before === undefined ? kept : kept.slice(0, before) + kept.slice(before + 1), rest);
}

/** Adds a member at the end of an object, in the layout of the object. */
function withChild(parent: Node, key: string, value: unknown, sheet: Sheet): string {
  const { json, unit, eol } = sheet;
  const last = parent.children?.at(-1);
  const member = (indent: string) => `${JSON.stringify(key)}: ${valueText(value, indent, sheet)}`;
  if (last === undefined) {
    const outer = indentAt(json, parent.offset);
    const inside = json.slice(0, endOf(parent) - 1).trimEnd();
    return `${inside}${eol}${outer}${unit}${member(outer + unit)}${eol}${outer}${json.slice(endOf(parent) - 1)}`;
  }
  const comma = commaAfter(json, endOf(last));
  const start = comma === undefined ? endOf(last) : comma + 1;
  const isOneLine = !isFirstOfLine(json, last.offset);
  const indent = indentAt(json, last.offset);
  // A comment at the end of the line belongs to the member before.
  const [tail = ''] = isOneLine
    ? []
    : (/^[ \t]*(\/\/[^\n]*?|\/\*[^\n]*?\*\/[ \t]*)?(?=\r?\n)/.exec(json.slice(start)) ?? []);
  const before = json.slice(0, start) + (comma === undefined ? ',' : '') + tail;
  const between = isOneLine ? ' ' : eol + indent;
  const end = comma === undefined ? '' : ',';
  const text = isOneLine ? `${JSON.stringify(key)}: ${JSON.stringify(value)}` : member(indent);
  return before + between + text + end + json.slice(start + tail.length);
}

function wrapped(inner: unknown, key: string): unknown {
  return { [key]: inner };
}

function valueText(value: unknown, indent: string, { unit, eol }: Sheet): string {
  return JSON.stringify(value, null, unit)
    .split('\n')
    .join(eol + indent);
}

/** Joins the text before and after a removed member. Its line goes too, if nothing else is on it. */
function joined(before: string, after: string): string {
  const [indent = ''] = /[ \t]*$/.exec(before) ?? [];
  const line = before.slice(0, before.length - indent.length);
  const end = /^[ \t]*\r?\n/.exec(after)?.[0];
  if (line.endsWith('\n') && end !== undefined) return line + after.slice(end.length);
  return before + after.replace(/^[ \t]+/, '');
}

function commaAfter(json: string, position: number): number | undefined {
  const scanner = createScanner(json, true);
  scanner.setPosition(position);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return json[at] === ',' ? at : undefined;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function lineStart(json: string, offset: number): number {
  return json.lastIndexOf('\n', offset - 1) + 1;
}

function isFirstOfLine(json: string, offset: number): boolean {
  return json.slice(lineStart(json, offset), offset).trim() === '';
}

function indentAt(json: string, offset: number): string {
  return /^[ \t]*/.exec(json.slice(lineStart(json, offset), offset))?.[0] ?? '';
}

function withoutMark(text: string): { readonly mark: string; readonly json: string } {
  return text.startsWith(MARK) ? { mark: MARK, json: text.slice(MARK.length) } : { mark: '', json: text };
}

/** Returns the indentation of the first indented line. */
function unitOf(json: string): string {
  return /^([ \t]+)\S/m.exec(json)?.[1] ?? '  ';
}
