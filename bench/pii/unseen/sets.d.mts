import type { LabelledDocument } from '../documents.d.mts';

export const SETS: readonly string[];
export function unseenDocuments(
  set: string,
  half: 'tune' | 'heldOut',
  count: number,
  seed: number,
): Omit<LabelledDocument, 'id'>[];
