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
  readonly reportsReads: boolean;
  /** The edits of the author's lines that change columns, in order. */
  readonly shifts: readonly Shift[];
  /** Source map from `code` to the wrapped program, when types were removed. */
  readonly map?: string;
}

/** An edit of a line: its position in the author's text, and the numbers of characters that it removed and added. */
export type Shift = SourcePosition & { readonly removed: number; readonly added: number };

/** The text before the last expression. */
export const RETURN_OPEN = 'return (';
