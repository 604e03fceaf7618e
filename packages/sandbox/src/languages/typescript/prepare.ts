import type { TransformFailure, TransformOptions } from 'esbuild';
import { SandboxError } from '../../errors.ts';
import type { PrepareOptions } from '../language.ts';
import { blank, withoutFence } from '../markdown-fence.ts';
import { asEsModule } from './commonjs.ts';
import { computedEdits } from './computed/computed.ts';
import { mayBeInexact, requireExactLiterals } from './exact-literals.ts';
import { namesOf } from './names.ts';
import { parseProgram, positionAt } from './parse.ts';
import { passesData, reportsReads } from './passes-data.ts';
import { type PreparedText, RETURN_OPEN, type Shift } from './prepared-text.ts';
import { mixedLanguages } from './recognition.ts';
import { applyEdits, type Edit, type ProgramShape, RESULT_NAME, readShape } from './shape.ts';
import { KEEP_NAME, type KeptPrelude, keptPrelude } from './top-level.ts';

/** The first line of a script. */
export const SHEBANG = /^\uFEFF?#!.*/;
const STRIP: TransformOptions = { loader: 'ts', format: 'esm', target: 'es2023', logLevel: 'silent', logLimit: 1 };

/** Decorators and accessors: the compiler renames their classes, and `name` would show it. */
const RENAMES_CLASSES = /@[\w$(]|\baccessor\s/;

/** Prepares a TypeScript or JavaScript program: see `Language.prepare`. */
export async function prepareTypescript(
  text: string,
  { keeps = false, isPlain = false }: PrepareOptions = {},
): Promise<PreparedText> {
  const source = withoutFence(text).replace(SHEBANG, blank);
  const parsed = parseProgram(source);
  if (parsed.problem) throw mixedProblem(source, parsed.problem);
  requireExactLiterals(source, parsed);
  const shape = readShape(source, parsed);
  const passes = passesData(parsed);
  const reports = !isPlain && !passes && reportsReads(parsed);
  const edits = bodyEdits(shape, isPlain || passes ? [] : computedEdits(source, parsed, reports));
  const wrapped = wrap(applyEdits(source, edits), shape, keeps ? keptPrelude(parsed) : undefined);
  const facts = {
    source: source === text ? undefined : source,
    namespaces: [...shape.namespaces],
    names: namesOf(parsed),
    passesData: passes,
    reportsReads: reports,
    shifts: shiftsOf(source, edits),
  };
  if (shape.dialect === 'javascript') return { ...facts, code: wrapped };
  const { code, map } = await strip(wrapped, 'program.ts', -1, {
    loader: shape.dialect === 'newer' ? 'js' : 'ts',
    keepNames: RENAMES_CLASSES.test(source),
    sourcemap: 'external',
    sourcesContent: false,
  });
  return { ...facts, code, map };
}

/** Returns the error of a text that cannot be read. */
function mixedProblem(source: string, problem: SandboxError): SandboxError {
  const message = mixedLanguages(source);
  return message === undefined ? problem : new SandboxError('SYNTAX', message, { details: problem.details });
}

/** Removes the types of a module, and converts CommonJS: see `Language.prepareModule`. */
export async function prepareTypescriptModule(source: string, path: string): Promise<string> {
  const { code } = await strip(asEsModule(source), path, 0, {});
  if (!mayBeInexact(source)) return code;
  const parsed = parseProgram(source);
  if (parsed.problem === undefined) requireExactLiterals(source, parsed, path);
  return code;
}

/** Returns the edits of a program. Of those at one place, the first is outside at its start, and the last at its end. */
function bodyEdits({ lastExpression, edits }: ProgramShape, computed: readonly Edit[]): Edit[] {
  if (!lastExpression) return [...computed, ...edits];
  const { start, end } = lastExpression;
  return [{ start, end: start, text: RETURN_OPEN }, ...computed, ...edits, { start: end, end, text: ')' }];
}

function shiftsOf(source: string, edits: readonly Edit[]): Shift[] {
  const moving = edits.filter(({ start, end, text }) => text.length !== end - start);
  return moving
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map(({ start, end, text }) => ({ ...positionAt(source, start), removed: end - start, added: text.length }));
}

/** Adds one line before the program, so that every line of the author keeps its columns. */
function wrap(body: string, shape: ProgramShape, kept?: KeptPrelude): string {
  const result = shape.defaultName ?? RESULT_NAME;
  const head =
    kept === undefined
      ? 'export default async () => {'
      : `${kept.exports}export default async (${KEEP_NAME}) => { ${kept.start}`;
  return `${shape.imports.join(';')};${head} let ${RESULT_NAME};\n${body}\nreturn ${result};}`;
}

async function strip(source: string, path: string, lineOffset: number, options: TransformOptions) {
  // Only TypeScript needs the compiler.
  const { transform } = await import('esbuild');
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
