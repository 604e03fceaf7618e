import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../errors.ts';
import { positionAt } from '../../languages/typescript/parse.ts';
import { declaresRequire } from '../../languages/typescript/requires.ts';
import type { CheckProblem } from '../checker.ts';
import { findCompiler } from './compiler.ts';
import { type Compiler, startCompiler } from './connection.ts';
import { type Outline, outlineOf } from './outline.ts';
import { type Diagnostic, type ProblemContext, problemOf } from './problems.ts';
import { createProject, type Project } from './project.ts';
import { checkedText } from './returned-value.ts';

/** A program and the types that it uses. */
export interface CheckRequest {
  readonly source: string;
  /** Texts by path. */
  readonly files: readonly (readonly [path: string, text: string])[];
  /** Specifiers of modules whose content is unknown, and slugs of such servers. */
  readonly open: readonly string[];
  readonly unknownTools: readonly string[];
  /** Milliseconds for the compiler. */
  readonly timeoutMs: number;
}

/** The problems of a program, or why there is no check. `missing` is final: the compiler is not installed. */
export type CheckAnswer =
  | { readonly problems: readonly CheckProblem[] }
  | { readonly skipped: 'missing' | 'time' | 'failed'; readonly reason: string };

class TookTooLong extends Error {}

const START_TIMEOUT_MS = 6_000;
/** Findings of the compiler that are read. */
const MAX_FINDINGS = 1_000;
const MAX_PROBLEMS = 50;

let warm: { readonly compiler: Compiler; readonly project: Promise<Project> } | undefined;

/** Checks a program with the native compiler in a child process, which the first check starts. Runs one check at a time. */
export async function checkTypescript(request: CheckRequest): Promise<CheckAnswer> {
  try {
    // The compiler starts while this process reads the program.
    startedCompiler().project.catch(() => undefined);
  } catch (error) {
    return { skipped: 'missing', reason: messageOf(error) };
  }
  try {
    const outline = outlineOf(request.source);
    const found = await diagnose(request, outline).catch((error: unknown) => {
      if (error instanceof TookTooLong) throw error;
      // The compiler has died since the last check: a new one runs this check.
      return diagnose(request, outline);
    });
    const { source, open, unknownTools } = request;
    const context = { source, outline, open: new Set(open), unknownTools: new Set(unknownTools) };
    return { problems: problemsOf(found, context) };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const skipped = error instanceof TookTooLong ? 'time' : 'failed';
    return { skipped, reason: messageOf(error) };
  }
}

async function diagnose({ source, files, timeoutMs }: CheckRequest, outline: Outline): Promise<readonly Diagnostic[]> {
  const { compiler, project } = startedCompiler();
  const { diagnose } = await project;
  const { text, offset } = checkedText(source, outline);
  const found = await within(diagnose(outline.dialect, text, new Map(files)), timeoutMs, compiler);
  return found.map((diagnostic) => ({ ...diagnostic, pos: offset(diagnostic.pos), end: offset(diagnostic.end) }));
}

function startedCompiler() {
  if (warm?.compiler.alive()) return warm;
  const [names, modules] = ['api', 'modules'].map((name) =>
    readFileSync(new URL(`../../guest/javascript/${name}.d.ts`, import.meta.url), 'utf8'),
  );
  const api = `${names}\n${modules}`;
  const files = new Map<string, string>();
  const program = findCompiler();
  const compiler = startCompiler(program, fileCallbacks(files, dirname(program)));
  warm = { compiler, project: within(createProject(compiler, files, api), START_TIMEOUT_MS, compiler) };
  return warm;
}

function problemsOf(found: readonly Diagnostic[], context: ProblemContext): CheckProblem[] {
  const { outline, source } = context;
  const requires = declaresRequire(source)
    ? []
    : outline.requires.map(({ start, end }) => ({ pos: start, end, code: 2304, text: '' }));
  const typed = [...found.slice(0, MAX_FINDINGS), ...requires].flatMap((diagnostic) => {
    const problem = problemOf(diagnostic, context);
    return problem ? [{ ...problem, pos: diagnostic.pos }] : [];
  });
  const idle = outline.idle.map(({ start: pos, end: _, ...problem }) => ({ ...problem, pos }));
  return [...typed, ...idle]
    .sort((a, b) => a.pos - b.pos)
    .slice(0, MAX_PROBLEMS)
    .map(({ pos, ...problem }) => ({ ...problem, ...positionAt(source, pos) }));
}

/** Answers the compiler's file requests: it sees the given files and its own libraries, and nothing else of the disk. */
function fileCallbacks(files: ReadonlyMap<string, string>, libraries: string) {
  const isVirtual = (path: string) => !path.startsWith(`${libraries.replaceAll('\\', '/')}/`);
  return {
    readFile: (path: string) => (isVirtual(path) ? { content: files.get(path) ?? null } : null),
    fileExists: (path: string) => (isVirtual(path) ? files.has(path) : null),
    directoryExists: (path: string) =>
      isVirtual(path) ? [...files.keys()].some((file) => file.startsWith(path === '/' ? path : `${path}/`)) : null,
    getAccessibleEntries: (path: string) => (isVirtual(path) ? { files: [], directories: [] } : null),
    realpath: (path: string) => (isVirtual(path) ? path : null),
  };
}

async function within<T>(work: Promise<T>, milliseconds: number, compiler: Compiler): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new TookTooLong('it took too long'));
      compiler.kill();
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
