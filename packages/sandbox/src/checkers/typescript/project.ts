import type { Compiler } from './connection.ts';
import type { Diagnostic } from './problems.ts';
import { RESULT_DECLARATIONS, RESULT_TYPES } from './returned-value.ts';
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
