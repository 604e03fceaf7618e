import { SandboxError } from '../../errors.ts';
import { type ParsedProgram, parseProgram, positionAt } from './parse.ts';
import { convertRequires } from './requires.ts';

/** A replacement of `source.slice(start, end)` that keeps the position of every line break. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns a text with replacements, which do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join('') + text.slice(at);
}

/** The facts about a program that its wrapper depends on. */
export interface ProgramShape {
  /** Its dialect; `newer` is JavaScript with syntax that the guests' engines may not support. */
  readonly dialect: 'javascript' | 'newer' | 'typescript';
  /** The import statements as written, and those for calls of `require`, which go before the wrapper. */
  readonly imports: readonly string[];
  readonly namespaces: ReadonlyMap<string, string>;
  readonly edits: readonly Edit[];
  /** The last statement, if it is an expression that gives the result. */
  readonly lastExpression?: { readonly start: number; readonly end: number };
  /** Name of the declaration that `export default` makes the result. */
  readonly defaultName?: string;
}

/** The variable that holds the value of `export default`. */
export const RESULT_NAME = '__toolwright_result';

/** Matches decorators, `using` and `accessor`, and similar text. Such programs are compiled, which costs little. */
const NEWER_SYNTAX = /@|\busing\s|\baccessor\s/;
/** Matches strings, which are kept, and comments, which are removed. */
const STRING_OR_COMMENT = /("[^"]*"|'[^']*')|\/\/.*|\/\*[\s\S]*?\*\//g;

/** Reads a program's imports, exports and last expression. Raises `SYNTAX` if it cannot be parsed. */
export function readShape(source: string, parsed: ParsedProgram = parseProgram(source)): ProgramShape {
  const { body, problem, dialect } = parsed;
  if (problem) throw problem;

  const imports: string[] = [];
  const namespaces = new Map<string, string>();
  const edits: Edit[] = [];
  let defaultName: string | undefined;
  let hasDefault = false;
  const blank = (start: number, end: number) => edits.push({ start, end, text: blankText(source.slice(start, end)) });

  for (const node of body) {
    if (node.type === 'ImportDeclaration') {
      imports.push(onOneLine(source.slice(node.start, node.end)));
      blank(node.start, node.end);
      for (const specifier of node.specifiers) {
        if (specifier.type !== 'ImportSpecifier') namespaces.set(specifier.local.name, node.source.value);
      }
    } else if (node.type === 'TSModuleDeclaration') {
      if (!node.declare) throw noNamespaces(source, node.start);
      blank(node.start, node.end);
    } else if (node.type === 'ExportNamedDeclaration') {
      if (node.declaration?.type === 'TSModuleDeclaration') throw noNamespaces(source, node.start);
      const asDefault = node.specifiers.find(({ exported }) => 'name' in exported && exported.name === 'default');
      if (asDefault?.local.type === 'Identifier' && !node.source) {
        hasDefault = true;
        defaultName = asDefault.local.name;
      }
      blank(node.start, node.declaration?.start ?? node.end);
    } else if (node.type === 'ExportAllDeclaration') {
      blank(node.start, node.end);
    } else if (node.type === 'ExportDefaultDeclaration') {
      hasDefault = true;
      const { declaration } = node;
      const named = 'id' in declaration && declaration.type.endsWith('Declaration') ? declaration.id : undefined;
      if (named) {
        defaultName = named.name;
        blank(node.start, declaration.start);
      } else {
        edits.push({ start: node.start, end: declaration.start, text: `${RESULT_NAME} = ` });
        // A declaration needs no semicolon, but the assignment that replaces it does.
        if (declaration.type.endsWith('Declaration')) {
          edits.push({ start: declaration.end, end: declaration.end, text: ';' });
        }
      }
    }
  }
  const required = convertRequires(source, body);
  const last = body.at(-1);
  return {
    dialect: dialect === 'ts' ? 'typescript' : NEWER_SYNTAX.test(source) ? 'newer' : 'javascript',
    imports: [...imports, ...required.imports],
    namespaces,
    edits: [...edits, ...required.edits],
    lastExpression:
      last?.type === 'ExpressionStatement' && !hasDefault
        ? { start: last.expression.start, end: last.expression.end }
        : undefined,
    defaultName,
  };
}

function onOneLine(statement: string): string {
  return statement
    .replaceAll(STRING_OR_COMMENT, (_all, kept: string | undefined) => kept ?? ' ')
    .replaceAll(/\s+/g, ' ');
}

function noNamespaces(source: string, offset: number): SandboxError {
  const { line, column } = positionAt(source, offset);
  const message = `Namespaces are not supported, use an object or a module, at line ${line}, column ${column}.`;
  return new SandboxError('SYNTAX', message, { details: { line, column } });
}

function blankText(text: string): string {
  return text.replaceAll(/[^\n\r]/g, ' ');
}
