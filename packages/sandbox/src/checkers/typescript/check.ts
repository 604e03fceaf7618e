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
import { checkedText, RESULT_DECLARATIONS, RESULT_TYPES } from './returned-value.ts';
import { TOOL_TYPES } from './tool-types.ts';

/** The only project of a compiler. It holds one program at a time. */
export interface Project {
  /** Returns all findings for a program together with these files. Call it once at a time. */
  diagnose(dialect: 'js' | 'ts', source: string, files: ReadonlyMap<string, string>): Promise<readonly Diagnostic[]>;
}

const CONFIG = '/tsconfig.json';
const API = '/toolwright/api.d.ts';
/** The project always has both files, so that it never changes. The unused one is empty. */
const PROGRAMS = { js: '/program.js', ts: '/program.ts' } as const;
const TYPES = [API, RESULT_TYPES, TOOL_TYPES];
const EMPTY = 'export {};\n';
const NO_TOOLS =
  'interface ToolArguments {}\ninterface ToolResults {}\ninterface UnknownTools {}\ninterface ToolwrightServers {}\n';

/** Lenient options: optional values may be used, values without a type are `any`. */
const OPTIONS = {
  strict: false,
  allowJs: true,
  checkJs: true,
  noEmit: true,
  target: 'esnext',
  lib: ['esnext'],
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  allowImportingTsExtensions: true,
  types: [],
  skipLibCheck: true,
};

interface Snapshot {
  readonly snapshot: number;
  readonly projects: readonly { readonly id: string }[];
}

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
  const api = ['api', 'modules'].map((name) =>
    readFileSync(new URL(`../../guest/javascript/${name}.d.ts`, import.meta.url), 'utf8'),
  );
  // Each module of Node has a name without `node:` too.
  for (const [, name] of api.join('').matchAll(/^declare module 'node:(.+)'/gm))
    api.push(`declare module '${name}' { export * from 'node:${name}'; export { default } from 'node:${name}'; }`);
  const files = new Map<string, string>();
  const program = findCompiler();
  const compiler = startCompiler(program, fileCallbacks(files, dirname(program)));
  warm = { compiler, project: within(createProject(compiler, files, api.join('\n')), START_TIMEOUT_MS, compiler) };
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

/** Opens the project. `present` contains the files that the compiler sees on its disk. */
export async function createProject(compiler: Compiler, present: Map<string, string>, api: string): Promise<Project> {
  const own = new Map([
    [CONFIG, JSON.stringify({ compilerOptions: OPTIONS, files: [...Object.values(PROGRAMS), ...TYPES] })],
    [API, api],
    [RESULT_TYPES, RESULT_DECLARATIONS],
  ]);
  const request = async <T>(method: string, parameters: unknown) => (await compiler.request(method, parameters)) as T;
  const fill = (files: ReadonlyMap<string, string>) => {
    const all = new Map([...own, [TOOL_TYPES, NO_TOOLS], ...files]);
    const changed: string[] = [];
    const created: string[] = [];
    const deleted = [...present.keys()].filter((path) => !all.has(path));
    for (const path of deleted) present.delete(path);
    for (const [path, text] of all) {
      if (present.get(path) === text) continue;
      (present.has(path) ? changed : created).push(path);
      present.set(path, text);
    }
    return { changed, created, deleted };
  };

  fill(new Map(Object.values(PROGRAMS).map((path) => [path, EMPTY])));
  await request('initialize', null);
  let current = await request<Snapshot>('updateSnapshot', { openProjects: [CONFIG] });
  return {
    async diagnose(dialect, source, files) {
      const programs = Object.entries(PROGRAMS).map(([kind, path]): [string, string] => [
        path,
        kind === dialect ? source : EMPTY,
      ]);
      const fileChanges = fill(new Map([...files, ...programs]));
      const next = await request<Snapshot>('updateSnapshot', { fileChanges });
      await request('release', { snapshot: current.snapshot });
      current = next;
      const project = next.projects[0]?.id;
      return request('getSemanticDiagnostics', { snapshot: next.snapshot, project, file: PROGRAMS[dialect] });
    },
  };
}
