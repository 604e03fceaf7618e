import type { ProgramFlow } from './flow/flow.ts';
import type { ProgramNames } from './program-names.ts';
import type { WatchedNames } from './typescript/watch/watch-runtime.ts';

/** The languages of programs, by the names that callers use. */
export const LANGUAGE_NAMES = ['typescript', 'python'] as const;

export type LanguageName = (typeof LANGUAGE_NAMES)[number];

const USUAL_NAMES: readonly (readonly [LanguageName, RegExp])[] = [
  ['typescript', /^(?:[cm]?[jt]sx?|(?:java|type|ecma)script|es\d*|esm|node(?:js)?|deno|bun)$/],
  ['python', /^(?:(?:c|i)?python|py)[\d.]*$/],
];

/** Returns the language of a usual name, such as `js`, `JavaScript`, `py` or `python3`; undefined for another language. */
export function languageNamed(name: string): LanguageName | undefined {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/^(?:text|application)\/(?:x-)?|^\./, '')
    .replace(/[\s_-]|\.js$/g, '');
  return USUAL_NAMES.find(([, names]) => names.test(plain))?.[0];
}

/** A program ready for a sandbox. */
export interface Program {
  /** The guest runtime that runs it. */
  readonly guest: 'javascript' | 'python';
  /** Source text for the guest runtime. */
  readonly code: string;
  /** Seed of the guest's random numbers, so that a run can be replayed. A 32-bit integer. */
  readonly seed: number;
  /** The guest's clock at its start, in milliseconds since the epoch. */
  readonly epochMs: number;
  /** Readings of the clock of a recorded run, which come first: a time in milliseconds, and how often it was read. Default: none. */
  readonly clock?: readonly number[];
  /** Whether the session keeps the top-level values of the program, and has those of earlier ones. Default: false. */
  readonly keeps?: boolean | undefined;
  /** Names of host functions that are global functions of the program. Each call is a tool call of this name. */
  readonly functions?: readonly string[];
}

/** A position in the author's source; both numbers start at 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A source text that was converted for a guest runtime. */
export interface PreparedSource {
  readonly guest: Program['guest'];
  readonly code: string;
  /** The author's text, with blanks in place of parts that are not code, such as a Markdown fence. */
  readonly source: string;
  /** Namespace imports (`import * as github from …`): the local name, and the module's path as written. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** The tools that the program names. */
  readonly names: ProgramNames;
  /** Whether the program only passes on the data that it receives, so that it does the same for any text. */
  readonly passesData: boolean;
  /** Whether it reports to the host each read of a text that may hold a placeholder. Without a report, it does the same for any text. */
  readonly reportsReads: boolean;
  /** Returns the position in the author's source for one in `code`; `undefined` for generated code. */
  position(line: number, column: number): SourcePosition | undefined;
}

/** How to prepare a program. */
export interface PrepareOptions {
  /** Whether it passes its top-level values to the guest. Default: false. */
  readonly keeps?: boolean | undefined;
  /** Whether its expressions stay as they are: it computes with the texts that it receives. Default: false. */
  readonly isPlain?: boolean;
}

/** A parameter of a function, read from its source. */
export interface ModuleParameter {
  readonly name: string;
  /** The type as written, or the type of the default value; absent if neither is known. */
  readonly type?: string;
  readonly isOptional: boolean;
}

/** A function that a module exports. */
export interface ModuleFunction {
  /** Its exported name: `default` for a default export. */
  readonly name: string;
  readonly parameters: readonly ModuleParameter[];
  /** Whether the function takes one object. Then `parameters` are its known members. */
  readonly takesObject: boolean;
  /** Type of the result, as written, without `Promise`. */
  readonly result?: string;
}

/**
 * A language of programs. Every method raises `SOURCE_TOO_COMPLEX` for a text that takes too much memory, time or depth to
 * read, and `LANGUAGE_SERVICE_BUSY` while too many texts wait.
 */
export interface Language {
  readonly name: LanguageName;
  /** The guest runtime that runs its programs. */
  readonly guest: Program['guest'];
  /**
   * Prepares a program for its guest runtime: its ordinary expressions on placeholders are computed on the host. Raises `SYNTAX`, with `line` and
   * `column` in the details.
   */
  prepare(source: string, options?: PrepareOptions): Promise<PreparedSource>;
  /**
   * Returns a program that does the same, and logs each operation that reads the text of a watched placeholder: the marker, and
   * `line 3: .slice`. Raises `SYNTAX`.
   */
  watched(source: string, watched: WatchedNames): Promise<string>;
  /** Converts the text of a module file (a skill, a workspace file) for the guest runtime. Raises `SYNTAX`. */
  prepareModule(source: string, path: string): Promise<string>;
  /** Returns the flow of data through a program. Absent for a language without this analysis: everything can reach each value. */
  flow?(source: string): Promise<ProgramFlow>;
  /** Returns the tools that the text of a module names; none if the text has a syntax error. */
  names(source: string): Promise<ProgramNames>;
  /** Returns the first functions that a module exports, read from its text; none if the text has a syntax error. */
  functions(source: string): Promise<readonly ModuleFunction[]>;
  /**
   * Converts a program to a module whose main function does the same. The top-level constants named in `parameters` become
   * arguments with these defaults. Raises `SYNTAX`, and `INVALID_ARGUMENTS` for a parameter that is not such a constant and
   * for an import that other programs do not have.
   */
  moduleOf(program: string, options: ModuleOptions): Promise<string>;
  /** Returns the same language for the texts of one tenant. Tenants take turns, so that none delays the others. */
  forTenant(tenant: string): Language;
}

/** How to convert a program to a module. */
export interface ModuleOptions {
  /** Description of the main function, for its doc comment. */
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}
