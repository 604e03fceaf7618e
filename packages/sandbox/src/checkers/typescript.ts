import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import pLimit from 'p-limit';
import { messageOf } from '../errors.ts';
import type { Checker, CheckProblem, CheckVerdict, ProgramTypes } from './checker.ts';
import { type Compiler, findCompiler, startCompiler } from './typescript/connection.ts';
import { type Outline, outlineOf } from './typescript/outline.ts';
import { type Diagnostic, problemOf } from './typescript/problems.ts';
import { createProject, type Project } from './typescript/project.ts';
import { collectTypes } from './typescript/reachable.ts';

class TookTooLong extends Error {}

/** Milliseconds for the start of the compiler, and for the check of one program. */
const START_TIMEOUT_MS = 10_000;
const CHECK_TIMEOUT_MS = 2_000;
/** Matches every program that can have a side effect. */
const REACHES_OUT = /\b(?:callMCPTool|run_skill|import)\b/;

/**
 * Creates a checker for TypeScript and JavaScript. It uses the native compiler in one child process, which the first check
 * starts, and which runs one check at a time. It restarts the process after a crash or a timeout.
 */
export function typescriptChecker(options: { readonly timeoutMs?: number } = {}): Checker {
  const { timeoutMs = CHECK_TIMEOUT_MS } = options;
  const api = readFileSync(new URL('../guest/javascript/api.d.ts', import.meta.url), 'utf8');
  let warm: { readonly compiler: Compiler; readonly project: Promise<Project> } | undefined;
  const oneByOne = pLimit(1);
  let missing: string | undefined;
  let closed = false;

  const start = () => {
    if (warm?.compiler.alive()) return warm;
    const files = new Map<string, string>();
    const program = findCompiler();
    const compiler = startCompiler(program, fileCallbacks(files, dirname(program)));
    warm = { compiler, project: within(createProject(compiler, files, api), START_TIMEOUT_MS, compiler) };
    return warm;
  };

  const run = async (source: string, outline: Outline, types: ProgramTypes): Promise<CheckVerdict> => {
    const { files, open, unknownTools } = await collectTypes(outline, types);
    return oneByOne(async () => {
      if (closed) return { skipped: 'the checker is closed' };
      const diagnoseOnce = async () => {
        const { compiler, project } = start();
        const { diagnose } = await project;
        return within(diagnose(outline.dialect, asModule(source, outline), files), timeoutMs, compiler);
      };
      const found = await diagnoseOnce().catch((error: unknown) => {
        // If the compiler has died since the last check, a new one runs this check.
        if (closed || error instanceof TookTooLong) throw error;
        return diagnoseOnce();
      });
      return { problems: problemsOf(found, { source, outline, open, unknownTools }) };
    });
  };

  return {
    isWorthIt: (source) => REACHES_OUT.test(source),
    async check(source, types, signal) {
      if (missing !== undefined) return { skipped: missing };
      if (closed) return { skipped: 'the checker is closed' };
      try {
        // The compiler starts in parallel: collecting the types may wait for servers.
        start().project.catch(() => undefined);
      } catch (error) {
        missing = messageOf(error);
        return { skipped: missing };
      }
      try {
        return await unlessAborted(run(source, outlineOf(source), types), signal);
      } catch (error) {
        return { skipped: messageOf(error) };
      }
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      warm?.compiler.kill();
    },
  };
}

function problemsOf(found: readonly Diagnostic[], context: Parameters<typeof problemOf>[1]): CheckProblem[] {
  const { outline, source } = context;
  const isOwn = /\b(?:const|let|var|function)\s+require\b/.test(source) || outline.dialect === 'ts';
  const requires = isOwn ? [] : outline.requires.map(({ start, end }) => ({ pos: start, end, code: 2304, text: '' }));
  return [...found, ...requires]
    .sort((a, b) => a.pos - b.pos)
    .flatMap((diagnostic) => {
      const problem = problemOf(diagnostic, context);
      return problem ? [{ ...problem, ...positionAt(context.source, diagnostic.pos) }] : [];
    });
}

/** Outside of functions, the compiler ignores the returned value. `throw ` has the same length as `return`. */
function asModule(source: string, { returns }: Outline): string {
  let text = source;
  for (const start of returns) text = `${text.slice(0, start)}throw ${text.slice(start + 'return'.length)}`;
  return text;
}

function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
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

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('cancelled'));
  });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    aborted.catch(() => undefined);
  }
}
