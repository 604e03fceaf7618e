/** A text, or why there is none: nothing of that name is there, or it cannot be had now and may hold anything. */
export type TypeSource = { readonly text: string; readonly path: string } | 'missing' | 'unavailable';

/** The types of what a program can reach, asked for while it is checked. Nothing here may reject. */
export interface ProgramTypes {
  /** Declarations of `./servers/<slug>/index.js`. */
  server(slug: string): Promise<TypeSource>;
  /** What is known of tools by their names, as `callMCPTool` takes them. */
  tools(names: readonly string[]): Promise<ToolTypes>;
  /** A file that a program imports, by its guest path; `path` is the one that it has: `.ts` where `.js` was asked for. */
  file(path: string): Promise<TypeSource>;
}

/** What is known of some tools. */
export interface ToolTypes {
  /** Members of `interface ToolArguments` and `interface ToolResults`, and the types that they name. */
  readonly declarations: string;
  /** Names that are surely no tools. Of those that stand nowhere nothing is known. */
  readonly unknown: readonly string[];
}

/** The tool that a problem is about, as the program names it. */
export type ToolReference =
  | { readonly name: string }
  | {
      readonly server: string;
      /** What the server's module exports it as. */
      readonly exported: string;
    };

/** What a problem is, for whoever tells of it. */
export type ProblemKind =
  | 'unknown-tool'
  | 'unknown-name'
  | 'unknown-export'
  | 'unknown-module'
  | 'unknown-property'
  | 'missing-await'
  | 'wrong-argument'
  | 'other';

/** One mistake in a program: it would fail, or silently do nothing. */
export interface CheckProblem {
  readonly kind: ProblemKind;
  /** Place in the author's source, both from 1. */
  readonly line: number;
  readonly column: number;
  /** What is wrong, in a few words. */
  readonly message: string;
  /** The name that does not exist, as the author wrote it. */
  readonly name?: string;
  /** What is there instead, when it is nearly the same. */
  readonly suggestion?: string;
  /** The tool whose arguments or result it is about. */
  readonly tool?: ToolReference;
}

/** How a check ended; `skipped` tells why there was none. */
export type CheckVerdict = { readonly problems: readonly CheckProblem[] } | { readonly skipped: string };

/** Finds mistakes in programs of one language before they run. */
export interface Checker extends AsyncDisposable {
  /** Tells whether a program can do anything that cannot be undone: others fail at no cost when they run. */
  isWorthIt(source: string): boolean;
  /**
   * Checks a program. Resolves to problems in the order of the source, `skipped` when the check is not to be had, takes too
   * long, or is cancelled. Never rejects.
   */
  check(source: string, types: ProgramTypes, signal?: AbortSignal): Promise<CheckVerdict>;
}
