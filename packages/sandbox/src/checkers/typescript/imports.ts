/** A module that a program imports. */
export interface ModuleUse {
  readonly specifier: string;
  /** The import is an `import()`. The program may create the file before it runs. */
  readonly isDynamic: boolean;
}

/** The modules and tools that a program names. A check needs their types. */
export interface ProgramImports {
  readonly modules: readonly ModuleUse[];
  /** Tool names in the source. */
  readonly toolNames: readonly string[];
  /** Members of the global `servers` in the source. */
  readonly servers: readonly string[];
}

const SERVER_MODULE = /^(?:\.{0,2}\/)+servers\/([^/]+?)(?:\/index)?(?:\.[jt]s)?$/;

/** Returns the slug of the server whose module a specifier names. */
export function serverOf(specifier: string): string | undefined {
  return SERVER_MODULE.exec(specifier)?.[1];
}
