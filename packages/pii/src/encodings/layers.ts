import { mayHavePlaceholder } from '../placeholder.ts';
import type { Steps } from '../slices.ts';
import { blockSteps, mayHaveBlock } from './blocks.ts';
import { encodedWords } from './encoded-words.ts';
import { mayHaveEncodedBracket } from './escapes.ts';
import { looksLikeJson, stringLayer, tokenSteps } from './json-strings.ts';
import type { Layer } from './layer.ts';

/** The deepest encoding in an encoding that is read. */
export const MAX_LAYERS = 16;

/** Returns whether a text may contain an encoded text, or a placeholder with encoded brackets. */
export function mayHaveEncoding(text: string): boolean {
  return mayHaveBlock(text) || mayHaveEncodedBracket(text) || text.includes('=?') || looksLikeJson(text);
}

/** Returns the encoded texts in a text, in order and without overlaps: the strings of JSON, or else encoded runs. */
export function* layerSteps(text: string): Steps<Layer[]> {
  if (!looksLikeJson(text)) return yield* runSteps(text);
  const layers: Layer[] = [];
  const tokens = yield* tokenSteps(text);
  for (const token of tokens) {
    if (token.isNumber) continue;
    const source = text.slice(token.start, token.end);
    if (token.isEscaped || mayHavePlaceholder(source) || mayHaveEncoding(source)) {
      layers.push(yield* stringLayer(text, token));
    }
  }
  const end = (tokens.at(-1)?.end ?? 0) + 1;
  if (end >= text.length) return layers;
  // Other text after a document.
  for (const layer of yield* runSteps(text.slice(end))) layers.push(shifted(layer, end));
  return layers;
}

function* runSteps(text: string): Steps<Layer[]> {
  const words = encodedWords(text);
  const blocks = mayHaveBlock(text) ? yield* blockSteps(text) : [];
  if (words.length === 0) return blocks;
  const free = blocks.filter((block) => !words.some(({ start, end }) => block.start < end && block.end > start));
  return [...words, ...free].sort((a, b) => a.start - b.start);
}

function shifted(layer: Layer, by: number): Layer {
  return {
    ...layer,
    start: layer.start + by,
    end: layer.end + by,
    lift: (edits) => layer.lift(edits).map((edit) => ({ ...edit, start: edit.start + by, end: edit.end + by })),
  };
}
