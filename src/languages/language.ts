/** A program ready for a sandbox. */
export interface Program {
  /** Which guest runtime runs it. */
  readonly guest: 'javascript' | 'python';
  /** Source text as it will run. */
  readonly code: string;
  /** Seed of the guest's `Math.random`, so that a run can be replayed. */
  readonly seed: number;
  /** What the guest's clock shows at its start, milliseconds since the epoch. */
  readonly epochMs: number;
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
  /** Maps a place in `code` to the author's source; undefined for lines that are not the author's. */
  position(line: number, column: number): SourcePosition | undefined;
}

/** A language that authors write in. */
export interface Language {
  readonly name: 'typescript' | 'python';
  /** Raises `SYNTAX` with line and column, or `SOURCE_TOO_LARGE` never: sizes are the execution's business. */
  prepare(source: string): Promise<PreparedSource>;
}
