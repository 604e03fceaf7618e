import { parseSync } from 'oxc-parser';

/** A function of a source text: its name, if it has one, and its length. */
export interface FunctionLength {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string };
}

/** Returns all functions of a TypeScript or JavaScript text, including nested ones. */
export function functionsOf(path: string, text: string): FunctionLength[] {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineOf = (offset: number) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const found: FunctionLength[] = [];
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, name);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const node = value as Node;
    const own = node.id?.name ?? node.key?.name ?? name;
    if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) {
      const line = lineOf(node.start);
      found.push({ name: own, line, lines: lineOf(node.end) - line + 1 });
    }
    for (const child of Object.values(value)) visit(child, own);
  };
  visit(parseSync(path, text).program, '');
  return found;
}

/** Returns all functions of a Python text, by their indentation. */
export function pythonFunctionsOf(text: string): FunctionLength[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const [, indent, name] = /^(\s*)(?:async )?def (\w+)/.exec(line) ?? [];
    if (indent === undefined || name === undefined) return [];
    const rest = lines.slice(index + 1);
    const end = rest.findIndex(
      (next) => next.trim() !== '' && !/^\s*[)\]]/.test(next) && indentOf(next) <= indent.length,
    );
    return [{ name, line: index + 1, lines: (end === -1 ? rest.length : end) + 1 }];
  });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
