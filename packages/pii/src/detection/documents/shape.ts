import { PART_ITEMS, type Steps } from '../../slices.ts';
import { mayListColumns } from '../hints/columns.ts';
import { type KeyFacts, keyFacts } from '../hints/key-facts.ts';

/** The facts of the keys of an object, in their order. They say nothing about its values. */
export interface Shape {
  readonly names: readonly string[];
  /** The keys whose values are evidence about the other entries, with their positions. */
  readonly evidence: readonly { readonly at: number; readonly facts: KeyFacts }[];
  /** Whether an entry may list the columns of a table. */
  readonly hasColumns: boolean;
}

/** Returns whether an object with these keys has a shape. */
export function isShapeOf(shape: Shape, names: readonly string[]): boolean {
  if (shape.names === names) return true;
  if (shape.names.length !== names.length) return false;
  for (let at = 0; at < names.length; at++) if (shape.names[at] !== names[at]) return false;
  return true;
}

/** Reads the facts of keys. */
export function* shapeSteps(names: readonly string[]): Steps<Shape> {
  const evidence: { at: number; facts: KeyFacts }[] = [];
  let hasColumns = false;
  for (let at = 0; at < names.length; at++) {
    if (at % PART_ITEMS === PART_ITEMS - 1) yield;
    const facts = keyFacts(names[at] ?? '');
    if (facts.isEvidence || facts.typeLabel) evidence.push({ at, facts });
    hasColumns ||= mayListColumns(facts.key);
  }
  return { names, evidence, hasColumns };
}
