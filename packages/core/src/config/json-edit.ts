import { applyEdits, createScanner, type FormattingOptions, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';

const MARK = '\uFEFF';

/** Sets one member of an object in JSON with comments. All other text stays. */
export function withMember(text: string, path: readonly string[], value: unknown): string {
  const { mark, json } = withoutMark(text);
  return mark + applyEdits(json, modify(json, [...path], value, { formattingOptions: formatOf(json) }));
}

/** Removes one member of an object in JSON with comments, if it exists. All other text stays, comments included. */
export function withoutMember(text: string, path: readonly string[]): string {
  const { mark, json } = withoutMark(text);
  const tree = parseTree(json, [], { allowTrailingComma: true });
  const member = tree && findNodeAtLocation(tree, [...path])?.parent;
  const members = member?.parent?.children;
  if (member === undefined || members === undefined) return text;
  const end = member.offset + member.length;
  const comma = commaAfter(json, end);
  const previous = members[members.indexOf(member) - 1];
  // Without a comma after the last member, the comma before it would be an error in strict JSON.
  const before = comma === undefined && previous ? commaAfter(json, previous.offset + previous.length) : undefined;
  const kept = before === undefined ? json.slice(0, member.offset) : without(json.slice(0, member.offset), before);
  const rest = json.slice((comma ?? end - 1) + 1);
  return mark + joined(kept, rest);
}

/** Joins the text before and after a removed member. Its line goes too, if nothing else is on it. */
function joined(before: string, after: string): string {
  const [indent = ''] = /[ \t]*$/.exec(before) ?? [];
  const line = before.slice(0, before.length - indent.length);
  const end = /^[ \t]*\r?\n/.exec(after)?.[0];
  if (line.endsWith('\n') && end !== undefined) return line + after.slice(end.length);
  return before + after.replace(/^[ \t]+/, '');
}

function without(text: string, at: number): string {
  return text.slice(0, at) + text.slice(at + 1);
}

function commaAfter(json: string, position: number): number | undefined {
  const scanner = createScanner(json, true);
  scanner.setPosition(position);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return json[at] === ',' ? at : undefined;
}

function withoutMark(text: string): { readonly mark: string; readonly json: string } {
  return text.startsWith(MARK) ? { mark: MARK, json: text.slice(MARK.length) } : { mark: '', json: text };
}

/** Returns the format of a JSON text: its line ends, and the indentation of its first indented line. */
function formatOf(json: string): FormattingOptions {
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(json) ?? [];
  const insertSpaces = !indent.startsWith('\t');
  return { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol: json.includes('\r\n') ? '\r\n' : '\n' };
}
