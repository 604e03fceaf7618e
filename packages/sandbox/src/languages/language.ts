/** The languages that authors write in, by the names that callers use. */
export const LANGUAGE_NAMES = ['typescript', 'python'] as const;

export type LanguageName = (typeof LANGUAGE_NAMES)[number];

/** A program ready for a sandbox. */
export interface Program {
  /** Which guest runtime runs it. */
  readonly guest: 'javascript' | 'python';
  /** Source text as it will run. */
  readonly code: string;
  /** Seed of the guest's random numbers, so that a run can be replayed. A 32-bit integer. */
  readonly seed: number;
  /** What the guest's clock shows at its start, milliseconds since the epoch. */
  readonly epochMs: number;
  /** Names of host functions that are global functions of the program. Each call is a tool call of this name. */
  readonly functions?: readonly string[];
}

/** A place in the author's source; both numbers start at 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A source text that was turned into something a guest runtime can run. */
export interface PreparedSource {
  readonly guest: Program['guest'];
  readonly code: string;
  /** The author's text, with blanks where it is no code: in place of a fence around it, for instance. */
  readonly source: string;
  /** Names that stand for a whole module (`import * as github from …`), with the module's path as written. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Maps a place in `code` to the author's source; undefined for what is not the author's. */
  position(line: number, column: number): SourcePosition | undefined;
}

/** A parameter of a function, as its text tells. */
export interface ModuleParameter {
  readonly name: string;
  /** As written, or told by a default value; absent where neither says anything. */
  readonly type?: string;
  readonly isOptional: boolean;
}

/** A function that a module exports. */
export interface ModuleFunction {
  /** Its exported name: `default` for a default export. */
  readonly name: string;
  readonly parameters: readonly ModuleParameter[];
  /** The function takes one object; `parameters` are its members, as far as they are known. */
  readonly takesObject: boolean;
  /** Type of the result, as written, without the promise around it. */
  readonly result?: string;
}

/** A language that authors write in. */
export interface Language {
  readonly name: LanguageName;
  /** The guest runtime that runs its programs. */
  readonly guest: Program['guest'];
  /** Prepares a program. Raises `SYNTAX`, with `line` and `column` in the details. */
  prepare(source: string): Promise<PreparedSource>;
  /** Turns the text of a module file (a skill, a workspace file) into what the guest imports. Raises `SYNTAX`. */
  prepareModule(source: string, path: string): Promise<string>;
  /** The functions that a module exports, read from its text; none when it cannot be parsed. */
  functions(source: string): Promise<readonly ModuleFunction[]>;
  /**
   * Makes a module of a program: its main function does what the program did. Constants at its top level that `parameters`
   * names become arguments with these defaults. Raises `SYNTAX`, and `INVALID_ARGUMENTS` for a parameter that is no such
   * constant and for an import that other programs do not have.
   */
  moduleOf(program: string, options: ModuleOptions): Promise<string>;
}

/** How a program becomes a module. */
export interface ModuleOptions {
  /** What the main function does, for its comment. */
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}
