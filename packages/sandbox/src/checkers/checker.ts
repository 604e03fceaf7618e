/** A text, `missing` if it does not exist, or `unavailable` if it cannot be read now and so may contain anything. */
export type TypeSource = { readonly text: string; readonly path: string } | 'missing' | 'unavailable';

/** Provides the types of servers, tools and files that a program uses. Its methods must not reject. */
export interface ProgramTypes {
  /** Returns the declarations of `./servers/<slug>/index.js`. */
  server(slug: string): Promise<TypeSource>;
  /** Returns the types of tools by their names, as `callMCPTool` accepts them. */
  tools(names: readonly string[]): Promise<ToolTypes>;
  /** Returns the declarations of a module of a package, by path: none if its types are unknown, undefined for no package. Default: no package. */
  readonly packageTypes?: ((specifier: string) => Promise<ReadonlyMap<string, string> | undefined>) | undefined;
  /** Returns an imported file by its guest path. `path` is its real path: `.ts` if the import has `.js`. */
  file(path: string): Promise<TypeSource>;
}

/** The types of some tools. */
export interface ToolTypes {
  /** Members of `interface ToolArguments` and `interface ToolResults`, and the types that they reference. */
  readonly declarations: string;
  /** Names that are certainly not tools. Nothing is known about names in neither list. */
  readonly unknown: readonly string[];
}

/** The tool that a problem concerns, as the program names it. */
export type ToolReference =
  | { readonly name: string }
  | {
      readonly server: string;
      /** Name of its export in the server's module. */
      readonly exported: string;
    };

/** The kind of a problem. */
export type ProblemKind =
  | 'unknown-tool'
  | 'unknown-name'
  | 'unknown-server'
  | 'unknown-export'
  | 'unknown-module'
  | 'unknown-property'
  | 'missing-await'
  | 'wrong-argument'
  | 'other';

/** One mistake in a program: it would fail, or silently have no effect. */
export interface CheckProblem {
  readonly kind: ProblemKind;
  /** Position in the author's source, both from 1. */
  readonly line: number;
  readonly column: number;
  /** Short description of the mistake. */
  readonly message: string;
  /** The name that does not exist, as the author wrote it. */
  readonly name?: string;
  /** The member that the program reads from the unknown name. */
  readonly member?: string;
  /** A similar name that exists. */
  readonly suggestion?: string;
  /** The repair, where the syntax shows it. */
  readonly fix?: string;
  /** The tool whose arguments or result the problem concerns. */
  readonly tool?: ToolReference;
  /** The arguments of the call, where the source shows their names. */
  readonly given?: GivenArguments;
}

/** The arguments of a call as the source shows them. */
export interface GivenArguments {
  /** The arguments whose values are literals. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The names of the other arguments. */
  readonly open: readonly string[];
}

/** How a check ended; `skipped` is the reason for which there was none. */
export type CheckVerdict = { readonly problems: readonly CheckProblem[] } | { readonly skipped: string };

/** Settings of one check. */
export interface CheckOptions {
  readonly signal?: AbortSignal;
  /** The owner of the program. Tenants take turns. */
  readonly tenant?: string;
}

/** Finds mistakes in programs of one language before they run. */
export interface Checker extends AsyncDisposable {
  /** Returns whether a program can have a side effect. The check of any other program is not worth its time. */
  isWorthIt(source: string): boolean;
  /**
   * Checks a program. Resolves to problems in the order of the source, or `skipped` when the check is not available, takes too
   * long, or is cancelled. Never rejects.
   */
  check(source: string, types: ProgramTypes, options?: CheckOptions): Promise<CheckVerdict>;
}
