import { type Edit, liftSteps, outsideSteps, withEditsSteps } from '../encodings/layer.ts';
import { layerSteps, MAX_LAYERS, mayHaveEncoding } from '../encodings/layers.ts';
import { byStartAndLength, inOrderSteps } from '../in-order.ts';
import { PART_ITEMS, type Steps } from '../slices.ts';
import type { Finder, Match } from './matches.ts';
import { matchSteps, redactSteps } from './pieces.ts';

/** Returns the matches in a text and in its encoded texts. The match in an encoded run is the whole run. */
export function* allMatchSteps(finder: Finder, text: string): Steps<readonly Match[]> {
  const own = yield* matchSteps(finder, text);
  const inside = mayHaveEncoding(text) ? yield* innerMatches(finder, text, 0) : [];
  if (inside.length === 0) return own;
  const other = yield* outsideSteps(own, inside);
  return yield* inOrderSteps([...other, ...inside], byStartAndLength);
}

function* innerMatches(finder: Finder, text: string, depth: number): Steps<Match[]> {
  const matches: Match[] = [];
  if (depth >= MAX_LAYERS) return matches;
  for (const layer of yield* layerSteps(text)) {
    yield;
    const inner = mayHaveEncoding(layer.text) ? yield* innerMatches(finder, layer.text, depth + 1) : [];
    // The strings of JSON are read as a part of the text.
    const all = layer.isJsonString ? inner : [...(yield* matchSteps(finder, layer.text)), ...inner];
    for (const [index, { start, end, name }] of (layer.isJsonString ? all : all.slice(0, 1)).entries()) {
      if (index % PART_ITEMS === PART_ITEMS - 1) yield;
      for (const outer of layer.lift([{ start, end, text: '' }])) {
        matches.push({ start: outer.start, end: outer.end, name });
      }
    }
  }
  return matches;
}

/** Returns the steps to a text with placeholders for known values, also inside of encoded texts. */
export function* redactAllSteps(finder: Finder, text: string): Steps<string> {
  const isPlain = finder.reach() === 0 || !mayHaveEncoding(text);
  const edits = isPlain ? [] : yield* innerEdits(finder, text, 0);
  return yield* redactSteps(finder, edits.length === 0 ? text : yield* withEditsSteps(text, edits));
}

function* innerEdits(finder: Finder, text: string, depth: number): Steps<Edit[]> {
  const edits: Edit[] = [];
  if (depth >= MAX_LAYERS) return edits;
  for (const layer of yield* layerSteps(text)) {
    yield;
    const inner = mayHaveEncoding(layer.text) ? yield* innerEdits(finder, layer.text, depth + 1) : [];
    if (layer.isJsonString) {
      for (const edit of yield* liftSteps(layer, inner)) edits.push(edit);
      continue;
    }
    const redacted = yield* redactSteps(finder, yield* withEditsSteps(layer.text, inner));
    if (redacted === layer.text) continue;
    for (const edit of layer.lift([{ start: 0, end: layer.text.length, text: redacted }])) edits.push(edit);
  }
  return edits;
}
