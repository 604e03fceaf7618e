import { byStart, inOrderSteps } from '../in-order.ts';
import { mayHavePlaceholder } from '../placeholder.ts';
import { PART_ITEMS, type Steps } from '../slices.ts';
import { blockSteps, mayHaveBlock } from './bytes/blocks.ts';
import { encodedWordSteps } from './encoded-words.ts';
import { mayHaveEncodedBracket } from './escapes.ts';
import { looksLikeJson, stringLayer, tokenSteps } from './json-strings.ts';
import { type Layer, outsideSteps } from './layer.ts';

/** The deepest encoding in an encoding that is read. */
export const MAX_LAYERS = 16;

/** A word that is shorter than each encoded placeholder. */
const WORD = /^\w{0,7}$/;

/** Returns whether a text may contain an encoded text, or a placeholder with encoded brackets. */
export function mayHaveEncoding(text: string): boolean {
  return mayHaveBlock(text) || mayHaveEncodedBracket(text) || text.includes('=?') || looksLikeJson(text);
}

/** Returns whether a text has no placeholder and no encoded text, and nothing that looks like one. */
export function isWithoutCandidate(text: string): boolean {
  return WORD.test(text) || !(mayHavePlaceholder(text) || mayHaveEncoding(text));
}

/** Returns the encoded texts in a text, in order and without overlaps: the strings of JSON, or else encoded runs. */
export function* layerSteps(text: string): Steps<readonly Layer[]> {
  if (!looksLikeJson(text)) return yield* runSteps(text);
  const runs = yield* runSteps(text);
  const strings: Layer[] = [];
  let first = 0;
  for (const [index, token] of (yield* tokenSteps(text)).entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    if (token.isNumber) continue;
    while ((runs[first]?.end ?? Number.POSITIVE_INFINITY) <= token.start) first++;
    const hasRun = (runs[first]?.start ?? Number.POSITIVE_INFINITY) < token.end;
    const source = text.slice(token.start, token.end);
    // Other strings are the same without their escapes.
    if (token.isEscaped || hasRun || mayHavePlaceholder(source) || mayHaveEncodedBracket(source)) {
      strings.push(yield* stringLayer(text, token));
    }
  }
  return yield* inOrderSteps([...strings, ...(yield* outsideSteps(runs, strings))], byStart);
}

function* runSteps(text: string): Steps<readonly Layer[]> {
  const words = yield* encodedWordSteps(text);
  const blocks = mayHaveBlock(text) ? yield* blockSteps(text) : [];
  if (words.length === 0) return blocks;
  return yield* inOrderSteps([...words, ...(yield* outsideSteps(blocks, words))], byStart);
}
