import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { type TransformFailure, type TransformOptions, transform } from 'esbuild';
import { SandboxError } from '../errors.ts';
import type { Language, PreparedSource, SourcePosition } from './language.ts';
import { blank, withoutFence } from './markdown-fence.ts';
import { checkNesting } from './nesting.ts';
import { type Edit, type ProgramShape, positionAt, RESULT_NAME, readShape } from './program-shape.ts';
import { typescriptFunctions } from './typescript-functions.ts';
import { typescriptModule } from './typescript-module.ts';

const RETURN_OPEN = 'return (';
const SHEBANG = /^\uFEFF?#!.*/;
const STRIP: TransformOptions = { loader: 'ts', format: 'esm', target: 'es2023', logLevel: 'silent' };

/**
 * Creates the TypeScript and JavaScript language. A program is the body of an async function: `return value`,
 * `export default value` or a last expression gives its result. Static imports, top-level `await` and types work. A Markdown
 * code fence around the whole program is ignored.
 */
export function typescriptLanguage(): Language {
  // Starts the compiler's process early, because its start is slow.
  void transform('', STRIP).catch(() => undefined);
  return {
    name: 'typescript',
    guest: 'javascript',
    prepare,
    prepareModule,
    functions: typescriptFunctions,
    moduleOf: typescriptModule,
  };
}

async function prepare(text: string): Promise<PreparedSource> {
  const source = withoutFence(text).replace(SHEBANG, blank);
  await checkNesting(source);
  const shape = readShape(source);
  const wrapped = wrap(source, shape);
  const { namespaces } = shape;
  const insertion = shape.lastExpression && positionAt(source, shape.lastExpression.start);
  const toAuthor = (line: number, column: number) => authorPosition(line, column, insertion);
  if (shape.dialect === 'javascript')
    return { guest: 'javascript', code: wrapped, source, namespaces, position: toAuthor };

  const { code, map } = await strip(wrapped, 'program.ts', -1, {
    loader: shape.dialect === 'newer' ? 'js' : 'ts',
    sourcemap: 'external',
  });
  let trace: TraceMap | undefined;
  return {
    guest: 'javascript',
    code,
    source,
    namespaces,
    position(line, column) {
      trace ??= new TraceMap(map);
      const original = originalPositionFor(trace, { line, column: column - 1 });
      return original.line === null ? undefined : toAuthor(original.line, original.column + 1);
    },
  };
}

async function prepareModule(source: string, path: string): Promise<string> {
  await checkNesting(source);
  return (await strip(source, path, 0, {})).code;
}

/** Adds one line before the program, so that every line of the author keeps its columns. */
function wrap(source: string, shape: ProgramShape): string {
  const { start, end } = shape.lastExpression ?? { start: 0, end: 0 };
  const edits: Edit[] = shape.lastExpression
    ? [...shape.edits, { start, end: start, text: RETURN_OPEN }, { start: end, end, text: ')' }]
    : [...shape.edits];
  let body = source;
  for (const edit of edits.sort((a, b) => b.start - a.start)) {
    body = body.slice(0, edit.start) + edit.text + body.slice(edit.end);
  }
  const result = shape.defaultName ?? RESULT_NAME;
  return `${shape.imports.join(';')};export default async () => { let ${RESULT_NAME};\n${body}\nreturn ${result};}`;
}

function authorPosition(line: number, column: number, insertion?: SourcePosition): SourcePosition | undefined {
  if (line < 2) return undefined;
  const shifted = insertion?.line === line - 1 && column > insertion.column;
  const back = shifted ? Math.min(RETURN_OPEN.length, column - insertion.column) : 0;
  return { line: line - 1, column: column - back };
}

async function strip(source: string, path: string, lineOffset: number, options: TransformOptions) {
  try {
    return await transform(source, { ...STRIP, ...options, sourcefile: path });
  } catch (error) {
    const first = (error as Partial<TransformFailure>).errors?.[0];
    if (!first) throw error;
    const line = (first.location?.line ?? 1) + lineOffset;
    const column = (first.location?.column ?? 0) + 1;
    throw new SandboxError('SYNTAX', `${first.text} at line ${line}, column ${column} of ${path}`, {
      details: { line, column },
    });
  }
}
