import { parseSync, type Statement, visitorKeys } from 'oxc-parser';
import { SandboxError } from '../../errors.ts';
import type { SourcePosition } from '../language.ts';

/** A statement at the top level of a program. */
export type ProgramStatement = Statement | ReturnType<typeof parseSync>['program']['body'][number];

/** A program that was parsed. */
export interface ParsedProgram {
  /** TypeScript only if it is not JavaScript too. */
  readonly dialect: 'js' | 'ts';
  readonly body: readonly ProgramStatement[];
  /** Its first syntax error. */
  readonly problem?: SandboxError;
}

/** A node of a syntax tree whose kind is not known. */
export interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const RETURN_OUTSIDE_FUNCTION = /'return' statement can only be used within a function/;
const MAX_QUOTED_CHARACTERS = 120;
/** TypeScript syntax that may be JavaScript with another meaning: `f<a>(b)` compares twice. */
const AMBIGUOUS: ReadonlySet<string> = new Set([
  'TSTypeParameterInstantiation',
  'TSInstantiationExpression',
  'TSTypeAssertion',
]);

/**
 * Parses a program, which may have `return` outside of functions. TypeScript is tried first. As JavaScript, each of its type
 * annotations is an error that quotes the whole line: a long line takes gigabytes.
 */
export function parseProgram(source: string): ParsedProgram {
  const asTypescript = parseAs(source, 'ts');
  const isTypescript = asTypescript.problem === undefined && hasTypes(asTypescript.body);
  const asJavascript = isTypescript ? undefined : parseAs(source, 'js');
  return asJavascript && asJavascript.problem === undefined ? asJavascript : asTypescript;
}

/** Returns line and column, from 1, of an offset in a text. */
export function positionAt(text: string, offset: number): SourcePosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** Returns whether a value is a node of a syntax tree. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
}

/** Returns the name of an identifier; undefined for any other node. */
export function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined;
}

/** Yields all nodes of a syntax tree, the last ones first. */
export function* allNodes(body: readonly ProgramStatement[]): Generator<Node> {
  const waiting: unknown[] = [...body];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (!isNode(node)) continue;
    yield node;
    pushChildren(node, waiting);
  }
}

function pushChildren(node: Node, waiting: unknown[]): void {
  for (const key of visitorKeys[node.type] ?? []) {
    const child = node[key];
    if (Array.isArray(child)) for (const entry of child) waiting.push(entry);
    else waiting.push(child);
  }
}

function parseAs(source: string, dialect: ParsedProgram['dialect']): ParsedProgram {
  const parsed = parseSync(`program.${dialect}`, source, { lang: dialect, sourceType: 'module' });
  const error = parsed.errors.find(({ message }) => !RETURN_OUTSIDE_FUNCTION.test(message));
  const { body } = parsed.program;
  if (!error) return { dialect, body };
  const label = error.labels[0];
  const { line, column } = positionAt(source, label?.start ?? 0);
  const hint = [label?.message, error.helpMessage].filter(Boolean).join('. ');
  const text = source.split('\n')[line - 1] ?? '';
  const message = `${error.message}${hint ? ` (${hint})` : ''} at line ${line}, column ${column}: ${text.trim().slice(0, MAX_QUOTED_CHARACTERS)}`;
  return { dialect, body, problem: new SandboxError('SYNTAX', message, { details: { line, column } }) };
}

/** Returns whether a node is a type with a name of its own in the language: `any`, `string`, `unknown`. */
function isKeyword(node: unknown): boolean {
  return isNode(node) && /^TS\w+Keyword$/.test(node.type);
}

/** Returns whether a syntax tree has a node that only TypeScript has. */
function hasTypes(body: readonly ProgramStatement[]): boolean {
  const waiting: unknown[] = [...body];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (!isNode(node)) continue;
    if (node.type.startsWith('TS') && !AMBIGUOUS.has(node.type)) return true;
    if (node.type === 'TSTypeParameterInstantiation') {
      // `f<any>(b)`: no program compares with a variable of that name.
      if (Array.isArray(node.params) && node.params.some(isKeyword)) return true;
      continue;
    }
    pushChildren(node, waiting);
  }
  return false;
}
