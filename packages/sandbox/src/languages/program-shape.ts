import { type ParserOptions, parseSync, type Statement } from 'oxc-parser';
import { SandboxError } from '../errors.ts';
import type { SourcePosition } from './language.ts';

/** A replacement of `source.slice(start, end)` that keeps the position of every line break. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The facts about a program that its wrapper depends on. */
export interface ProgramShape {
  /** Its dialect; `newer` is JavaScript with syntax that the guests' engines may not support. */
  readonly dialect: 'javascript' | 'newer' | 'typescript';
  /** The import statements as written, which go before the wrapper. */
  readonly imports: readonly string[];
  readonly namespaces: ReadonlyMap<string, string>;
  readonly edits: readonly Edit[];
  /** The last statement, if it is an expression that gives the result. */
  readonly lastExpression?: { readonly start: number; readonly end: number };
  /** Name of the declaration that `export default` makes the result. */
  readonly defaultName?: string;
}

/** A statement at the top level of a program. */
export type ProgramStatement = Statement | ReturnType<typeof parseSync>['program']['body'][number];

/** The variable that holds the value of `export default`. */
export const RESULT_NAME = '__toolwright_result';

const RETURN_OUTSIDE_FUNCTION = /'return' statement can only be used within a function/;

/** Matches decorators, `using` and `accessor`, and similar text. Such programs are compiled, which costs little. */
const NEWER_SYNTAX = /@|\busing\s|\baccessor\s/;
/** Matches strings, which are kept, and comments, which are removed. */
const STRING_OR_COMMENT = /("[^"]*"|'[^']*')|\/\/.*|\/\*[\s\S]*?\*\//g;

/** Reads a program's imports, exports and last expression. Raises `SYNTAX` if it cannot be parsed. */
export function readShape(source: string): ProgramShape {
  const plain = parseProgram(source, 'js').problem === undefined;
  const { body, problem } = parseProgram(source, plain ? 'js' : 'ts');
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
  const last = body.at(-1);
  return {
    dialect: !plain ? 'typescript' : NEWER_SYNTAX.test(source) ? 'newer' : 'javascript',
    imports,
    namespaces,
    edits,
    ...(last?.type === 'ExpressionStatement' && !hasDefault
      ? { lastExpression: { start: last.expression.start, end: last.expression.end } }
      : {}),
    ...(defaultName === undefined ? {} : { defaultName }),
  };
}

/** Returns line and column, from 1, of an offset in a text. */
export function positionAt(text: string, offset: number): SourcePosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** Parses a program, which may have `return` outside of functions; `problem` is the first syntax error. */
export function parseProgram(
  source: string,
  lang: NonNullable<ParserOptions['lang']>,
): { readonly body: readonly ProgramStatement[]; readonly problem?: SandboxError } {
  const parsed = parseSync(`program.${lang}`, source, { lang, sourceType: 'module' });
  const error = parsed.errors.find(({ message }) => !RETURN_OUTSIDE_FUNCTION.test(message));
  const { body } = parsed.program;
  if (!error) return { body };
  const label = error.labels[0];
  const { line, column } = positionAt(source, label?.start ?? 0);
  const hint = [label?.message, error.helpMessage].filter(Boolean).join('. ');
  const text = source.split('\n')[line - 1] ?? '';
  const message = `${error.message}${hint ? ` (${hint})` : ''} at line ${line}, column ${column}: ${text.trim().slice(0, 120)}`;
  return { body, problem: new SandboxError('SYNTAX', message, { details: { line, column } }) };
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
