/** A generated text with the labels of its personal data. */
export interface LabelledDocument {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly { readonly start: number; readonly end: number; readonly type: string }[];
}
export const FAMILY_NAMES: readonly string[];
export function documents(family: string, count: number, seed: number): LabelledDocument[];
