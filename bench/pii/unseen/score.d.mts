import type { LabelledDocument } from '../documents.d.mts';

/** Percentages of findings that match labels by type and position. */
export interface Score {
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  readonly leak: number;
  readonly types: Readonly<Record<string, number>>;
  readonly errors: readonly string[];
}
export function score(
  documents: readonly Omit<LabelledDocument, 'id'>[],
  detect: (text: string) => readonly { readonly start: number; readonly end: number; readonly type: string }[],
  more?: readonly string[],
): Score;
