import type { SourcePosition } from '../language.ts';
import type { ProgramNames } from '../program-names.ts';

/** A prepared program as plain data, which crosses between processes. */
export interface PreparedText {
  readonly code: string;
  /** The author's text with blanks in place of a fence; absent if it is the text that was prepared. */
  readonly source?: string;
  readonly namespaces: readonly (readonly [local: string, path: string])[];
  readonly names: ProgramNames;
  readonly passesData: boolean;
  /** Position of the text that was inserted before the last expression. */
  readonly insertion?: SourcePosition;
  /** Source map from `code` to the wrapped program, when types were removed. */
  readonly map?: string;
}

/** The text before the last expression. */
export const RETURN_OPEN = 'return (';
