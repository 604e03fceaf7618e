import { byStart, inOrderSteps } from '../in-order.ts';
import { type LookAlike, placeholderSteps, readPlaceholders } from '../placeholder.ts';
import { PART_ITEMS, type Steps } from '../slices.ts';
import { encodedPlaceholderSteps } from './escapes.ts';
import { type Edit, type Layer, liftSteps, outsideSteps, withEditsSteps } from './layer.ts';
import { layerSteps, MAX_LAYERS, mayHaveEncoding } from './layers.ts';

/** The new form of a placeholder. */
export interface Rewriting {
  /** Returns the text in place of a placeholder or escaped placeholder, or undefined to keep it. */
  readonly replace: (found: LookAlike, text: string) => string | undefined;
  /** Set if the new form is a placeholder too. */
  readonly isPlaceholder: (found: LookAlike) => boolean;
  /** Returns the JSON number in place of a string that is only this placeholder. */
  readonly number?: (text: string) => number | bigint | undefined;
  /** Receives each decoded text. */
  readonly visit?: (text: string) => void;
}

/** Edits that are made between two yields: a new form can take some 10 µs. */
const FEW_EDITS = 32;

/** Returns a text with new forms of its placeholders, also inside of encoded texts, which are encoded again. */
export function* rewriteSteps(text: string, types: ReadonlySet<string>, rewriting: Rewriting): Steps<string> {
  const edits = yield* editSteps(text, types, rewriting, 0);
  return edits.length === 0 ? text : yield* withEditsSteps(text, edits);
}

/** Returns the edits that {@link rewriteSteps} makes. */
export function* editSteps(
  text: string,
  types: ReadonlySet<string>,
  rewriting: Rewriting,
  depth: number,
): Steps<readonly Edit[]> {
  const isDeep = depth >= MAX_LAYERS || !mayHaveEncoding(text);
  const layers = isDeep ? [] : yield* layerSteps(text);
  const edits: Edit[] = [];
  for (const [index, layer] of layers.entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    for (const edit of yield* layerEdits(layer, types, rewriting, depth + 1)) edits.push(edit);
  }
  const own = yield* outsideSteps(yield* ownEdits(text, types, rewriting), layers);
  if (own.length === 0) return edits;
  return edits.length === 0 ? own : yield* inOrderSteps([...edits, ...own], byStart);
}

/** Returns the edits of a layer in the outer text. */
export function* layerEdits(
  layer: Layer,
  types: ReadonlySet<string>,
  rewriting: Rewriting,
  depth: number,
): Steps<readonly Edit[]> {
  if (layer.isJsonString) {
    const number = rewriting.number?.(layer.text);
    // The number replaces the quotes, too.
    if (number !== undefined) return [{ start: layer.start - 1, end: layer.end + 1, text: String(number) }];
  } else rewriting.visit?.(layer.text);
  const edits = yield* editSteps(layer.text, types, rewriting, depth);
  return edits.length === 0 ? edits : yield* liftSteps(layer, edits);
}

/** Returns the edits of the placeholders of a text itself, with plain or encoded brackets, in order. */
export function* ownEdits(text: string, types: ReadonlySet<string>, rewriting: Rewriting): Steps<readonly Edit[]> {
  const edits: Edit[] = [];
  for (const [index, found] of (yield* placeholderSteps(text, types)).entries()) {
    if (index % FEW_EDITS === FEW_EDITS - 1) yield;
    const replaced = rewriting.replace(found, text);
    if (replaced === undefined) continue;
    const { start, end } = found;
    edits.push({ start, end, text: replaced, wasPlaceholder: true, isPlaceholder: rewriting.isPlaceholder(found) });
  }
  const plain = edits.length;
  for (const [index, one] of (yield* encodedPlaceholderSteps(text)).entries()) {
    if (index % FEW_EDITS === FEW_EDITS - 1) yield;
    const { start, end, plain: name, encode, ...forms } = one;
    const [found] = readPlaceholders(name, types);
    if (found === undefined || found.start !== 0 || found.end !== name.length) continue;
    const replaced = rewriting.replace(found, name);
    if (replaced === undefined) continue;
    const placed = replaced.length > name.length ? forms.escaped : forms.unescaped;
    edits.push({ start, end, text: rewriting.isPlaceholder(found) ? placed : encode(replaced) });
  }
  return plain === 0 || plain === edits.length ? edits : yield* inOrderSteps(edits, byStart);
}
