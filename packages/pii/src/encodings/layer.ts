import { byStart, inOrderSteps } from '../in-order.ts';
import { atOnce, PART_ITEMS, type Steps } from '../slices.ts';

/** A part of a text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** A replacement of a part of a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Set if the replaced part, or the new one, is a placeholder. */
  readonly wasPlaceholder?: boolean;
  readonly isPlaceholder?: boolean;
}

/** An encoded text inside of another text. */
export interface Layer {
  /** The offsets of the encoded form in the outer text. */
  readonly start: number;
  readonly end: number;
  /** The decoded text. */
  readonly text: string;
  /** Set for the string of a JSON document, without its quotes. */
  readonly isJsonString?: true;
  /** Returns the offset in the decoded text of an offset in the outer text. Absent if characters have no offsets. */
  readonly inner?: (outer: number) => number;
  /** Returns edits of the decoded text as edits of the outer text. */
  readonly lift: (edits: readonly Edit[]) => readonly Edit[];
}

/** Returns a text with its edits, which do not overlap and are in order. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  return atOnce(withEditsSteps(text, edits));
}

/** Returns the steps of {@link withEdits}. */
export function* withEditsSteps(text: string, edits: readonly Edit[]): Steps<string> {
  let whole = '';
  let at = 0;
  for (let first = 0; first < edits.length; first += PART_ITEMS) {
    if (first > 0) yield;
    const parts: string[] = [];
    for (const edit of edits.slice(first, first + PART_ITEMS)) {
      parts.push(text.slice(at, edit.start), edit.text);
      at = edit.end;
    }
    whole += parts.join('');
  }
  return whole + text.slice(at);
}

/** Returns the steps to the edits of a decoded text as edits of the outer text. */
export function* liftSteps(layer: Layer, edits: readonly Edit[]): Steps<Edit[]> {
  const lifted: Edit[] = [];
  // The edits of a string do not depend on each other. A block has one edit for all.
  const size = layer.isJsonString ? PART_ITEMS : Math.max(1, edits.length);
  for (let at = 0; at < edits.length; at += size) {
    if (at > 0) yield;
    for (const edit of layer.lift(edits.slice(at, at + size))) lifted.push(edit);
  }
  return lifted;
}

/** Returns the parts of a text, in order, that do not touch any of the others, which are in order. */
export function* outsideSteps<Part extends Range>(
  parts: readonly Part[],
  others: readonly Range[],
): Steps<readonly Part[]> {
  if (parts.length === 0 || others.length === 0) return parts;
  const kept: Part[] = [];
  let at = 0;
  for (const [index, part] of (yield* inOrderSteps(parts, byStart)).entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    while ((others[at]?.end ?? Number.POSITIVE_INFINITY) <= part.start) at++;
    if ((others[at]?.start ?? Number.POSITIVE_INFINITY) >= part.end) kept.push(part);
  }
  return kept;
}
